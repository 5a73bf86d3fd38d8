package import Addresses

/// Which of a hub's addresses a connection may use.
package enum AddressKind: Equatable, Sendable {
    case any
    /// One family only. The hub counts attempts for the IPv4 address of this device and for its IPv6 /64
    /// apart. A neighbour in the same /64 can use up those of the /64, never those of the IPv4 address.
    case only(NetworkAddress.Family)
    /// Valid later too. A link-local address is not: it is valid on one interface of this machine, whose name
    /// may be another after the next start (RFC 4007 § 11).
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
    /// True for names, and for addresses that are valid later too.
    var isLasting: Bool {
        if case .address(let address) = host { AddressKind.lasting.includes(address) } else { true }
    }

    /// The other family: IPv4 if this address is IPv6, and the other way round.
    var otherFamily: AddressKind {
        guard case .address(let address) = host else { return .any }
        return .only(address.family == .ipv4 ? .ipv6 : .ipv4)
    }
}
