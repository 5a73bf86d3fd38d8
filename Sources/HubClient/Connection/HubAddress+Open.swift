import Addresses
import NIOCore
import NIOPosix

extension HubAddress {
    /// True if somebody accepts a connection there within this time. It uses only TCP, which costs a hub
    /// almost nothing.
    func isOpen(within time: Duration) async -> Bool {
        let bootstrap = ClientBootstrap(group: HubConnector.group).connectTimeout(TimeAmount(time))
        guard let target = try? socketAddress(), let channel = try? await bootstrap.connect(to: target).get()
        else { return false }
        channel.close(promise: nil)
        return true
    }
}
