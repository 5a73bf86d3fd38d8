import Discovery
import NIOCore
import NIOPosix

/// Asks whether a hub that was found still accepts connections: by TCP alone, which costs the hub next to
/// nothing.
struct PingHub: Sendable {
    /// The most addresses that are tried, one after the other.
    private static let maximumAddresses = 4

    private let hub: DiscoveredHub
    private let deadline: Duration

    /// - Parameter deadline: for each address.
    init(_ hub: DiscoveredHub, deadline: Duration) {
        self.hub = hub
        self.deadline = deadline
    }

    /// True if something accepts a connection at one of the hub's addresses.
    func run() async -> Bool {
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
