#if os(Linux) && !HUBPAIR_PORTABLE
import CGlibc
import Glibc

/// A netlink socket that tells of changes of this machine's links and addresses (rtnetlink(7)).
///
/// The messages are not read for what they say: whoever is told reads the whole state again, so an overrun
/// loses nothing.
package enum RouteSocket {
    /// A descriptor that is readable after a change; nil if the system gives none.
    package static func open() -> Int32? {
        let descriptor = socket(
            AF_NETLINK,
            Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue),
            Int32(NETLINK_ROUTE))
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    package static func close(_ descriptor: Int32) { Glibc.close(descriptor) }

    /// Takes what has come.
    package static func drain(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        for _ in 0..<64 where recv(descriptor, &buffer, buffer.count, 0) <= 0 { break }
    }
}
#endif
