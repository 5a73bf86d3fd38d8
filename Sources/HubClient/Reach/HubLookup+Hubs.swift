import Identity

extension HubLookup {
    /// All hubs that are found until the network is quiet, which takes about two seconds.
    ///
    /// - Returns: each id once, however often it is announced: a copy of it fails in the handshake. Sorted by
    ///   their names. Of several that a name fits, those that it fits best.
    package func hubs() async throws -> [FoundHub] {
        var announced: [Fingerprint: [FoundHub]] = [:]
        for try await hub in found { announced[hub.id, default: []].append(hub) }
        var hubs = announced.map { id, same in
            FoundHub(id: id, name: same.first?.name ?? "-", addresses: same.flatMap(\.addresses))
        }
        if case .name(let wanted) = target {
            let ranks = hubs.map { PeerSelector.rank(wanted, of: $0.name) ?? .max }
            hubs = zip(hubs, ranks).filter { $0.1 == ranks.min() }.map(\.0)
        }
        return hubs.sorted { ($0.name, $0.id.description) < ($1.name, $1.id.description) }
    }
}
