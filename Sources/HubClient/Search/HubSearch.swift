package import Discovery
package import Pairing

/// The state of a search: what was seen and proven, what to report, which addresses to ask for a key, and
/// when it is over.
///
/// A pure value: steps with their times since the start go in, events and questions come out.
package struct HubSearch: Sendable {
    /// How long a row must be quiet before it is reported: a host answers within 20–120 ms (RFC 6762 § 6),
    /// separately for each address family and interface.
    package static let settling = Duration.milliseconds(150)
    /// The same after an answer to a direct question, which arrives at once with all addresses. If it has
    /// addresses of both families, only other interfaces are waited for (`whole`), otherwise the answer over
    /// the other family (`part`).
    package static let quickSettling = (whole: Duration.milliseconds(5), part: Duration.milliseconds(50))
    /// The maximum number of questions for keys, in total and per row.
    private static let maximumQuestions = 512
    private static let maximumQuestionsPerRow = 16
    /// How long a search waits for a daemon to come back.
    private static let patience = Duration.seconds(3)

    private let known: [KnownHub]
    private let pins: Set<Pin>
    private let networks: [LocalNetwork]
    private let watches: Bool
    private var listing: HubListing
    private var proofs = HubProofs()
    private var unprotected: Set<HubAddress> = []
    private var rule = QuietRule()
    private var isBrowsing: Bool

    private var rows: [DiscoveredHub.Key: AssessedHub] = [:]
    private var said: [DiscoveredHub.Key: AssessedHub] = [:]
    private var fresh: [DiscoveredHub.Key: Duration] = [:]
    private var hinted: Set<[UInt8]> = []
    private var answers: [DiscoveredHub.Key: Bool] = [:]
    private var isStale = false
    private var lastUpdate = Duration.seconds(-1)

    /// Addresses of hubs that have proven their keys and then announced a goodbye.
    private var withdrawn: Set<HubAddress> = []
    private var asked: Set<HubAddress> = []
    private var asking: Set<HubAddress> = []
    private var questions: [HubAddress] = []
    private var resolving = 0
    private var tasks = 0
    private var interrupted: Duration?
    private var isBeginning = true
    private var isSettling = false
    private var hasSettled = false

    /// - Parameter watches: true to report every change at once.
    package init(known: [KnownHub], networks: [LocalNetwork], isBrowsing: Bool, watches: Bool = false) {
        (self.known, self.networks, self.isBrowsing) = (known, networks, isBrowsing)
        pins = Set(known.map(\.pin))
        self.watches = watches
        listing = HubListing(networks: networks)
    }

    /// The current table: impostors first, then by name.
    package var table: [AssessedHub] { rows.values.sorted(by: AssessedHub.precedes) }

    /// The addresses to ask for a key now, each once. Answer with ``Step/proof(_:)`` or ``Step/noProof(_:)``.
    package mutating func takeQuestions() -> [HubAddress] {
        defer { questions = [] }
        return questions
    }

    /// True if the search is over at `time`, unless the user has set a duration.
    package func isOver(at time: Duration) -> Bool {
        var rule = rule
        let isWaiting = interrupted.map { time - $0 < HubSearch.patience } ?? false
        // An empty result is reported only after the daemon expects no more answers.
        let isUnanswered =
            isBrowsing && interrupted == nil && (isBeginning || isSettling || rows.isEmpty && !hasSettled)
        rule.pending = resolving + tasks + asking.count + (isWaiting || isUnanswered ? 1 : 0)
        rule.isEmpty = rows.isEmpty
        rule.hasHints = isBrowsing && listing.hasHints
        return rule.isOver(at: time)
    }

    package mutating func take(_ step: Step, at time: Duration) -> [Event] {
        var events = apply(step, at: time)
        // At once, but limited in rate, because a flood can bring thousands of steps.
        if isStale, time - lastUpdate >= HubSearch.quickSettling.whole { events += refresh(at: time) }
        return events
    }

    private mutating func apply(_ step: Step, at time: Duration) -> [Event] {
        switch step {
        case .sighting(let sighting): return take(sighting, at: time)
        case .browseEnded(let words):
            isBrowsing = false
            resolving = 0
            return [.incomplete(words)]
        case .embedded(let words):
            isSettling = true
            rule.uncachedSince = time
            interrupted = nil
            return [.note(words)]
        case .note(let words): return [.incomplete(words)]
        case .proof(let proof):
            asking.remove(HubAddress(proof.address, port: proof.port))
            if proofs.insert(proof) { isStale = true }
        case .unprotected(let address):
            // Bounded by the maximum number of rows.
            if unprotected.count < HubProofs.maximumCount { unprotected.insert(address) }
        case .noProof(let address):
            asking.remove(address)
            isStale = true
        case .answered(let key, let answer):
            if answers[key] != answer { isStale = true }
            answers[key] = answer
            if !answer { dropProofs(of: key) }
        case .begun: tasks += 1
        case .ended: tasks -= 1
        case .swept(let done, let total):
            rule.isSweeping = done < total
            return [.progress(done: done, total: total)]
        case .tick: return tick(at: time)
        }
        return []
    }

    private mutating func take(_ sighting: Sighting, at time: Duration) -> [Event] {
        switch sighting {
        case .pending(let count): resolving = count
        case .began:
            isBeginning = false
            rule.begun = time
        case .settled: (isSettling, hasSettled) = (false, true)
        case .lossy: rule.isLossy = true
        case .flooded:
            return [.incomplete("a host floods the network with services; hubs may be missing")]
        case .interrupted(let error):
            (interrupted, resolving) = (time, 0)
            return [.incomplete("\(error); waiting for it to come back")]
        case .resumed:
            interrupted = nil
            // A new daemon starts again with its first question.
            rule.begun = time
        case .unresolved(let instance, _):
            rule.isLossy = true
            guard !listing.hubs.contains(where: { $0.name == instance.name }) else { break }
            return [.unusable("\(instance.name) is announced, but does not tell its address")]
        case .hinted(let service): if hinted.count < 4_096 { hinted.insert(service.instance.nameBytes) }
        default: break
        }
        let changes = listing.apply(sighting, at: time)
        if case .addressGone(let address, _, _) = sighting { drop(address, changes) }
        return changes.compactMap { change in
            switch change {
            case .rejected(let service, let error):
                return .unusable("\(service.instance.name) at \(service.host): \(error)")
            case .flooded(let service):
                return .incomplete(
                    "\(service.host) at \(service.address) announces more than "
                        + "\(HubListing.maximumServicesPerAddress) hubs; the others of it are left out")
            case .overflowed: return .incomplete("more hubs are announced than can be; some are left out")
            case .removed(let hub):
                withdrawn.formUnion(
                    hub.addresses.filter { proofs.contains($0, port: hub.port) }.map {
                        HubAddress($0, port: hub.port)
                    })
                isStale = true
                return nil
            case .added(let hub), .changed(let hub):
                if !withdrawn.isEmpty {
                    withdrawn.subtract(hub.addresses.map { HubAddress($0, port: hub.port) })
                }
                isStale = true
                return nil
            }
        }
    }

    /// Removes the proofs of an address that a hub no longer has, so that it may be asked again.
    private mutating func drop(_ address: NetworkAddress, _ changes: [HubListing.Change]) {
        for case .changed(let hub) in changes where !hub.addresses.contains(address) {
            asked.remove(HubAddress(address, port: hub.port))
            if proofs.remove(address, port: hub.port) { isStale = true }
        }
    }

    /// Removes the proofs of a hub that has announced a goodbye and does not answer. A hub that merely does
    /// not answer may come back.
    private mutating func dropProofs(of key: DiscoveredHub.Key) {
        guard let hub = rows[key]?.hub, !hub.sources.contains(.mdns) else { return }
        let places = hub.addresses.map { HubAddress($0, port: hub.port) }
        guard places.contains(where: withdrawn.contains) else { return }
        for (address, place) in zip(hub.addresses, places) {
            withdrawn.remove(place)
            asked.remove(place)
            if proofs.remove(address, port: hub.port) { isStale = true }
        }
    }

    private mutating func tick(at time: Duration) -> [Event] {
        if !listing.expireHints(at: time).isEmpty { isStale = true }
        var events: [Event] = []
        if isStale { events = refresh(at: time) }
        for (key, since) in fresh.sorted(by: { $0.value < $1.value }) {
            guard let row = rows[key], !isAsking(row), watches || said[key] == nil else { continue }
            guard time - since >= settling(of: row) else { continue }
            fresh[key] = nil
            if let event = say(row) { events.append(event) }
        }
        return events
    }

    private mutating func refresh(at time: Duration) -> [Event] {
        isStale = false
        lastUpdate = time
        defer { ask() }
        return update(at: time)
    }

    private func settling(of row: AssessedHub) -> Duration {
        if row.standing == .verified { return HubSearch.quickSettling.whole }
        // A hub that answered a probe is usually found by mDNS soon after, with addresses that the reply does
        // not have.
        let isAnnounced = row.hub.sources.contains(.mdns) || !isBrowsing
        guard hinted.contains(row.hub.key.name) || (row.hub.pin != nil && isAnnounced) else {
            return HubSearch.settling
        }
        let families = Set(row.hub.addresses.map(\.family))
        return families.count == 2 ? HubSearch.quickSettling.whole : HubSearch.quickSettling.part
    }

    /// The remaining events at the end of the search.
    package mutating func finish(at time: Duration) -> [Event] {
        var events = update(at: time)
        if isBrowsing, isBeginning {
            events.append(.incomplete("avahi-daemon does not answer; hubs may be missing"))
        }
        for (key, _) in fresh.sorted(by: { $0.value < $1.value }) {
            if let event = rows[key].flatMap({ say($0) }) { events.append(event) }
        }
        fresh = [:]
        return events
    }

    private mutating func say(_ row: AssessedHub) -> Event? {
        guard let old = said.updateValue(row, forKey: row.hub.key) else { return .added(row) }
        let isNews = watches ? row != old : row.differs(from: old)
        return isNews ? .changed(row) : nil
    }

    /// Builds the table again and returns the events for its changes.
    private mutating func update(at time: Duration) -> [Event] {
        let hubs = proofs.merged(with: listing.hubs, rules: listing.rules, known: pins)
        let new = Dictionary(
            hubs.map { hub in
                let isUnprotected =
                    !unprotected.isEmpty
                    && hub.addresses.contains { unprotected.contains(HubAddress($0, port: hub.port)) }
                return (
                    hub.key,
                    AssessedHub(hub, known: known, answers: answers[hub.key], isUnprotected: isUnprotected)
                )
            },
            uniquingKeysWith: { first, _ in first })
        guard new != rows else { return [] }
        var appeared = new.keys.filter { rows[$0] == nil }
        var events: [Event] = []
        for (key, row) in rows where new[key] == nil {
            fresh[key] = nil
            answers[key] = nil
            // A row can get a new key: it was first found by UDP and is now announced over mDNS.
            if let index = appeared.firstIndex(where: {
                $0.name == key.name && $0.port == key.port && ($0.id ?? key.id) == (key.id ?? $0.id)
            }) {
                said[appeared.remove(at: index)] = said.removeValue(forKey: key)
            } else if said.removeValue(forKey: key) != nil {
                events.append(.removed(row))
            }
        }
        for (key, row) in new where rows[key] != row { fresh[key] = time }
        rows = new
        rule.lastNews = max(rule.lastNews, time)
        return events + [.table(table)]
    }

    private func isAsking(_ row: AssessedHub) -> Bool {
        !asking.isEmpty
            && row.hub.addresses.contains { asking.contains(HubAddress($0, port: row.hub.port)) }
    }

    /// Asks for the keys that matter: those of hubs that claim to be a paired one, and of a stock hub with
    /// several IPv4 addresses, which may be several hubs.
    private mutating func ask() {
        for row in rows.values {
            let hub = row.hub
            let mayBeSeveral = hub.id == nil && hub.addresses.count { $0.family == .ipv4 } > 1
            guard row.bearsKnownID || mayBeSeveral else { continue }
            for address in hub.addresses.prefix(HubSearch.maximumQuestionsPerRow)
            where !proofs.hasHandshake(at: address, port: hub.port)
                && asked.count < HubSearch.maximumQuestions
            {
                let question = HubAddress(address, port: hub.port)
                guard asked.insert(question).inserted else { continue }
                asking.insert(question)
                questions.append(question)
            }
        }
    }
}
