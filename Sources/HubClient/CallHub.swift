import FoundationEssentials
package import Pairing
import PinnedTLS

/// Sends one request to a hub that this device is paired with.
package struct CallHub: Sendable {
    private let configuration: DeviceConfiguration
    private let selector: PeerSelector?

    /// - Parameter selector: which hub; nil: the default.
    package init(configuration: DeviceConfiguration, selector: PeerSelector?) {
        self.configuration = configuration
        self.selector = selector
    }

    /// The hub that is meant, and this device's fingerprint.
    package func hub() throws -> KnownHub {
        try ManageHubs(configuration: configuration).find(selector).hub
    }

    /// Sends a request and hands on the response as it comes.
    ///
    /// - Returns: this device's fingerprint, by which the hub knows it.
    package func run(
        _ request: HubRequest, deadlines: HubConnection.Deadlines = .init(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws -> Fingerprint {
        let hub = try hub()
        guard let identity = try DeviceIdentity.load(from: configuration) else {
            throw DeviceIdentityError.missing(path: "\(configuration.path)/\(DeviceIdentity.keyFileName)")
        }
        let connection = try await HubFinder(
            configuration: configuration, connector: HubConnector(identity: identity)
        ).connect(to: hub)
        try await connection.send(request, deadlines: deadlines, head: head, body: body)
        connection.close()
        return identity.pin.fingerprint
    }
}

/// No hub is named, and none can be meant.
package enum NoHubError: Error, Equatable, LocalizedError, CustomStringConvertible {
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

    /// The same as the description.
    package var errorDescription: String? { description }

    /// How to mend it.
    package var recoverySuggestion: String? {
        switch self {
        case .notPaired: "on the hub: 'hubpair print' makes a code; on this device: 'hubpair pair' uses it"
        case .noDefault: "name one with --hub, or make one the default with 'hubpair hubs use'"
        }
    }
}
