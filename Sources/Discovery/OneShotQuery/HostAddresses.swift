/// The current A and AAAA records of hosts, as an mDNS stack reports them.
///
/// A pure value: the stack's events go in, the resulting sightings come out.
struct HostAddresses: Sendable {
    struct Host: Hashable, Sendable {
        let name: String
        let interface: NetworkInterface
    }

    // How many times each record is present: once per address family of the packets that carried it.
    private var counts: [Host: [NetworkAddress: Int]] = [:]
    // Addresses that were seen before the stack was lost, and not again since.
    private var stale: [Host: Set<NetworkAddress>] = [:]

    /// Adds a record; returns the sighting if the address is new.
    mutating func add(_ address: NetworkAddress, of host: Host) -> Sighting? {
        stale[host]?.remove(address)
        let known = counts[host] ?? [:]
        guard known[address] != nil || known.count < HubListing.maximumAddresses else { return nil }
        counts[host, default: [:]][address, default: 0] += 1
        guard known[address] == nil else { return nil }
        return .changed(address, host: host.name, interface: host.interface)
    }

    /// Removes a record; returns the sighting if no other family still carries the address.
    mutating func remove(_ address: NetworkAddress, of host: Host) -> Sighting? {
        guard let count = counts[host]?[address] else { return nil }
        counts[host]?[address] = count > 1 ? count - 1 : nil
        return count > 1 ? nil : .gone(.address(address, host: host.name, interface: host.interface))
    }

    mutating func forget(_ host: Host) { (counts[host], stale[host]) = (nil, nil) }

    /// The stack was lost: every known address becomes stale.
    mutating func interrupt() {
        for (host, addresses) in counts { stale[host, default: []].formUnion(addresses.keys) }
        counts = [:]
    }

    /// Removes what is still stale; to be called when a new stack has had time to see the addresses again.
    mutating func removeStale() -> [Sighting] {
        defer { stale = [:] }
        return stale.flatMap { host, addresses in
            addresses.map { .gone(.address($0, host: host.name, interface: host.interface)) }
        }
    }
}
