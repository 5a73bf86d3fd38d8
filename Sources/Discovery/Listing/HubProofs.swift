public import Identity

/// Keeps proofs of keys (``HubProof``), and merges them with the announced hubs into one table.
///
/// - A proof belongs to the rows that have its address and port. If servers with different keys are announced
///   as one (two Hestia servers without hubpair announce the same name and host), each gets a row of its own.
///   Addresses without a proof stay with the first of these rows.
/// - A proof that belongs to no row joins the row with the same key and port, or else becomes a row of its
///   own. An `id` alone joins nothing, because it can be copied.
/// - A proof of a known key does not belong to a row that claims to be another hub. So announcing the address
///   of a known hub under another name or `id` cannot hide it.
///
/// A pure value that keeps at most 1,024 places (address and port).
public struct HubProofs: Sendable {
    /// The maximum number of places (address and port) with proofs.
    public static let maximumCount = 1_024

    /// The maximum number of keys at one place; replies with a forged source could add more.
    private static let maximumKeys = 4

    private var places: [HubAddress: [HubProof]] = [:]
    /// When the last proof for a place came.
    private var renewed: [HubAddress: Duration] = [:]

    /// Creates a collection without proofs.
    public init() {}

    /// Adds a proof. A handshake removes the other keys that replies have claimed for its place, and later
    /// replies cannot add another key there.
    ///
    /// - Returns: false if the proof adds nothing, or if there is no room.
    public mutating func insert(_ proof: HubProof) -> Bool {
        let place = proof.place
        guard var list = places[place] else {
            if places.count >= HubProofs.maximumCount {
                // Replies with forged sources can fill the table, so a handshake may replace a place that has
                // none.
                guard proof.isHandshake,
                    let spare = places.first(where: { !$0.value.contains(where: \.isHandshake) })?.key
                else { return false }
                (places[spare], renewed[spare]) = (nil, nil)
            }
            places[place] = [proof]
            renewed[place] = proof.time
            return true
        }
        let before = list
        renewed[place] = max(renewed[place] ?? proof.time, proof.time)
        if proof.isHandshake { list.removeAll { $0.pin != proof.pin } }
        if let index = list.firstIndex(where: { $0.pin == proof.pin }) {
            list[index] = list[index].renewed(by: proof)
        } else if list.count < HubProofs.maximumKeys, !list.contains(where: \.isHandshake) {
            list.append(proof)
        }
        places[place] = list
        return list != before
    }

    /// Removes the proofs of a place.
    ///
    /// - Returns: false if there were none.
    package mutating func remove(at place: HubAddress) -> Bool {
        renewed[place] = nil
        return places.removeValue(forKey: place) != nil
    }

    /// The places whose proofs are all older.
    package func expired(before time: Duration) -> [HubAddress] {
        renewed.filter { $0.value < time }.map(\.key)
    }

    /// Removes the proofs of a place, if all are older.
    package mutating func expire(at place: HubAddress, before time: Duration) {
        if let last = renewed[place], last < time { _ = remove(at: place) }
    }

    package func contains(_ place: HubAddress) -> Bool { places[place] != nil }

    /// True if a handshake has proven a key at this place.
    package func hasHandshake(at place: HubAddress) -> Bool {
        places[place]?.contains(where: \.isHandshake) ?? false
    }

    /// The table of the `announced` rows merged with the proofs.
    ///
    /// - Parameters:
    ///   - announced: the rows of a ``HubListing``.
    ///   - rules: sorts the addresses of a row.
    ///   - known: the keys of hubs that this computer knows already.
    public func merged(
        with announced: [DiscoveredHub], rules: HubAddressRules, known: Set<Pin> = []
    ) -> [DiscoveredHub] {
        guard !places.isEmpty else { return announced }
        var rows: [DiscoveredHub] = []
        var used: Set<HubProof> = []
        for hub in announced {
            let proofs = hub.places.map { place in
                (places[place] ?? []).filter { !known.contains($0.pin) || $0.mayBe(hub) }
            }
            used.formUnion(proofs.joined())
            rows += split(hub, by: proofs)
        }
        let left = places.values.joined().filter { $0.source != nil && !used.contains($0) }
        let groups = Dictionary(grouping: left.sorted(by: HubProofs.isEarlier)) { [$0.pin: $0.port] }
        for group in groups.values.sorted(by: { HubProofs.isEarlier($0[0], $1[0]) }) {
            if let index = rows.firstIndex(where: { $0.pin == group[0].pin && $0.port == group[0].port }) {
                rows[index] = rows[index].adding(group, rules: rules)
            } else {
                rows.append(DiscoveredHub(group, rules: rules))
            }
        }
        return rows
    }

    private static func isEarlier(_ one: HubProof, _ other: HubProof) -> Bool {
        if one.time != other.time { return one.time < other.time }
        return one.address.bytes.lexicographicallyPrecedes(other.address.bytes)
    }

    /// Splits a row into one row per proven key.
    ///
    /// - Parameter proofs: for each of the hub's addresses, its proofs.
    private func split(_ hub: DiscoveredHub, by proofs: [[HubProof]]) -> [DiscoveredHub] {
        var pins: [Pin] = []
        for proof in proofs.joined() where !pins.contains(proof.pin) { pins.append(proof.pin) }
        guard !pins.isEmpty else { return [hub] }
        // The key whose fingerprint the row claims comes first; its row keeps the addresses without a proof.
        if let index = pins.firstIndex(where: { $0.fingerprint == hub.id }) { pins.swapAt(0, index) }
        return pins.enumerated().map { number, pin in
            let members = zip(hub.addresses, proofs).filter { _, proofs in
                proofs.isEmpty ? number == 0 : proofs.contains { $0.pin == pin }
            }
            let sources = members.flatMap(\.1).filter { $0.pin == pin }.compactMap(\.source)
            return hub.with(
                pin: pin, addresses: members.map(\.0), sources: hub.sources.union(sources), isRest: number > 0
            )
        }
    }
}

extension DiscoveredHub {
    /// A row for a server that was not announced.
    ///
    /// - Parameter proofs: at least one, all of the same key and port.
    fileprivate init(_ proofs: [HubProof], rules: HubAddressRules) {
        let first = proofs[0]
        let name = proofs.first { !$0.name.isEmpty }?.name ?? ""
        let id = proofs.compactMap(\.id).first
        key = Key(name: Array(name.utf8), host: "", port: first.port, id: id, pin: first.pin)
        self.name = name
        host = ""
        port = first.port
        addresses = Array(rules.bestFirst(Set(proofs.map(\.address))).prefix(HubListing.maximumAddresses))
        sources = Set(proofs.compactMap(\.source))
        self.id = id
        pin = first.pin
        txt = TXTRecord(strings: [])
        firstSeen = proofs.map(\.time).min() ?? first.time
    }

    fileprivate func adding(_ proofs: [HubProof], rules: HubAddressRules) -> DiscoveredHub {
        // Where a reply came from is less than what the hub itself tells of this link: it may be a relay.
        let announced = Set(addresses)
        let connected = Set(proofs.lazy.filter(\.isHandshake).map(\.address))
        let all = rules.bestFirst(announced.union(proofs.map(\.address))) { address in
            if connected.contains(address) || announced.contains(address) && rules.isOnLink(address) {
                return 0
            }
            return announced.contains(address) ? 2 : 1
        }
        return with(
            pin: pin, addresses: Array(all.prefix(HubListing.maximumAddresses)),
            sources: sources.union(proofs.compactMap(\.source)), isRest: key.pin != nil)
    }

    fileprivate func with(
        pin: Pin?, addresses: [NetworkAddress], sources: Set<Source>, isRest: Bool
    ) -> DiscoveredHub {
        DiscoveredHub(
            key: Key(name: key.name, host: key.host, port: port, id: key.id, pin: isRest ? pin : nil),
            name: name, host: host, port: port, addresses: addresses, sources: sources, id: id, pin: pin,
            txt: txt, firstSeen: firstSeen)
    }
}
