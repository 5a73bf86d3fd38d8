package import Identity

/// Sends a request to a hub that this device is paired with, or to a stock hub that the user has added.
package struct CallHub: Sendable {
    /// The hub that is meant.
    package let hub: SavedHub
    private let useHub: UseHub
    private let isInsecureAllowed: Bool

    /// - Parameters:
    ///   - selector: which hub; nil: the default.
    ///   - isInsecureAllowed: the user agrees to an unprotected connection to a stock hub.
    package init(
        configuration: DeviceConfiguration, selector: PeerSelector?, isInsecureAllowed: Bool = false
    ) throws {
        useHub = try UseHub(configuration: configuration)
        hub = try useHub.find(selector).hub
        self.isInsecureAllowed = isInsecureAllowed
    }

    /// The fingerprint by which a paired hub knows this device; nil for a stock hub, which knows no devices.
    package var device: Fingerprint? { hub.isUnprotected ? nil : useHub.device }

    /// Sends a request and hands on the response as it comes.
    package func send(
        _ request: HubRequest, deadlines: HubConnection.Deadlines = .init(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        let connection = try await useHub.connect(to: hub, isInsecureAllowed: isInsecureAllowed)
        try await connection.send(request, deadlines: deadlines, head: head, body: body)
        connection.close()
    }

    /// Notes that the user has agreed to an unprotected connection. Call it once the hub has answered.
    package func remember() throws {
        if isInsecureAllowed { try useHub.allowInsecure(hub) }
    }
}
