import Addresses
import Discovery
import NIOCore
import NIOPosix

/// Checks whether a hub still accepts connections. It uses only TCP, which costs the hub almost nothing.
struct PingHub: Sendable {
    /// The maximum number of addresses that are tried, one after the other.
    private static let maximumAddresses = 4

    private let hub: DiscoveredHub
    private let deadline: Duration

    /// - Parameter deadline: the maximum time for each address.
    init(_ hub: DiscoveredHub, deadline: Duration) {
        self.hub = hub
        self.deadline = deadline
    }

    /// True if one of the hub's addresses accepts a connection.
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
