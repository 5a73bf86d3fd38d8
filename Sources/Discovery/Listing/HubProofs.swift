public import Identity

/// What is announced and what has been proven, as one table.
///
/// - A proof belongs to the rows that have its address and port. Servers with different keys that are announced as
///   one (two stock hubs announce the same name and host) become a row each; addresses that have proven nothing
///   stay with the first.
/// - A proof that belongs to no row joins the row that has proven the same key on the same port, or is a row of its
///   own. An `id` alone joins nothing: it can be copied.
/// - A key that is known already belongs to no row that says to be another: whoever announces the address of a known hub
///   under another name or `id` cannot hide it.
///
/// A pure value. At most 1,024 places are kept.
public struct HubProofs: Sendable {
    /// The most proofs.
    public static let maximumCount = 1_024

    /// The most keys at one address and port: replies with a made-up source could bring more.
    private static let maximumKeys = 4

    private struct Place: Hashable {
        let address: NetworkAddress
        let port: UInt16
    }

    private var places: [Place: [HubProof]] = [:]

    /// No proofs.
    public init() {}

    /// Takes in a proof. A handshake clears its address of other keys that a reply has claimed to be there, and is
    /// not overruled by one.
    ///
    /// - Returns: false if nothing is new in it, or if there is no room.
    public mutating func insert(_ proof: HubProof) -> Bool {
        let place = Place(address: proof.address, port: proof.port)
        guard var list = places[place] else {
            if places.count >= HubProofs.maximumCount {
                // Replies with made-up sources can fill it; what a handshake has shown takes the place of one.
                guard proof.isHandshake,
                    let spare = places.first(where: { !$0.value.contains(where: \.isHandshake) })?.key
                else { return false }
                places[spare] = nil
            }
            places[place] = [proof]
            return true
        }
        let before = list
        if proof.isHandshake { list.removeAll { $0.pin != proof.pin } }
        if let index = list.firstIndex(where: { $0.pin == proof.pin }) {
            list[index] = list[index].renewed(by: proof)
        } else if list.count < HubProofs.maximumKeys, !list.contains(where: \.isHandshake) {
            list.append(proof)
        }
        places[place] = list
        return list != before
    }

    /// Forgets what was proven there.
    ///
    /// - Returns: false if there was nothing.
    public mutating func remove(_ address: NetworkAddress, port: UInt16) -> Bool {
        places.removeValue(forKey: Place(address: address, port: port)) != nil
    }

    /// True if something was proven there.
    public func contains(_ address: NetworkAddress, port: UInt16) -> Bool {
        places[Place(address: address, port: port)] != nil
    }

    /// True if a handshake has shown the key there.
    public func hasHandshake(at address: NetworkAddress, port: UInt16) -> Bool {
        places[Place(address: address, port: port)]?.contains(where: \.isHandshake) ?? false
    }

    /// The table of `announced` rows and proofs. `known` are the keys whose holders are known already.
    public func merged(
        with announced: [DiscoveredHub], rules: HubAddressRules, known: Set<Pin> = []
    ) -> [DiscoveredHub] {
        guard !places.isEmpty else { return announced }
        var rows: [DiscoveredHub] = []
        var used: Set<PlaceAndKey> = []
        for hub in announced {
            let found = hub.addresses.map { Place(address: $0, port: hub.port) }
            let proofs = found.map { place in
                (places[place] ?? []).filter { !known.contains($0.pin) || $0.mayBe(hub) }
            }
            for (place, proofs) in zip(found, proofs) {
                used.formUnion(proofs.map { PlaceAndKey(place: place, pin: $0.pin) })
            }
            rows += split(hub, by: proofs)
        }
        let left = places.flatMap { place, proofs in
            proofs.filter { $0.source != nil && !used.contains(PlaceAndKey(place: place, pin: $0.pin)) }
        }
        var groups: [[HubProof]] = []
        var numbers: [KeyAndPort: Int] = [:]
        for proof in left.sorted(by: HubProofs.isEarlier) {
            let identity = KeyAndPort(pin: proof.pin, port: proof.port)
            if let number = numbers[identity] {
                groups[number].append(proof)
            } else {
                numbers[identity] = groups.count
                groups.append([proof])
            }
        }
        for group in groups {
            if let index = rows.firstIndex(where: { $0.pin == group[0].pin && $0.port == group[0].port }) {
                rows[index] = rows[index].adding(group, rules: rules)
            } else {
                rows.append(DiscoveredHub(group, rules: rules))
            }
        }
        return rows
    }

    private struct PlaceAndKey: Hashable {
        let place: Place
        let pin: Pin
    }

    private struct KeyAndPort: Hashable {
        let pin: Pin
        let port: UInt16
    }

    private static func isEarlier(_ one: HubProof, _ other: HubProof) -> Bool {
        if one.time != other.time { return one.time < other.time }
        return one.address.bytes.lexicographicallyPrecedes(other.address.bytes)
    }

    /// - Parameter proofs: what each of the hub's addresses has proven.
    private func split(_ hub: DiscoveredHub, by proofs: [[HubProof]]) -> [DiscoveredHub] {
        var pins: [Pin] = []
        for proof in proofs.joined() where !pins.contains(proof.pin) { pins.append(proof.pin) }
        guard !pins.isEmpty else { return [hub] }
        // The one that it says to be comes first: it keeps what has proven nothing.
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
    /// A row that nobody has announced. - Parameter proofs: at least one, all of one key and port.
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
        let all = rules.bestFirst(Set(addresses + proofs.map(\.address)))
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
