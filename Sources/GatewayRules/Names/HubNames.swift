package import Addresses

/// All names and addresses by which browsers may reach a hub: what its certificates stand for, which `Host`
/// it takes, and what goes into addresses for people all come from this value.
///
/// Only names that others cannot own are taken without being asked: a page of another site may give its own
/// name the hub's address (DNS rebinding), and must not become the hub's. So a name from a router
/// (`kitchen.fritz.box`) counts once the owner has said it.
package struct HubNames: Equatable, Sendable {
    /// From where a name is known.
    package enum Origin: String, CaseIterable, Sendable {
        /// A certificate that the owner has installed.
        case certificate
        /// What multicast DNS has given this machine.
        case announced
        /// The machine's host name, in a zone that belongs to homes.
        case machine
        /// An address of one of this machine's interfaces.
        case link
        /// What the owner has added: `hosts` in the settings.
        case settings
        /// An address from outside that the owner has named: `hub ways`.
        case way
        case loopback
    }

    /// Which certificate stands for it.
    package enum Leaf: Sendable, CaseIterable {
        /// The one that every hub has: `local`, `home.arpa`, private and link-local addresses.
        case home
        /// The one for what version 0.1 did not certify: `internal`, and addresses that carriers and overlay
        /// networks share (RFC 6598). One certificate for both would fail, as a whole, in a browser that
        /// trusts a hub's certificate from before.
        case wide
        /// The one that the owner has installed.
        case installed
    }

    package struct Entry: Equatable, Sendable {
        package let host: WebHost
        package let origin: Origin
        /// The interface of an address.
        package let interface: String?
        /// Nil: it counts as the hub's, and no certificate of the hub's own may stand for it.
        package let leaf: Leaf?
    }

    /// Where the names come from.
    package struct Sources: Equatable, Sendable {
        /// The machine's host name (gethostname(2)), of any form.
        package var machine = ""
        /// The domains of the network, by its router's word (resolv.conf(5)).
        package var domains: [String] = []
        /// What the machine is called in multicast DNS, the name for people first; empty: nobody has said.
        package var announced: [String] = []
        package var networks: [LocalNetwork] = []
        /// The addresses that the hub listens on; empty: all.
        package var listen: [NetworkAddress] = []
        package var added: [WebHost] = []
        package var ways: [WebHost] = []
        /// The names in the installed certificate.
        package var installed: [String] = []

        package init() {}
    }

    /// Below these nobody outside of a home can have a name: RFC 6762, RFC 8375, RFC 6761.
    package static let homeDomains = ["local", "home.arpa", "localhost"]
    /// The same, kept for private use by ICANN since 2024.
    package static let wideDomains = ["internal"]
    /// How many addresses a certificate names: one with thousands would be larger than clients take.
    package static let maximumCertified = 100

    package let sources: Sources
    package let entries: [Entry]
    private let hosts: Set<WebHost>

    package init(_ sources: Sources) {
        self.sources = sources
        var entries: [Entry] = []
        var hosts: Set<WebHost> = []
        let installed = Set(sources.installed.compactMap { WebHost($0) })
        func add(_ host: WebHost?, _ origin: Origin, interface: String? = nil) {
            guard let host, hosts.insert(host).inserted else { return }
            let leaf = installed.contains(host) ? .installed : HubNames.leaf(of: host)
            entries.append(Entry(host: host, origin: origin, interface: interface, leaf: leaf))
        }
        for name in sources.installed { add(WebHost(name), .certificate) }
        for name in sources.announced { add(WebHost(name), .announced) }
        for name in HubNames.machineNames(sources) { add(WebHost(name), .machine) }
        for network in sources.networks.sorted(by: HubNames.goesFirst) where !network.address.isLoopback {
            add(WebHost(network.address), .link, interface: network.interface)
        }
        for host in sources.added { add(host, .settings) }
        for host in sources.ways { add(host, .way) }
        for text in ["localhost", "127.0.0.1", "::1"] { add(WebHost(text), .loopback) }
        for network in sources.networks where network.address.isLoopback {
            add(WebHost(network.address), .loopback, interface: network.interface)
        }
        (self.entries, self.hosts) = (entries, hosts)
    }

    /// True if it is the hub's. Loopback addresses are, all of them.
    package func contains(_ host: WebHost) -> Bool {
        if case .address(let address) = host, address.isLoopback { return true }
        return hosts.contains(host)
    }

    /// What one of the hub's certificates stands for.
    package func certified(_ leaf: Leaf) -> (names: [String], addresses: [NetworkAddress]) {
        var names: [String] = []
        var addresses: [NetworkAddress] = []
        for entry in entries where entry.leaf == leaf {
            switch entry.host {
            case .name(let name): names.append(name)
            case .address(let address): addresses.append(address)
            }
        }
        // Loopback is last, and is not what a long list may push out.
        let loopback = addresses.filter(\.isLoopback)
        let others = addresses.filter { !$0.isLoopback }.prefix(HubNames.maximumCertified)
        return (Array(names.prefix(HubNames.maximumCertified)), Array(others) + Array(loopback.prefix(4)))
    }

    /// The certificate of the hub's own that may stand for a host; nil for none.
    package static func leaf(of host: WebHost) -> Leaf? {
        switch host {
        case .name(let name):
            if isBelow(homeDomains, name) { .home } else { isBelow(wideDomains, name) ? .wide : nil }
        case .address(let address):
            if address.isLoopback || address.isPrivate || address.isLinkLocal {
                .home
            } else {
                address.isShared ? .wide : nil
            }
        }
    }

    /// `raspi.local` if nobody has said otherwise, and `raspi.home.arpa` where the network has that domain.
    private static func machineNames(_ sources: Sources) -> [String] {
        let full = sources.machine.lowercased()
        let label = full.prefix { $0 != "." }
        guard !label.isEmpty, label != "localhost" else { return [] }
        let zones = homeDomains.prefix(2).dropFirst() + wideDomains
        let domains = sources.domains.map { $0.lowercased() }.filter { isBelow(Array(zones), $0) }
        return (sources.announced.isEmpty ? ["\(label).local"] : [])
            + (isBelow(Array(zones), full) ? [full] : []) + domains.map { "\(label).\($0)" }
    }

    private static func isBelow(_ domains: [String], _ name: String) -> Bool {
        domains.contains { name == $0 || name.hasSuffix(".\($0)") }
    }

    /// IPv4 before IPv6, and what works from elsewhere before link-local; else the system's order.
    private static func goesFirst(_ one: LocalNetwork, _ other: LocalNetwork) -> Bool {
        func rank(_ network: LocalNetwork) -> Int {
            (network.address.family == .ipv4 ? 0 : 1) + (network.address.isLinkLocal ? 2 : 0)
        }
        return rank(one) < rank(other)
    }
}
