package import Addresses

/// Which of a hub's addresses a connection may use.
package enum AddressKind: Equatable, Sendable {
    case any
    /// One address family only. The hub counts pairing attempts separately for this computer's IPv4 address
    /// and its IPv6 /64. A neighbour in the same /64 can use up that limit, but not the limit of the IPv4
    /// address.
    case only(NetworkAddress.Family)
    /// Addresses that stay valid. A link-local address does not: it is valid on one interface of this
    /// machine, whose name may change with the next start (RFC 4007 § 11).
    case lasting

    func includes(_ address: NetworkAddress) -> Bool {
        switch self {
        case .any: true
        case .only(let family): address.family == family
        case .lasting: !address.isLinkLocal
        }
    }
}

extension HubAddress {
    /// True for host names, and for addresses that stay valid.
    var isLasting: Bool {
        if case .address(let address) = host { AddressKind.lasting.includes(address) } else { true }
    }

    /// The other address family: IPv4 if this address is IPv6, and vice versa. `any` for a host name.
    var otherFamily: AddressKind {
        guard case .address(let address) = host else { return .any }
        return .only(address.family == .ipv4 ? .ipv6 : .ipv4)
    }
}
