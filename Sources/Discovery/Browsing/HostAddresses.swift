/// The A and AAAA records of hosts, as an mDNS stack sees them: which addresses are there.
///
/// A pure value: what the stack says comes in, what is news comes out.
struct HostAddresses: Sendable {
    struct Host: Hashable, Sendable {
        let name: String
        let interface: NetworkInterface
    }

    // How often each is known: once for each family of packets that brought the record.
    private var counts: [Host: [NetworkAddress: Int]] = [:]
    // Seen before the stack went away, and not again since.
    private var stale: [Host: Set<NetworkAddress>] = [:]

    /// A record came.
    mutating func add(_ address: NetworkAddress, of host: Host) -> Sighting? {
        stale[host]?.remove(address)
        let known = counts[host] ?? [:]
        guard known[address] != nil || known.count < HubListing.maximumAddresses else { return nil }
        counts[host, default: [:]][address, default: 0] += 1
        guard known[address] == nil else { return nil }
        return .address(address, host: host.name, interface: host.interface)
    }

    /// A record went.
    mutating func remove(_ address: NetworkAddress, of host: Host) -> Sighting? {
        guard let count = counts[host]?[address] else { return nil }
        counts[host]?[address] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : .addressGone(address, host: host.name, interface: host.interface)
    }

    /// The stack is gone.
    mutating func interrupt() {
        for (host, addresses) in counts { stale[host, default: []].formUnion(addresses.keys) }
        counts = [:]
    }

    /// A new stack has had the time to see again what the old one saw.
    mutating func removeStale() -> [Sighting] {
        defer { stale = [:] }
        return stale.flatMap { host, addresses in
            addresses.map { .addressGone($0, host: host.name, interface: host.interface) }
        }
    }
}
