import Addresses
import Discovery
import HubClient
import Identity
import Pairing

/// Whether hubs are heard, and if not, whether they are there all the same.
enum CheckSearch {
    /// How a hub was heard.
    struct Heard: Equatable, Sendable {
        let sources: Set<DiscoveredHub.Source>
        /// It is a hubpair hub, which answers UDP probes; a stock one does not.
        let hasID: Bool
        /// It is on this machine: that it is heard says nothing of the network.
        var isOwn = false
        var name = ""
        /// A hub of one id is one, though it may have two rows.
        var id: Fingerprint?
        var places: [TryPlaces.Place] = []

        /// Everything but the ways by which it was heard.
        var identity: [String] { [name] + places.map(\.text) }
    }

    /// Longer than a hub's limit of answers to one source lasts, and than a responder keeps back what it has
    /// just told others (RFC 6762 § 6).
    private static let pause = Duration.milliseconds(1_500)
    /// With so many hubs it shakes hands, after it has connected to all.
    private static let maximumHandshakes = 16

    static func check(sweeps: Bool) -> DiagnosisCheck {
        DiagnosisCheck(
            "hubs", tried: "searched by multicast DNS and UDP, and connected to all that was heard",
            deadline: sweeps ? .seconds(60) : .seconds(45)
        ) {
            let networks = LocalNetwork.current()
            guard NetworkLink.current().contains(where: \.isUsable) else {
                return .skipped("no interface is up")
            }
            var options = SearchHubs.Options()
            let prober = HubProber()
            options.prober = prober
            var heard = try await search(options, networks)
            // Silence is doubted: a hub answers one source so often, and no more.
            if !heard.isEmpty, verdict(heard, swept: nil).status != .ok {
                try await Task.sleep(for: pause)
                heard = merged(heard, try await search(options, networks))
            }
            let trouble = try await connected(heard, networks)
            let isWell = trouble == nil && heard.contains { !$0.isOwn }
            if let cause = CheckProbes.verdict(prober.counts, isWell: isWell) ?? trouble { return cause }
            guard heard.isEmpty, sweeps, let range = SweepRange(around: networks) else {
                return verdict(heard, swept: nil)
            }
            (options.usesMDNS, options.usesUDP, options.sweep) = (false, false, range)
            let found = try await SearchHubs(known: KnownHubs(), options: options).run { _ in }
            return verdict([], swept: (found.count, "\(range)"))
        }
    }

    private static func search(
        _ options: SearchHubs.Options, _ networks: [LocalNetwork]
    ) async throws -> [Heard] {
        let own = Set(networks.map(\.address))
        return try await SearchHubs(known: KnownHubs(), options: options).run { _ in }.map { row in
            Heard(
                sources: row.hub.sources, hasID: row.hub.id != nil,
                isOwn: row.hub.addresses.allSatisfy(own.contains), name: row.hub.name, id: row.hub.id,
                places: row.hub.addresses.map { TryPlaces.Place(address: $0, port: row.hub.port) })
        }
    }

    /// What either search has heard.
    static func merged(_ one: [Heard], _ other: [Heard]) -> [Heard] {
        var all: [[String]: Heard] = [:]
        for hub in one + other {
            let sources = hub.sources.union(all[hub.identity]?.sources ?? [])
            all[hub.identity] = Heard(
                sources: sources, hasID: hub.hasID, isOwn: hub.isOwn, name: hub.name, id: hub.id,
                places: hub.places)
        }
        return Array(all.values)
    }

    /// The first of the hubs that are heard and cannot be connected to; nil if there is none.
    private static func connected(
        _ heard: [Heard], _ networks: [LocalNetwork]
    ) async throws -> Finding.Verdict? {
        let others = heard.filter { !$0.isOwn }.sorted { $0.name < $1.name }
        let outcomes = TryPlaces.outcomes(of: others.flatMap(\.places), networks: networks)
        let cause = others.lazy.compactMap { hub in
            TryPlaces.verdict(
                hub.name, hub.places.compactMap { place in outcomes[place].map { (place, $0) } })
        }.first
        if let cause { return cause }
        let open = others.compactMap { hub in
            hub.places.first { outcomes[$0] == .open }.map { (name: hub.name, place: $0) }
        }
        return try await answering(open.prefix(maximumHandshakes))
    }

    /// The first of these that does not answer over TLS; nil if all do.
    private static func answering(
        _ hubs: ArraySlice<(name: String, place: TryPlaces.Place)>
    ) async throws -> Finding.Verdict? {
        let connector = try HubConnector(allowsTLS12: true)
        return await withTaskGroup(of: (Int, Finding.Verdict)?.self) { group in
            for (number, hub) in hubs.enumerated() {
                let address = HubAddress(hub.place.address, port: hub.place.port)
                group.addTask {
                    do {
                        try await connector.connect(to: [address], expecting: .any).close()
                    } catch let error as HubConnectionError {
                        return TryPlaces.verdict(hub.name, at: hub.place, error.reason).map { (number, $0) }
                    } catch {}
                    return nil
                }
            }
            return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }.min { $0.0 < $1.0 }?.1
        }
    }

    static func verdict(_ heard: [Heard], swept: (count: Int, range: String)?) -> Finding.Verdict {
        let hubs = { (count: Int) in count == 1 ? "1 hub" : "\(count) hubs" }
        guard !heard.isEmpty else {
            guard let swept else {
                return .warning(
                    "no hub is heard",
                    mend: "is a hub switched on? without --no-sweep every address is tried too")
            }
            guard swept.count > 0 else {
                return .warning(
                    "no hub is heard, and none answers in \(swept.range)",
                    mend: "is the hub switched on, and on the same network?")
            }
            return .problem(
                "no hub is heard, but \(hubs(swept.count)) answer\(swept.count == 1 ? "s" : "") in "
                    + "\(swept.range): "
                    + "the network drops multicast and broadcast",
                mend:
                    "turn off AP isolation, client isolation or multicast filtering in the access point; "
                    + "until then: "
                    + "'hubpair list --scan \(swept.range)' and 'hubpair hubs add NAME HOST'")
        }
        let others = heard.filter { !$0.isOwn }
        guard !others.isEmpty else { return .ok("this machine's own hub is heard, and no other") }
        let withID = others.filter(\.hasID)
        if !others.contains(where: { $0.sources.contains(.mdns) }) {
            return .warning(
                "\(hubs(others.count)) by UDP, but multicast DNS is silent",
                mend:
                    "turn on multicast in the access point (IGMP snooping, multicast filtering), or "
                    + "allow 5353/udp in "
                    + "the hub's firewall")
        }
        if !withID.isEmpty, !withID.contains(where: { $0.sources.contains(.udp) }) {
            return .warning(
                "\(hubs(others.count)) by multicast DNS, but UDP probes are not answered",
                mend:
                    "allow 8000/udp in the firewall of the hub, and answers from that port in this machine's")
        }
        let names = Dictionary(grouping: heard.filter { !$0.name.isEmpty }, by: \.name)
        let counts = names.mapValues { rows in
            Set(rows.compactMap(\.id)).count + rows.count { $0.id == nil }
        }
        if let (name, count) = counts.filter({ $0.value > 1 }).min(by: { $0.key < $1.key }) {
            return .warning(
                "\(hubs(count)) are called \(name)",
                mend: "give one of them another name, on it: 'sudo hubpair setup --change --name NAME'")
        }
        return .ok("\(hubs(heard.count)) heard")
    }
}
