import Addresses
import FoundationEssentials
import HubClient
import HubService
import Identity
import JSON
import Pairing

/// The relays by which this machine's hub is reached: each is asked, with the hub's key, whether the hub is
/// connected to it.
enum CheckRelays {
    /// What a relay says of the hub.
    struct Standing: Equatable {
        let isAdmitted: Bool
        let isConnected: Bool
        let since: Date?
    }

    /// One check for each relay; none without.
    static func checks(_ state: HubState) -> [DiagnosisCheck] {
        let relays = (try? ManageWays(state: state).list().relays) ?? []
        return relays.enumerated().map { index, relay in
            DiagnosisCheck(
                index == 0 ? "hub-relay" : "hub-relay-\(index + 1)",
                tried: "asked the relay \(relay.name) at \(relay.address) whether the hub is connected",
                deadline: .seconds(6)
            ) {
                verdict(try await ask(relay, state), at: Date())
            }
        }
    }

    private static func ask(_ relay: HubWays.Relay, _ state: HubState) async throws -> Standing {
        guard let address = HubAddress(relay.address) else {
            throw HubConnectionError(address: relay.address, reason: .noAddress)
        }
        let identity = try HubState.existingIdentity(in: state.open())
        let connection = try await HubConnector(identity: identity).connect(
            to: [address], expecting: .pin(relay.pin), relays: [address], deadline: .seconds(5))
        defer { connection.close() }
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.device.path), maximumBodyByteCount: 4_096)
        let members = (try? JSONReader.read(JSONValue.self, from: body))?.asObject ?? [:]
        return Standing(
            isAdmitted: response.status == 200 && members["status"]?.asString == "approved",
            isConnected: members["connected"] == .boolean(true),
            since: members["since"]?.asString.flatMap { Date(timestamp: $0) })
    }

    static func verdict(_ standing: Standing, at now: Date) -> Finding.Verdict {
        guard standing.isAdmitted else {
            return .problem(
                "the relay answers, and does not admit this hub",
                mend:
                    "on the relay: 'hubpair relay print' makes a code; here: 'hub ways relay' takes it"
            )
        }
        let since = standing.since.map { " since \(LocalTime($0).text(seenAt: now))" } ?? ""
        guard standing.isConnected else {
            return .problem(
                "the relay answers, the hub is not connected to it\(since)",
                mend: "start the hub ('hubpair serve'), or look into its log for the relay's name")
        }
        return .ok("connected\(since)")
    }
}
