import Addresses
import Glibc
import Home
import HubClient
import HubService
import Pairing

/// The server behind the gateway: whether it answers, and whether the network can get at it past the gateway.
enum CheckUpstream {
    static func checks(_ hub: CheckHubFiles.Hub) -> [DiagnosisCheck] {
        guard let upstream = hub.settings.upstream else {
            return [
                DiagnosisCheck("upstream", tried: "looked for a server behind the gateway") {
                    .skipped(
                        "none is set", mend: "if it has one: 'hubpair setup --change --upstream URL'")
                }
            ]
        }
        let port = upstream.port
        let answers = DiagnosisCheck(
            "upstream", tried: "asked the server at \(upstream.text)",
            deadline: LookAtUpstream.deadline + .seconds(3)
        ) {
            let connected = await answer(
                upstream,
                mend: "start the server, or name another one: 'hubpair setup --change --upstream URL'",
                pin: "check the pin in the hub's settings")
            guard connected.status == .ok, let look = LookAtUpstream(hub) else { return connected }
            return verdict(await look.run()) ?? connected
        }
        let past = DiagnosisCheck(
            "upstream-exposed", tried: "asked port \(port) from outside, past the gateway",
            deadline: .seconds(3)
        ) {
            guard upstream.isLoopback else {
                return .skipped(
                    "it is on another host, which cannot be asked as others would",
                    mend: "let no host but this one reach it, by its firewall")
            }
            return exposure(
                await openAddresses(port, hub), of: CheckGateway.outsideAddresses(), port: port)
        }
        return [answers, past]
    }

    /// - Returns: nil if nothing is known but that it takes connections.
    static func verdict(_ sight: LookAtUpstream.Sight) -> Finding.Verdict? {
        let kind = sight.treatment.map { ": \($0.words)" } ?? ""
        let fault = sight.fault ?? ""
        switch sight.trouble {
        case nil: return sight.treatment.map { .ok("it answers: \($0.words)") }
        case .brokenDatabase: return .problem(fault, mend: ServerError.databaseHint)
        case .silent:
            return .problem(
                "it takes connections, and does not answer: \(fault)",
                mend: "restart the server; its own log may say what it waits for")
        case .slow:
            return .warning(
                "it takes long to answer\(kind)",
                mend: "see what else its machine does; 'hubpair home' shows how old is what the hub knows")
        // Whatever it is, it is no house.
        case .listsNothing where sight.treatment?.kind == .other: return .ok("it answers\(kind)")
        case .listsNothing:
            return .warning(
                "it answers, and lists no appliances: \(fault)",
                mend: "its own log tells more; is one of its appliances switched off?")
        }
    }

    static func exposure(_ open: [NetworkAddress], of all: [NetworkAddress], port: UInt16) -> Finding.Verdict
    {
        guard !all.isEmpty else { return .skipped("no interface is up but loopback") }
        guard open.isEmpty else {
            let places = open.map { $0.description(withPort: port) }.joined(separator: ", ")
            return .problem(
                "OPEN: it listens on the network too, at \(places): everybody there gets in without pairing",
                mend:
                    "let the server listen on 127.0.0.1 alone (its option for the address or host), and "
                    + "restart it"
            )
        }
        return .ok("nobody listens there")
    }

    /// Whether it takes connections, and has the key of its pin.
    ///
    /// - Parameters:
    ///   - mend: what to do if it does not answer.
    ///   - pin: what to do if another has the key.
    static func answer(_ upstream: Upstream, mend: String, pin: String) async -> Finding.Verdict {
        let (addresses, port) = (upstream.addresses, upstream.port)
        if !upstream.isTLS {
            let codes = addresses.map { TCPConnect.errno(to: $0, port: port) }
            if codes.contains(0) { return .ok("it accepts connections") }
            let words = codes.first.map { String(cString: strerror($0)).lowercased() } ?? "no address"
            return .problem("it does not answer: \(words)", mend: mend)
        }
        let places =
            addresses.isEmpty
            ? HubAddress("\(upstream.host):\(port)").map { [$0] } ?? []
            : addresses.map { HubAddress($0, port: port) }
        do {
            let connection = try await HubConnector(allowsTLS12: true).connect(
                to: places, expecting: upstream.pin.map(ExpectedPeer.pin) ?? .any, deadline: .seconds(2))
            connection.close()
            return .ok(
                upstream.pin == nil ? "it answers over TLS" : "it answers, and its key is the one expected")
        } catch let error as HubConnectionError {
            if case .otherKey(_, let seen) = error.reason {
                let expected = upstream.pin?.text ?? ""
                return .problem(
                    "it is not the server: its key has the pin \(seen.text), and \(expected) is expected",
                    mend: pin)
            }
            return .problem("it does not answer: \(error)", mend: mend)
        } catch {
            return .problem("it does not answer: \(error)", mend: mend)
        }
    }

    private static func openAddresses(_ port: UInt16, _ hub: CheckHubFiles.Hub) async -> [NetworkAddress] {
        var open: [NetworkAddress] = []
        for address in CheckGateway.outsideAddresses()
        where TCPConnect.errno(to: address, port: port, milliseconds: 250) == 0 {
            // The hub itself may have the same port at another address.
            if port == hub.settings.port, let connector = try? HubConnector(),
                let connection = try? await connector.connect(
                    to: [HubAddress(address, port: port)], expecting: .pin(hub.pin), deadline: .seconds(1))
            {
                connection.close()
                continue
            }
            open.append(address)
        }
        return open
    }
}
