/// Which instances need no question of their own: their service is resolved on the same interface over the
/// other address family, and its host speaks this one, too. The addresses of such a host in both families are
/// known from its A and AAAA records.
///
/// A resolver costs round trips over the bus. With 200 hubs on one host half of the 400 are left out.
///
/// Two servers that bear one name, each in one family, are both asked for: neither answers in the family of
/// the other.
///
/// A pure value.
struct SecondWays: Sendable {
    private struct Way: Hashable {
        let host: HostAddresses.Host
        let family: NetworkAddress.Family
    }

    // The ways over which a host has answered a one-shot query itself.
    private var direct: Set<Way> = []
    // The hosts that have answered for each name.
    private var hosts: [[UInt8]: Set<HostAddresses.Host>] = [:]
    // By name.
    private var leftOut: [[UInt8]: [(instance: ServiceInstance, domain: [UInt8])]] = [:]

    mutating func noteDirect(
        _ host: String, on interface: NetworkInterface, _ family: NetworkAddress.Family
    ) {
        guard direct.count < BrowseBook.maximumHints else { return }
        direct.insert(Way(host: SecondWays.host(host, interface), family: family))
    }

    mutating func noteAnswer(_ service: ResolvedService) {
        let instance = service.instance
        hosts[instance.nameBytes, default: []].insert(SecondWays.host(service.host, instance.interface))
    }

    /// True if `instance` need not be asked for. It is kept, in case the answer that makes it so is taken
    /// back.
    mutating func leavesOut(_ instance: ServiceInstance, domain: [UInt8]) -> Bool {
        let isKnown = hosts[instance.nameBytes]?.contains { host in
            host.interface == instance.interface && direct.contains(Way(host: host, family: instance.family))
        }
        guard isKnown == true else { return false }
        leftOut[instance.nameBytes, default: []].append((instance, domain))
        return true
    }

    /// An instance of this name is gone: what was left out for it, which must be asked for now.
    mutating func forget(_ name: [UInt8]) -> [(instance: ServiceInstance, domain: [UInt8])] {
        hosts[name] = nil
        return leftOut.removeValue(forKey: name) ?? []
    }

    private static func host(_ name: String, _ interface: NetworkInterface) -> HostAddresses.Host {
        HostAddresses.Host(name: name.lowercased(), interface: interface)
    }
}
