import Discovery
import NIOCore
import NIOPosix

/// Asks whether a hub that was found is still there: by TCP alone, which costs it next to nothing.
struct PingHub: Sendable {
    /// The most addresses that are tried, one after the other.
    private static let maximumAddresses = 4

    /// How long each address has.
    let deadline: Duration

    /// True if something accepts a connection at one of the hub's addresses.
    func callAsFunction(_ hub: DiscoveredHub) async -> Bool {
        for address in hub.addresses.prefix(PingHub.maximumAddresses) {
            let bootstrap = ClientBootstrap(group: HubConnector.group).connectTimeout(TimeAmount(deadline))
            guard let target = try? HubAddress(address, port: hub.port).socketAddress(),
                let channel = try? await bootstrap.connect(to: target).get()
            else { continue }
            channel.close(promise: nil)
            return true
        }
        return false
    }
}
