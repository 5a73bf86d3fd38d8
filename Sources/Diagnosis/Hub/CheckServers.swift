import GatewayRules
import HubService
import Identity
import Pairing

/// The web services behind the hub, and the servers that have joined its house: each is asked by this machine
/// as the hub asks it, with the same pin and token.
enum CheckServers {
    /// One check for each; none without.
    static func checks(_ state: HubState, _ hub: CheckHubFiles.Hub) -> [DiagnosisCheck] {
        let services = (try? ManageServices(state: state).list()) ?? []
        let joined = (try? ManageJoined(state: state).list()) ?? []
        return services.enumerated().map { check($1, hub, name(of: "hub-service", $0)) }
            + joined.enumerated().map { check($1, name(of: "joined-server", $0), state) }
    }

    private static func name(of check: String, _ index: Int) -> String {
        index == 0 ? check : "\(check)-\(index + 1)"
    }

    private static func check(
        _ service: WebService, _ hub: CheckHubFiles.Hub, _ id: String
    ) -> DiagnosisCheck {
        let (url, port) = (service.upstream.text, service.port)
        let tried = "asked the service \(service.name) at \(url)"
        return DiagnosisCheck(id, tried: tried, deadline: .seconds(12)) {
            let add = "hubpair hub service add \(shellQuoted(service.name.description)) URL"
            let answer = await CheckUpstream.answer(
                service.upstream, mend: "start it, or say where it listens now: \(add)",
                pin: "if its key is a new one, give its pin behind #: \(add)")
            guard answer.status == .ok, await CheckGateway.isServed(hub, on: hub.settings.port),
                await !CheckGateway.isServed(hub, on: port)
            else { return answer }
            return .problem(
                "it accepts connections, but the hub cannot serve it on its port \(port)",
                mend: "see which program has the port: sudo ss -ltnp 'sport = :\(port)'; or give it another "
                    + "one: \(add) --port PORT")
        }
    }

    private static func check(_ server: JoinedServer, _ id: String, _ state: HubState) -> DiagnosisCheck {
        switch server.kind {
        case .homeAssistant: checkHomeAssistant(server, id, state)
        case .mqtt: checkBroker(server, id, state)
        }
    }

    private static func checkBroker(
        _ server: JoinedServer, _ id: String, _ state: HubState
    ) -> DiagnosisCheck {
        let url = server.url.text
        let join = "hubpair hub join mqtt"
        return DiagnosisCheck(id, tried: "asked the MQTT broker at \(url)", deadline: .seconds(16)) {
            do {
                try await ManageJoined(state: state).ask(server)
                return .ok("it answers, and lets the hub in")
            } catch JoinError.refused {
                return .problem(
                    "it does not take the name and password",
                    mend: "give those of a user of the broker: "
                        + "\(join) \(shellQuoted(url)) --username NAME --password-file FILE")
            } catch let error as JoinError {
                return .problem(
                    error.description, mend: "start it, or say where it listens now: \(join) URL")
            }
        }
    }

    private static func checkHomeAssistant(
        _ server: JoinedServer, _ id: String, _ state: HubState
    ) -> DiagnosisCheck {
        let url = server.url.text
        let join = "hubpair hub join \(server.kind.rawValue)"
        return DiagnosisCheck(
            id, tried: "asked \(server.kind.title) at \(url) with the token", deadline: .seconds(16)
        ) {
            let connected = await CheckUpstream.answer(
                server.url, mend: "start it, or say where it listens now: \(join) URL --token-file FILE",
                pin: "if its key is a new one, give its pin behind #: \(join) URL --token-file FILE")
            guard connected.status == .ok else { return connected }
            do {
                try await ManageJoined(state: state).ask(server)
                return .ok("it answers, and takes the token")
            } catch JoinError.refused {
                return .problem(
                    "it does not take the token",
                    mend: "make a new one there (your profile, Security), then: "
                        + "\(join) \(shellQuoted(url)) --token-file FILE")
            }
        }
    }
}
