#if os(Linux) && !HUBPAIR_PORTABLE
package import CGlibc
import Identity

/// A socket address as system calls take and return it (`sockaddr_in`, `sockaddr_in6`).
///
/// Only this file reads or writes these structures. The kernel identifies the interface of a link-local
/// address by index. Here it becomes the interface's name, so that an address has the same value whether it
/// comes from accept(2), getaddrinfo(3), getifaddrs(3), UDP or mDNS.
package struct SystemAddress: Hashable, Sendable {
    package let address: NetworkAddress
    package let port: UInt16
    /// The interface index, used for IPv6 only; 0 lets the routing table choose.
    private let interface: UInt32

    /// - Parameter interface: the interface index for IPv6; 0 lets the routing table choose.
    package init(_ address: NetworkAddress, port: UInt16, interface: UInt32) {
        self.address = address
        self.port = port
        self.interface = interface
    }

    /// The address on the interface that its scope names; nil if that interface does not exist.
    package init?(_ address: NetworkAddress, port: UInt16) {
        guard let scope = address.scope else {
            self.init(address, port: port, interface: 0)
            return
        }
        // Digits are the index of an interface without a name; see NetworkInterface.init(index:).
        guard let index = NetworkInterface(named: scope)?.index ?? UInt32(digits: scope), index > 0 else {
            return nil
        }
        self.init(address, port: port, interface: index)
    }

    /// 0.0.0.0, the IPv4 wildcard address, with a port.
    package static func anyIPv4(port: UInt16) -> SystemAddress {
        SystemAddress(.anyIPv4, port: port, interface: 0)
    }

    /// Converts an address that the system returned; nil for NULL and for families other than IPv4 and IPv6.
    ///
    /// An IPv4-mapped address (RFC 4291 § 2.5.5.2), as a dual-stack socket returns it, becomes IPv4.
    ///
    /// - Parameter name: the name of the interface if known; otherwise it is looked up.
    package init?(_ socketAddress: UnsafePointer<sockaddr>?, on name: String? = nil) {
        guard let socketAddress else { return nil }
        let raw = UnsafeRawPointer(socketAddress)
        // The family is the first member. Depending on how the standard library is linked, sockaddr's members
        // belong to Glibc or CGlibc, so no member is named.
        switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let native = raw.loadUnaligned(as: sockaddr_in.self)
            let bytes = withUnsafeBytes(of: native.sin_addr) { Array($0) }
            guard let address = NetworkAddress(bytes: bytes) else { return nil }
            self.init(address, port: UInt16(bigEndian: native.sin_port), interface: 0)
        case AF_INET6:
            let native = raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = withUnsafeBytes(of: native.sin6_addr) { Array($0) }
            let index = native.sin6_scope_id
            let isMapped = bytes.starts(with: NetworkAddress.mappedPrefix)
            let scope = name ?? (index == 0 ? nil : NetworkInterface(index: index).name)
            let address = NetworkAddress(bytes: isMapped ? Array(bytes.suffix(4)) : bytes, scope: scope)
            guard let address else { return nil }
            self.init(address, port: UInt16(bigEndian: native.sin6_port), interface: index)
        default: return nil
        }
    }

    /// Calls `call` with a buffer for an address, which it fills as recvfrom(2) and getsockname(2) do.
    ///
    /// - Returns: the result of `call`, and the address that it wrote.
    package static func written<Result>(
        on name: String? = nil,
        by call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Result
    ) -> (Result, SystemAddress?) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                let result = call($0, &length)
                return (result, SystemAddress($0, on: name))
            }
        }
    }

    /// Calls `body` with the address in the form that bind(2), connect(2) and sendto(2) take.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        func pass<Native>(_ native: Native) -> Result {
            withUnsafePointer(to: native) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<Native>.size))
                }
            }
        }
        return address.family == .ipv4 ? pass(ipv4) : pass(ipv6)
    }

    /// The address as `sockaddr_in`; only for IPv4.
    package var ipv4: sockaddr_in {
        var native = sockaddr_in()
        native.sin_family = sa_family_t(AF_INET)
        native.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &native.sin_addr) { $0.copyBytes(from: address.bytes.prefix($0.count)) }
        return native
    }

    /// The address as `sockaddr_in6`; only for IPv6.
    package var ipv6: sockaddr_in6 {
        var native = sockaddr_in6()
        native.sin6_family = sa_family_t(AF_INET6)
        native.sin6_port = port.bigEndian
        native.sin6_scope_id = interface
        withUnsafeMutableBytes(of: &native.sin6_addr) { $0.copyBytes(from: address.bytes.prefix($0.count)) }
        return native
    }
}

extension NetworkAddress {
    /// The address with its scope converted from an index to the interface's name. Text from a command-line
    /// option or a file may use the index, as in `fe80::1%2`; ``init(_:)`` keeps it, because it makes no
    /// system calls.
    ///
    /// A scope that is an interface name, or not the index of an interface, stays unchanged.
    package var withScopeName: NetworkAddress {
        guard let scope, let index = UInt32(digits: scope), index > 0, NetworkInterface(named: scope) == nil
        else { return self }
        return NetworkAddress(bytes: bytes, scope: NetworkInterface(index: index).name) ?? self
    }
}
#endif
