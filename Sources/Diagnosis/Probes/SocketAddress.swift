import CGlibc
import Discovery
import Glibc

/// Calls `body` with an IPv4 socket address; `text` is a dotted quad.
func withIPv4<Result>(
    _ text: String, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    inet_pton(AF_INET, text, &address.sin_addr)
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
}

/// Calls `body` with the address as the system takes it; `interface` is the kernel's index, for IPv6 only.
func withSocketAddress<Result>(
    _ address: NetworkAddress, port: UInt16, interface: UInt32,
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    guard address.family == .ipv6 else { return withIPv4(address.description, port: port, body) }
    var native = sockaddr_in6()
    native.sin6_family = sa_family_t(AF_INET6)
    native.sin6_port = port.bigEndian
    native.sin6_scope_id = interface
    withUnsafeMutableBytes(of: &native.sin6_addr) { $0.copyBytes(from: address.bytes.prefix($0.count)) }
    return withUnsafePointer(to: &native) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
    }
}
