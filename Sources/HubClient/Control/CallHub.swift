package import Identity

/// Sends a request to a hub that this computer is paired with, or to a stock hub that the user has added.
package struct CallHub: Sendable {
    /// The selected hub.
    package let hub: SavedHub
    private let useHub: UseHub
    private let isInsecureAllowed: Bool

    /// - Parameters:
    ///   - selector: selects the hub; nil for the default hub.
    ///   - isInsecureAllowed: true if the user accepts an unprotected connection to a stock hub.
    package init(
        configuration: DeviceConfiguration, selector: PeerSelector?, isInsecureAllowed: Bool = false
    ) throws {
        useHub = try UseHub(configuration: configuration)
        hub = try useHub.find(selector)
        self.isInsecureAllowed = isInsecureAllowed
    }

    /// The fingerprint that identifies this computer to a paired hub; nil for a stock hub, which does not
    /// identify devices.
    package var device: Fingerprint? { hub.isUnprotected ? nil : useHub.device }

    /// Sends a request and delivers the response as it arrives.
    package func send(
        _ request: HubRequest, deadlines: HubConnection.Deadlines = .init(),
        head: (HubResponse) async throws -> Void, body: ([UInt8]) async throws -> Void
    ) async throws {
        let connect = { @Sendable [useHub, hub, isInsecureAllowed] in
            try await useHub.connect(to: hub, isInsecureAllowed: isInsecureAllowed)
        }
        let connection = try await connect()
        do {
            try await connection.send(request, deadlines: deadlines, head: head, body: body)
        } catch {
            throw await SilentServer.judge(error, after: deadlines.quiet, connect)
        }
        connection.close()
    }

    /// Stores that the user accepts an unprotected connection. Call it once the hub has answered.
    package func remember() throws {
        if isInsecureAllowed { try useHub.allowInsecure(hub) }
    }
}
