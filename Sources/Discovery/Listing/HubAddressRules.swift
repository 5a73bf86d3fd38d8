public import Identity

/// Decides which announced addresses can belong to a hub on the local network, and in which order to try
/// them.
///
/// Any host can announce any address over mDNS. The threat is a record that sends every device of the home to
/// a server on the internet, to a service on the device itself, or to a whole subnet. A pin makes the TLS
/// handshake with a wrong server fail; these rules prevent the connection itself.
public struct HubAddressRules: Sendable {
    /// The networks to which this machine is connected.
    public var networks: [LocalNetwork]

    /// Rules for a machine that is connected to `networks`.
    public init(networks: [LocalNetwork]) {
        self.networks = networks
    }

    /// Throws unless `address` and `port`, resolved on the interface `interface`, can belong to a hub.
    ///
    /// Accepted: private and link-local addresses, global IPv6 addresses, and every address on one of this
    /// machine's networks, including its own. A loopback address is accepted only if it was resolved on the
    /// loopback interface: then the hub runs on this machine.
    public func check(
        _ address: NetworkAddress, port: UInt16, on interface: String
    ) throws(HubAddressError) {
        guard port != 0 else { throw .portZero }
        guard !address.isUnspecified else { throw .unspecified(address) }
        guard !address.isMulticast else { throw .multicast(address) }
        if address.isLoopback {
            guard networks.contains(where: { $0.interface == interface && $0.address.isLoopback }) else {
                throw .loopback(address)
            }
            return
        }
        guard address.bytes != [255, 255, 255, 255], !networks.contains(where: { $0.isBroadcast(address) })
        else { throw .broadcast(address) }
        guard address.isPrivate || address.isLinkLocal || address.isGlobalIPv6 || isOnLink(address) else {
            throw .notLocal(address)
        }
    }

    /// Throws unless `address` and `port`, which name servers gave, can belong to a hub.
    ///
    /// Accepted: every address that can be routed to, private or public: a domain is larger than one link,
    /// and the user has named it. Refused beside what ``check(_:port:on:)`` refuses: loopback, which would be
    /// this machine whatever the domain's owner means, and link-local addresses, since a record names no
    /// link.
    public func checkUnicast(_ address: NetworkAddress, port: UInt16) throws(HubAddressError) {
        guard port != 0 else { throw .portZero }
        guard !address.isUnspecified else { throw .unspecified(address) }
        guard !address.isMulticast else { throw .multicast(address) }
        guard !address.isLoopback else { throw .loopback(address) }
        guard !networks.contains(where: { $0.isBroadcast(address) }) else { throw .broadcast(address) }
        guard !address.isLinkLocal else { throw .linkLocal(address) }
        // 0.0.0.0/8, 240.0.0.0/4 with 255.255.255.255, and all of IPv6 that is neither global nor ULA.
        let isRoutable =
            address.family == .ipv4
            ? (1..<240).contains(address.bytes[0]) : address.isGlobalIPv6 || address.isPrivate
        guard isRoutable else { throw .notRoutable(address) }
    }

    /// True if `address` may be tried because a code names it: a host on a link of this machine, or this
    /// machine. Whoever draws a code could else have it connect anywhere on the internet, or behind a router.
    package func isOnOwnLink(_ address: NetworkAddress) -> Bool {
        guard !address.isUnspecified, !address.isMulticast, address.bytes != [255, 255, 255, 255],
            !networks.contains(where: { $0.isBroadcast(address) })
        else { return false }
        return address.isLoopback || isOnLink(address)
    }

    /// The check for how an instance was learned.
    func check(
        _ address: NetworkAddress, port: UInt16, of instance: ServiceInstance
    ) throws(HubAddressError) {
        if instance.isUnicast { return try checkUnicast(address, port: port) }
        try check(address, port: port, on: instance.interface.name)
    }

    /// Sorts addresses: those that work for most programs come before those that need a router, a scope, or
    /// this machine.
    ///
    /// 1. IPv4 on one of this machine's networks
    /// 2. IPv6 on one of this machine's networks
    /// 3. private IPv4 elsewhere
    /// 4. other IPv6
    /// 5. link-local IPv6
    /// 6. link-local IPv4
    /// 7. loopback
    ///
    /// Within a rank, addresses are sorted by their bytes, so that the result does not depend on the order of
    /// arrival.
    public func bestFirst(_ addresses: some Collection<NetworkAddress>) -> [NetworkAddress] {
        bestFirst(addresses) { _ in 0 }
    }

    /// The same, where what is known of an address decides before its kind does, but not before that it
    /// needs a scope, or is this machine's alone.
    func bestFirst(
        _ addresses: some Collection<NetworkAddress>, evidence: (NetworkAddress) -> Int
    ) -> [NetworkAddress] {
        addresses.map { address in
            let rank = rank(address)
            return (rank: rank < 5 ? evidence(address) * 5 + rank : 100 + rank, address: address)
        }.sorted { one, other in
            if one.rank != other.rank { return one.rank < other.rank }
            if one.address.bytes != other.address.bytes {
                return one.address.bytes.lexicographicallyPrecedes(other.address.bytes)
            }
            return (one.address.scope ?? "") < (other.address.scope ?? "")
        }.map(\.address)
    }

    private func rank(_ address: NetworkAddress) -> Int {
        if address.isLoopback { return 7 }
        switch (address.family, address.isLinkLocal) {
        case (.ipv4, true): return 6
        case (.ipv6, true): return 5
        case (.ipv4, false): return isOnLink(address) ? 1 : 3
        case (.ipv6, false): return isOnLink(address) ? 2 : 4
        }
    }

    /// True if it is this machine's own address, and none of these interfaces'.
    func isOwn(_ address: NetworkAddress, elsewhereThanOn interfaces: Set<NetworkInterface>) -> Bool {
        let own = networks.filter { $0.address == address }
        return !own.isEmpty && !own.contains { one in interfaces.contains { $0.name == one.interface } }
    }

    func isOnLink(_ address: NetworkAddress) -> Bool {
        networks.contains { !$0.address.isLoopback && $0.contains(address) }
    }
}

/// Why an announced address cannot belong to a hub.
public enum HubAddressError: Hashable, UserError {
    /// The SRV record names port 0.
    case portZero
    /// 0.0.0.0 or ::.
    case unspecified(NetworkAddress)
    /// A multicast address.
    case multicast(NetworkAddress)
    /// 255.255.255.255 or the broadcast address of a network of this machine.
    case broadcast(NetworkAddress)
    /// A loopback address that was announced over the network.
    case loopback(NetworkAddress)
    /// A public or special-purpose IPv4 address that is not on a network of this machine.
    case notLocal(NetworkAddress)
    /// A link-local address from a name server.
    case linkLocal(NetworkAddress)
    /// An address that no host has.
    case notRoutable(NetworkAddress)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .portZero: "port 0 cannot be connected to"
        case .unspecified(let address): "\(address) is not the address of a host"
        case .multicast(let address): "\(address) is a multicast address"
        case .broadcast(let address): "\(address) is a broadcast address"
        case .loopback(let address): "\(address) was announced over the network, but it is this machine"
        case .notLocal(let address): "\(address) is not on the local network"
        case .linkLocal(let address): "\(address) is valid on one link only, and DNS does not say on which"
        case .notRoutable(let address): "\(address) is not the address of a host"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .linkLocal, .notRoutable: "correct the domain's records: 'hubpair hub records' says the hub's"
        default: "correct what the hub announces: an address on this network"
        }
    }
}
