#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#else
import Darwin
#endif

/// An IPv4 or IPv6 address without a port. A link-local IPv6 address includes the interface on which it is
/// valid (its zone, RFC 4007 § 11).
///
/// Accepted: `192.168.1.20`, `fd77::1`, `fe80::1%eth0`. Rejected: `192.168.1`, `fe80::1%`, `fd77::1%eth0`.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address family.
    public enum Family: Hashable, Sendable {
        /// 4 bytes; an A record.
        case ipv4
        /// 16 bytes; an AAAA record.
        case ipv6
    }

    /// The 4 or 16 bytes of the address, in network order.
    public let bytes: [UInt8]
    /// The interface of a link-local IPv6 address; nil for all other addresses. It is a name such as `eth0`.
    /// It is an index such as `2` only if the parsed text had one, or if the interface no longer exists.
    public let scope: String?

    /// Creates an address from its bytes; nil unless there are 4 or 16. The scope is kept only for addresses
    /// in fe80::/10.
    public init?(bytes: some Sequence<UInt8>, scope: String? = nil) {
        let bytes = Array(bytes)
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        self.scope = NetworkAddress.isIPv6LinkLocal(bytes) ? scope : nil
    }

    private init(fourBytes bytes: [UInt8]) { (self.bytes, scope) = (bytes, nil) }

    /// The first 12 bytes of an IPv4-mapped IPv6 address (RFC 4291 § 2.5.5.2).
    static let mappedPrefix: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// 0.0.0.0, the wildcard address.
    static let anyIPv4 = NetworkAddress(fourBytes: [0, 0, 0, 0])

    /// Parses an address in the form of ``description``; nil for anything else, including host names.
    public init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        // The longest form in RFC 4291 § 2.2 has 45 characters.
        guard let address = parts.first, address.utf8.count <= 45, !address.utf8.contains(0) else {
            return nil
        }
        guard parts.count == 2 else {
            guard let bytes = NetworkAddress.parse(String(address)) else { return nil }
            self.init(bytes: bytes)
            return
        }
        guard NetworkAddress.isInterfaceName(parts[1]), let bytes = NetworkAddress.parse(String(address)),
            NetworkAddress.isIPv6LinkLocal(bytes)
        else { return nil }
        self.init(bytes: bytes, scope: String(parts[1]))
    }

    /// IPv4 or IPv6.
    public var family: Family { bytes.count == 4 ? .ipv4 : .ipv6 }

    /// `192.168.1.20`, `fd77::1` (RFC 5952), `fe80::1%eth0`.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = family == .ipv4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
        let address = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return scope.map { "\(address)%\($0)" } ?? address
    }

    /// The address with a port, IPv6 in brackets (RFC 3986 § 3.2.2): `[fe80::1%eth0]:8000`.
    public func description(withPort port: UInt16) -> String {
        family == .ipv4 ? "\(self):\(port)" : "[\(self)]:\(port)"
    }

    private static func parse(_ text: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    /// True for a valid Linux interface name or index: 1–15 bytes without space, slash or colon. Only ASCII
    /// is accepted here, because the text may come from a file or the command line.
    private static func isInterfaceName(_ text: Substring) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/:%".utf8.contains($0) }
    }
}

// Address categories as in RFC 6890.
extension NetworkAddress {
    /// 127.0.0.0/8 and ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// 0.0.0.0 and ::.
    public var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// 224.0.0.0/4 and ff00::/8.
    public var isMulticast: Bool { family == .ipv4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF }

    /// 169.254.0.0/16 (RFC 3927) and fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? bytes[0] == 169 && bytes[1] == 254 : NetworkAddress.isIPv6LinkLocal(bytes)
    }

    /// 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 (RFC 1918) and fc00::/7 (RFC 4193).
    public var isPrivate: Bool {
        guard family == .ipv4 else { return bytes[0] & 0xFE == 0xFC }
        return bytes[0] == 10 || (bytes[0] == 172 && bytes[1] & 0xF0 == 16)
            || (bytes[0] == 192 && bytes[1] == 168)
    }

    /// 100.64.0.0/10, which carriers and overlay networks share (RFC 6598).
    package var isShared: Bool { family == .ipv4 && bytes[0] == 100 && bytes[1] & 0xC0 == 64 }

    /// 2000::/3, the allocated global unicast addresses (RFC 4291 § 2.4).
    public var isGlobalIPv6: Bool { family == .ipv6 && bytes[0] & 0xE0 == 0x20 }

    private static func isIPv6LinkLocal(_ bytes: [UInt8]) -> Bool {
        bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
}
