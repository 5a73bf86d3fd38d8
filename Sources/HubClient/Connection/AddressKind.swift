package import Addresses

/// Which of a hub's addresses a connection may use.
package enum AddressKind: Equatable, Sendable {
    case any
    /// One family only. To the hub a device is two sources, its IPv4 address and its IPv6 /64; a neighbour in the same
    /// /64 can use up the attempts of that one, never of the other.
    case only(NetworkAddress.Family)
    /// Good for later too: not a link-local one, which means something on one of this machine's interfaces only, and
    /// under a name that the next start may change (RFC 4007 § 11).
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
    /// True for names, and for addresses that are good for later too.
    var isLasting: Bool {
        if case .address(let address) = host { AddressKind.lasting.includes(address) } else { true }
    }

    /// The kind that this address is not of: IPv4 if it is IPv6, and the other way round.
    var otherFamily: AddressKind {
        guard case .address(let address) = host else { return .any }
        return .only(address.family == .ipv4 ? .ipv6 : .ipv4)
    }
}
