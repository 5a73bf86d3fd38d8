/// One address of this machine with its network. ``HubAddressRules`` use it to decide which addresses are
/// local.
public struct LocalNetwork: Hashable, Sendable {
    /// The interface's name, 1–15 bytes.
    public let interface: String
    /// This machine's address on that network.
    public let address: NetworkAddress
    /// The length of the network prefix in bits: 0–32 or 0–128.
    public let prefixLength: Int
    /// True if the interface supports multicast and is not a point-to-point link: mDNS works there.
    public let isMulticast: Bool

    /// The network of `address` with this prefix length, which is limited to the valid range.
    public init(interface: String, address: NetworkAddress, prefixLength: Int, isMulticast: Bool = true) {
        self.interface = interface
        self.address = address
        self.isMulticast = isMulticast
        self.prefixLength = min(max(prefixLength, 0), address.bytes.count * 8)
    }

    /// True if `other` is on this network; family and scope must be equal.
    public func contains(_ other: NetworkAddress) -> Bool {
        guard other.family == address.family, other.scope == address.scope else { return false }
        return zip(address.bytes, other.bytes).enumerated().allSatisfy { index, pair in
            (pair.0 ^ pair.1) & mask(at: index) == 0
        }
    }

    /// True if `other` is this network's directed IPv4 broadcast address (RFC 919 § 7). Networks of one or
    /// two addresses have none (RFC 3021).
    package func isBroadcast(_ other: NetworkAddress) -> Bool {
        guard other.family == .ipv4, prefixLength <= 30, contains(other) else { return false }
        return other.bytes.enumerated().allSatisfy { $1 | mask(at: $0) == 0xFF }
    }

    package func mask(at index: Int) -> UInt8 {
        let bits = min(max(prefixLength - index * 8, 0), 8)
        return bits == 0 ? 0 : 0xFF << UInt8(8 - bits)
    }
}
