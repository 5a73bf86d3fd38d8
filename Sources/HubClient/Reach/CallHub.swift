import FoundationEssentials
package import Identity
import Pairing

/// Sends one request to a hub that this device is paired with, or to a stock hub that the user has added.
package struct CallHub: Sendable {
    /// The hub that is meant.
    package let hub: SavedHub
    private let useHub: UseHub
    private let isInsecureAllowed: Bool

    /// - Parameters:
    ///   - selector: which hub; nil: the default.
    ///   - isInsecureAllowed: the user takes it that nobody checks who a stock hub is.
    package init(
        configuration: DeviceConfiguration, selector: PeerSelector?, isInsecureAllowed: Bool = false
    ) throws {
        useHub = try UseHub(configuration: configuration)
        hub = try useHub.find(selector).hub
        self.isInsecureAllowed = isInsecureAllowed
    }

    /// By which a paired hub knows this device; nil of a stock hub, which knows nobody.
    package var device: Fingerprint? { hub.isUnprotected ? nil : useHub.device }

    /// Sends a request and hands on the response as it comes.
    package func run(
        _ request: HubRequest, deadlines: HubConnection.Deadlines = .init(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        let connection = try await useHub.connect(to: hub, isInsecureAllowed: isInsecureAllowed)
        try await connection.send(request, deadlines: deadlines, head: head, body: body)
        connection.close()
    }

    /// Notes what the user has said of a stock hub, once it has answered.
    package func remember() throws {
        if isInsecureAllowed { try useHub.allowInsecure(hub) }
    }
}
