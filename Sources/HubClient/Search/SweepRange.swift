package import Addresses
package import Identity

/// The addresses that a sweep tries.
///
///     range = address [ "/" prefix ]  ; prefix: 20–32 for IPv4, 116–128 for IPv6; default: 32 or 128
///
/// All addresses must be private, link-local or loopback: a sweep of other networks looks like an attack. The
/// bits after the prefix are ignored.
///
/// Accepted: `192.168.1.0/24`, `10.0.0.7`, `fd77::/120`, `fe80::%eth0/120`.
/// Rejected: `192.168.1`, `10.0.0.0/8`, `8.8.8.0/24`, `192.168.1.0/+24`.
package struct SweepRange: Hashable, Sendable, CustomStringConvertible {
    /// 4,096 addresses: a /20 of IPv4.
    package static let maximumHostBits = 12

    private let network: NetworkAddress
    private let prefix: Int

    /// - Throws: ``SweepRangeError/notCIDR(_:)`` for a text of another form; another case if the range is too
    ///   large, not local, or lacks its interface.
    package init(_ text: String) throws(SweepRangeError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = NetworkAddress(String(parts[0]))?.withScopeName
        else { throw .notCIDR(text) }
        let bits = address.bytes.count * 8
        guard let prefix = parts.count == 1 ? bits : UInt8(digits: parts[1]).map(Int.init), prefix <= bits
        else { throw .notCIDR(text) }
        try self.init(address, prefix: prefix)
    }

    package init(_ address: NetworkAddress, prefix: Int) throws(SweepRangeError) {
        let bits = address.bytes.count * 8
        guard (0...bits).contains(prefix) else { throw .notCIDR("\(address)/\(prefix)") }
        var bytes = address.bytes
        for bit in prefix..<bits { bytes[bit / 8] &= ~(UInt8(0x80) >> UInt8(bit % 8)) }
        guard let network = NetworkAddress(bytes: bytes, scope: address.scope) else {
            throw .notCIDR("\(address)/\(prefix)")
        }
        self.network = network
        self.prefix = prefix
        guard bits - prefix <= SweepRange.maximumHostBits else {
            guard network.family == .ipv4 else { throw .tooLargeIPv6(description) }
            throw .tooLarge(text: description, smallest: bits - SweepRange.maximumHostBits)
        }
        guard network.isPrivate || network.isLinkLocal || network.isLoopback else {
            throw .notLocal(description)
        }
        guard !(network.isLinkLocal && network.family == .ipv6 && network.scope == nil) else {
            throw .noScope(description)
        }
    }

    /// The range of this machine's network, or the /22 around its address if the network is larger; nil if
    /// there is no private IPv4 network.
    package init?(around networks: [LocalNetwork]) {
        let own = networks.first { network in
            network.address.family == .ipv4 && network.address.isPrivate && network.prefixLength <= 30
        }
        guard let own, let range = try? SweepRange(own.address, prefix: max(own.prefixLength, 22)) else {
            return nil
        }
        self = range
    }

    /// The addresses of all hosts, in order: at most 4,096. The network and broadcast addresses of IPv4 are
    /// excluded.
    package var addresses: [NetworkAddress] {
        let count = 1 << (network.bytes.count * 8 - prefix)
        let hasBroadcast = network.family == .ipv4 && count > 2
        return (hasBroadcast ? 1..<count - 1 : 0..<count).compactMap { number in
            var bytes = network.bytes
            bytes[bytes.count - 1] |= UInt8(number & 0xFF)
            bytes[bytes.count - 2] |= UInt8(number >> 8 & 0xFF)
            return NetworkAddress(bytes: bytes, scope: network.scope)
        }
    }

    /// `192.168.1.0/24`.
    package var description: String { "\(network)/\(prefix)" }
}

package enum SweepRangeError: Equatable, UserError {
    case notCIDR(String)
    case tooLarge(text: String, smallest: Int)
    /// An IPv6 network: even the smallest has more addresses than can be tried in a life.
    case tooLargeIPv6(String)
    case notLocal(String)
    case noScope(String)

    package var description: String {
        switch self {
        case .notCIDR(let text): "\"\(text)\" is not a range of addresses"
        case .tooLarge(let text, let smallest): "\(text) is too large to sweep: at most a /\(smallest)"
        case .tooLargeIPv6(let text): "IPv6 networks cannot be swept: \(text) has too many addresses"
        case .notLocal(let text): "\(text) is not a private, link-local or loopback network"
        case .noScope(let text): "\(text) is link-local: the interface is missing"
        }
    }

    package var kind: UserErrorKind { .usage }

    package var hint: String? {
        switch self {
        case .notCIDR: "write it like 192.168.1.0/24, or one address alone like 192.168.1.5"
        case .tooLarge: "sweep the part where the hub is, such as the /24 of its address"
        case .tooLargeIPv6: "give the hub's address alone, like --scan fd77::1"
        case .notLocal: "hubs are on the local network: 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, fc00::/7"
        case .noScope: "write it like fe80::%eth0/120"
        }
    }
}
