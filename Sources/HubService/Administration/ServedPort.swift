package import Addresses
import Glibc

/// Whether somebody takes connections on the hub's port, as a process beside the hub sees it.
package struct ServedPort {
    /// The most addresses that are asked, and how long in all, in milliseconds: addresses of this host answer
    /// at once.
    private static let maximumAddresses = 16
    private static let time: Int32 = 500

    private let port: UInt16
    private let listen: [NetworkAddress]

    /// - Parameter listen: the addresses that the hub listens on; empty: all of this host's.
    package init(_ port: UInt16, listen: [NetworkAddress] = []) {
        (self.port, self.listen) = (port, listen)
    }

    /// Refuses a port that is not for this user. Root, who may have any, chooses ports for a service of the
    /// system: only its start tells.
    package static func checkPermitted(_ port: UInt16) throws(ServeError) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let isBound = SystemAddress.anyIPv4(port: port).withPointer { bind(descriptor, $0, $1) } == 0
        guard isBound || errno != EACCES else { throw .portNotPermitted(port) }
    }

    /// True if somebody does, and false if nobody does at any address; nil if that cannot be told.
    ///
    /// - Parameter networks: this host's.
    package func isServed(
        among networks: @autoclosure () -> [LocalNetwork] = LocalNetwork.current()
    ) -> Bool? {
        guard listen.isEmpty else { return isServed(at: listen) }
        let loopback = ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) }
        // A hub that listens everywhere is there. It may also have been told on the command line to listen on
        // one of this host's addresses alone.
        let answer = isServed(at: loopback)
        guard answer != true else { return true }
        let others = networks().map(\.address).filter { !loopback.contains($0) }
        let other = isServed(at: others)
        return other == false ? answer : other
    }

    private func isServed(at addresses: [NetworkAddress]) -> Bool? {
        var isRefused = true
        let asked = addresses.prefix(ServedPort.maximumAddresses)
        for address in asked {
            let each = ServedPort.time / Int32(asked.count)
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
