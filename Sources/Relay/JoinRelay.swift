package import Addresses
import FoundationEssentials
package import HubClient
package import HubService
package import Pairing
import PinnedTLS

/// Lets a relay admit this machine's hub: the pairing exchange as it is, with the hub's own key in place of a
/// device's. The relay is a way to the hub from then on.
package struct JoinRelay: Sendable {
    package static let defaultPort: UInt16 = 443

    private let state: HubState
    private let code: ScannedCode
    private let address: HubAddress?

    /// - Parameter address: where the relay is; nil: as the code says.
    package init(_ code: ScannedCode, at address: HubAddress?, state: HubState) {
        (self.code, self.address, self.state) = (code, address, state)
    }

    package func run() async throws -> HubWays.Relay {
        guard case .pairing(let code) = code else { throw JoinRelayError.typed }
        let hinted = code.addressHint.flatMap { HubAddress($0.description) }
        guard let address = address ?? hinted else { throw JoinRelayError.noAddress }
        let directory = try state.open()
        let hub = try HubState.hub(in: directory)
        let identity = try HubState.existingIdentity(in: directory)
        guard code.hub != hub.pin else { throw JoinRelayError.ownCode }
        let connection = try await HubConnector(identity: identity).connect(
            to: [address], expecting: .pin(code.hub), relays: [address])
        let attempt = PairAttempt(
            secret: code.secret, name: hub.settings.name, nonce: .random(), device: hub.pin)
        let (response, body) = try await connection.send(
            HubRequest(
                method: "POST", target: PairEndpoint.pair.path,
                headers: [("Content-Type", "application/json")],
                body: attempt.request(to: connection.pin).serialized))
        guard let reply = try? PairReply(parsing: body), reply.httpStatus == response.status else {
            if let refusal = try? PairRefusal(parsing: body) { throw refusal }
            throw JoinRelayError.noRelay("\(address)")
        }
        try attempt.verify(reply, from: connection.pin)
        guard reply.status == .approved else { throw JoinRelayError.noRelay("\(address)") }
        let relay = HubWays.Relay(
            name: reply.hub.name, pin: connection.pin, address: "\(address)", added: Date())
        try ManageWays(state: state).add(relay)
        return relay
    }
}

/// Why no relay has admitted the hub.
package enum JoinRelayError: Equatable, UserError {
    /// A typed code does not say which relay it is of.
    case typed
    case noAddress
    /// The code is this hub's own.
    case ownCode
    case noRelay(String)

    package var description: String {
        switch self {
        case .typed: "a typed code does not say which relay it is of"
        case .noAddress: "the code does not say where the relay is"
        case .ownCode: "this is a code of this hub, and not of a relay"
        case .noRelay(let address): "what answers at \(address) is no relay"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .typed, .ownCode: .data
        case .noAddress: .usage
        case .noRelay: .unavailable
        }
    }

    package var hint: String? {
        switch self {
        case .typed: "on the relay: 'hubpair relay print --format text' writes one that does"
        case .noAddress: "say it behind the code: relay.example.org"
        case .ownCode, .noRelay: "on the relay: 'hubpair relay print' makes a code"
        }
    }
}

extension HubAddress {
    /// A relay's address: the port is 443 if none is said.
    package init?(relay text: String) {
        if let address = NetworkAddress(text)?.withScopeName {
            self.init(address, port: JoinRelay.defaultPort)
        } else if let address = HubAddress("\(text):\(JoinRelay.defaultPort)") {
            self = address
        } else {
            self.init(text)
        }
    }
}
