package import Addresses
import Glibc

/// Whether somebody takes connections on the hub's port, as a process beside the hub sees it.
package struct ServedPort {
    /// The most addresses that are asked, and how long in all, in milliseconds: addresses of this host answer
    /// at once.
    private static let maximumAddresses = 16
    private static let time: Int32 = 500

    private let port: UInt16
    private let addresses: [NetworkAddress]

    /// - Parameter listen: the addresses that the hub listens on; empty: all of this host's.
    package init(_ port: UInt16, listen: [NetworkAddress] = []) {
        self.port = port
        let loopback = ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) }
        // The hub may also be told on the command line to listen on one of this host's addresses alone.
        addresses = listen.isEmpty ? loopback + LocalNetwork.current().map(\.address) : listen
    }

    /// True if somebody does, and false if nobody does at any address; nil if that cannot be told.
    package var isServed: Bool? {
        var isRefused = true
        for address in addresses.prefix(ServedPort.maximumAddresses) {
            let each = ServedPort.time / Int32(min(addresses.count, ServedPort.maximumAddresses))
            switch TCPConnect.errno(to: address, port: port, milliseconds: each) {
            case 0: return true
            // No IPv6 here, or the address has just gone.
            case ECONNREFUSED, EADDRNOTAVAIL, EAFNOSUPPORT, ENETUNREACH, ENODEV: continue
            default: isRefused = false
            }
        }
        return isRefused ? false : nil
    }
}
