import FoundationEssentials
package import Identity
import Pairing

/// Sends one request to a hub that this device is paired with, or to a stock hub that the user has added.
package struct CallHub: Sendable {
    /// The hub that is meant.
    package let hub: UsableHub
    private let reach: ReachHubs
    private let isInsecureAllowed: Bool

    /// - Parameters:
    ///   - selector: which hub; nil: the default.
    ///   - isInsecureAllowed: the user takes it that nobody checks who a stock hub is.
    package init(
        configuration: DeviceConfiguration, selector: PeerSelector?, isInsecureAllowed: Bool = false
    ) throws {
        reach = try ReachHubs(configuration: configuration)
        hub = try reach.find(selector).hub
        self.isInsecureAllowed = isInsecureAllowed
    }

    /// By which a paired hub knows this device; nil of a stock hub, which knows nobody.
    package var device: Fingerprint? { hub.isUnprotected ? nil : reach.device }

    /// Sends a request and hands on the response as it comes.
    package func run(
        _ request: HubRequest, deadlines: HubConnection.Deadlines = .init(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        let connection = try await reach.connect(to: hub, isInsecureAllowed: isInsecureAllowed)
        try await connection.send(request, deadlines: deadlines, head: head, body: body)
        connection.close()
    }

    /// Notes what the user has said of a stock hub, once it has answered.
    package func remember() throws {
        if isInsecureAllowed { try reach.allowInsecure(hub) }
    }
}

/// No hub is named, and none can be meant.
package enum NoHubError: Equatable, UserError {
    /// This device knows no hub.
    case notPaired
    /// It knows several, and none is the default.
    case noDefault

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notPaired: "this device is not paired with a hub yet"
        case .noDefault: "this device knows several hubs, and none of them is the default"
        }
    }

    package var kind: UserErrorKind { .notFound }

    /// How to mend it.
    package var hint: String? {
        switch self {
        case .notPaired: "on the hub: 'hubpair print' makes a code; on this device: 'hubpair pair' uses it"
        case .noDefault: "name one with --hub, or make one the default with 'hubpair hubs use'"
        }
    }
}
