package import Identity

/// A hub that says that it can be paired with. Nothing of it is proven before the handshake.
package struct FoundHub: Hashable, Sendable {
    package let id: Fingerprint
    /// From the network: escape it.
    package let name: String
    /// The best first.
    let addresses: [HubAddress]
}

/// The hubs on the network that a device can be paired with, for a typed code: it does not say which hub it
/// is of.
package struct FindHubs: Sendable {
    let target: HubLookup.Target

    init(_ target: HubLookup.Target) { self.target = target }

    /// All that announce a fingerprint.
    package init() { self.init(.any) }

    /// Listens until the network is quiet, for about two seconds.
    ///
    /// - Returns: each id once, however often it is announced: a copy of it fails in the handshake. Sorted by
    ///   their names. Of several that a name fits, those that it fits best.
    package func run() async throws -> [FoundHub] {
        var found: [Fingerprint: [HubLookup.Candidate]] = [:]
        for try await candidate in HubLookup(target: target).candidates {
            found[candidate.id, default: []].append(candidate)
        }
        var hubs = found.map { id, candidates in
            FoundHub(
                id: id, name: candidates.first?.name ?? "-",
                addresses: candidates.flatMap(\.addresses))
        }
        if case .name(let wanted) = target {
            let ranks = hubs.map { PeerSelector.rank(wanted, of: $0.name) ?? .max }
            hubs = zip(hubs, ranks).filter { $0.1 == ranks.min() }.map(\.0)
        }
        return hubs.sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }
    }
}
