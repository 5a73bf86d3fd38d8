/// A network interface of this machine that is up, as far as UDP discovery needs it.
struct UDPLink: Hashable, Sendable {
    let interface: NetworkInterface
    let isLoopback: Bool
    let canBroadcast: Bool
    let canMulticast: Bool
    var networks: [LocalNetwork] = []
}

/// A snapshot of this machine's links: the destinations of probes, and which sources are on a link. A value,
/// so that both can be tested.
struct UDPLinks: Hashable, Sendable {
    /// The maximum number of interfaces; a container host may have thousands.
    static let maximumLinks = 64
    /// The all-nodes multicast address ff02::1 (RFC 4291 § 2.7.1). Every node is a member without joining.
    static let allNodes: [UInt8] = [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [1]
    static let limitedBroadcast: [UInt8] = [255, 255, 255, 255]

    /// By interface index.
    let links: [UInt32: UDPLink]

    init(_ links: [UDPLink]) {
        let first = links.sorted { $0.interface.index < $1.interface.index }.prefix(UDPLinks.maximumLinks)
        self.links = Dictionary(first.map { ($0.interface.index, $0) }, uniquingKeysWith: { one, _ in one })
    }

    /// The destinations that reach every host: on a link with broadcast, each directed broadcast address and
    /// 255.255.255.255; on a link with link-local IPv6, ff02::1; on loopback, this machine's loopback
    /// addresses.
    func targets(port: UInt16) -> [UDPPath] {
        links.values.sorted { $0.interface.index < $1.interface.index }.flatMap { link in
            var addresses: [[UInt8]] = []
            if link.isLoopback {
                addresses = link.networks.filter { $0.address.isLoopback }.map(\.address.bytes)
            } else {
                if link.canBroadcast, link.networks.contains(where: { $0.address.family == .ipv4 }) {
                    addresses += Set(link.networks.compactMap(\.broadcastAddress))
                        .sorted { $0.lexicographicallyPrecedes($1) }
                    addresses.append(UDPLinks.limitedBroadcast)
                }
                if link.canMulticast,
                    link.networks.contains(where: { $0.address.family == .ipv6 && $0.address.isLinkLocal })
                {
                    addresses.append(UDPLinks.allNodes)
                }
            }
            return addresses.map { UDPPath(peer: $0, port: port, interface: link.interface.index) }
        }
    }

    /// Sends a datagram to all of ``targets(port:)``; `sent` gets 0 or the errno of each.
    func send(_ bytes: [UInt8], to port: UInt16, through sockets: [UDPSocket], sent: (Int32) -> Void) {
        for target in targets(port: port) {
            sockets.first { $0.family == target.family }.map { sent($0.send(bytes, along: target)) }
        }
    }

    /// The source address of a datagram received on `interface`, if it is on that link; nil if a router
    /// forwarded it or if no host can have the address.
    ///
    /// What this machine sends to itself arrives on loopback, from any of its own addresses.
    func onLinkSource(_ bytes: [UInt8], on interface: UInt32) -> NetworkAddress? {
        guard let link = links[interface],
            let address = NetworkAddress(bytes: bytes, scope: link.interface.name),
            !address.isUnspecified, !address.isMulticast, bytes != UDPLinks.limitedBroadcast,
            !link.networks.contains(where: { $0.isBroadcast(address) })
        else { return nil }
        if link.isLoopback { return address.isLoopback ? address : ownAddress(bytes) }
        guard !address.isLoopback else { return nil }
        return link.networks.contains { $0.contains(address) } ? address : nil
    }

    /// The address of this machine with these bytes, a link-local IPv6 address with its link.
    private func ownAddress(_ bytes: [UInt8]) -> NetworkAddress? {
        links.values.lazy.flatMap(\.networks).first { $0.address.bytes == bytes }?.address
    }

    /// The current links; empty if the system does not report them.
    static func current() -> UDPLinks {
        var links: [String: UDPLink] = [:]
        for entry in InterfaceEntry.all() where entry.isUp {
            guard let network = entry.network else { continue }
            if links[entry.name] == nil, let interface = NetworkInterface(named: entry.name) {
                links[entry.name] = UDPLink(
                    interface: interface, isLoopback: entry.isLoopback, canBroadcast: entry.canBroadcast,
                    canMulticast: entry.canMulticast)
            }
            // Nil if the interface was removed in the meantime.
            links[entry.name]?.networks.append(network)
        }
        return UDPLinks(Array(links.values))
    }
}

extension LocalNetwork {
    /// The directed broadcast address, with all host bits set (RFC 919 § 7): 4 bytes. Nil for IPv6, and for
    /// IPv4 networks of one or two addresses (RFC 3021).
    var broadcastAddress: [UInt8]? {
        guard address.family == .ipv4, prefixLength > 0, prefixLength <= 30 else { return nil }
        return address.bytes.enumerated().map { $1 | ~mask(at: $0) }
    }
}
