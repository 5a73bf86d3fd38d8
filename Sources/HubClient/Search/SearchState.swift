package import Addresses
import Discovery
package import Pairing

/// The state of a search: what was seen and proven, what to report, which addresses to ask for a key, and
/// when it is over.
///
/// A pure value: steps with their times since the start go in, events and questions come out.
package struct SearchState: Sendable {
    /// How long a row must be quiet before it is reported: a host answers within 20–120 ms (RFC 6762 § 6),
    /// separately for each address family and interface.
    package static let settling = Duration.milliseconds(150)
    /// The same after an answer to a direct question, which arrives at once with all addresses. If it has
    /// addresses of both families, only other interfaces are waited for (`whole`), otherwise the answer over
    /// the other family (`part`).
    package static let quickSettling = (whole: Duration.milliseconds(5), part: Duration.milliseconds(50))
    /// Instead of `part`, where a row is told again if it has changed: many hubs have but one family.
    private static let usableSettling = Duration.milliseconds(20)
    /// The maximum number of questions for keys, in total and per row.
    private static let maximumQuestions = 512
    private static let maximumQuestionsPerRow = 16
    /// How a hub says that it is there: a row with none of these was found by looking.
    private static let announcing: Set<DiscoveredHub.Source> = [.mdns, .dns]

    private let known: [KnownHub]
    private let pins: Set<Pin>
    let networks: [LocalNetwork]
    /// The families in which a hub can have an address for this machine: for the others nothing is waited.
    private let ownFamilies: Set<NetworkAddress.Family>
    let watches: Bool
    private(set) var listing: HubListing
    private var proofs = HubProofs()
    private var unprotected: Set<HubAddress> = []
    private(set) var rule = EndRule()
    private(set) var browses: [BrowseProgress]
    private(set) var isProbing: Bool
    private(set) var isSweeping = false
    /// What showed that packets get lost here.
    private(set) var lossSign: String?
    /// The name of the hub that changed the table last.
    private(set) var lastName: String?
    /// Browses of several service types tell the same fault once.
    private var told: Set<String> = []

    private(set) var rows: [DiscoveredHub.Key: AssessedHub] = [:]
    private var said: [DiscoveredHub.Key: AssessedHub] = [:]
    private var fresh: [DiscoveredHub.Key: Duration] = [:]
    private(set) var hinted: Set<[UInt8]> = []
    /// The hosts that have answered a one-shot query, in lower case.
    private(set) var directHosts: Set<String> = []
    /// The names of hubs that were hinted at, not confirmed, and not hinted at again.
    private(set) var expired: Set<String> = []
    private var answers: [DiscoveredHub.Key: Bool] = [:]
    /// The listing or the proofs have changed since the table was built.
    private(set) var isStale = false
    private var lastUpdate = Duration.seconds(-1)

    /// Addresses of hubs that have proven their keys and then announced a goodbye.
    private var withdrawn: Set<HubAddress> = []
    private var asked: Set<HubAddress> = []
    private(set) var asking: Set<HubAddress> = []
    private var questions: [HubAddress] = []
    /// What those claim to be that are asked as a hub has answered apart from them.
    private var askedFor: Set<Fingerprint> = []
    private(set) var tasks = 0

    /// - Parameters:
    ///   - browses: what is browsed; a step names one by its index.
    ///   - watches: true to report every change at once.
    ///   - isProbing: true if hubs are probed over UDP.
    package init(
        known: [KnownHub], networks: [LocalNetwork], browses: [Browse], isProbing: Bool = true,
        watches: Bool = false
    ) {
        (self.known, self.networks, self.isProbing) = (known, networks, isProbing)
        self.browses = browses.map { BrowseProgress($0) }
        pins = Set(known.map(\.pin))
        let own = networks.filter { !$0.address.isLoopback && $0.isMulticast }.map(\.address.family)
        ownFamilies = own.isEmpty ? [.ipv4, .ipv6] : Set(own)
        self.watches = watches
        listing = HubListing(networks: networks)
    }

    /// The current table: impostors first, then by name.
    package var table: [AssessedHub] { Table(rows: rows.values).sorted }

    var isBrowsing: Bool { browses.contains { $0.isMulticast && !$0.isEnded } }

    /// The addresses to ask for a key now, each once. Answer with ``Step/proof(_:)`` or ``Step/noProof(_:)``.
    package mutating func takeQuestions() -> [HubAddress] {
        defer { questions = [] }
        return questions
    }

    package mutating func take(_ step: Step, at time: Duration) -> [Event] {
        var events = apply(step, at: time)
        if isStale, time >= nextUpdate { events += refresh(at: time) }
        if case .tick = step { events += settled(at: time) }
        return events
    }

    /// When the table may be built again. Each time looks at all rows and proofs, and a flood can bring
    /// thousands of steps: with many rows it is done less often.
    private var nextUpdate: Duration { lastUpdate + max(.milliseconds(1), .microseconds(20) * rows.count) }

    private mutating func apply(_ step: Step, at time: Duration) -> [Event] {
        switch step {
        case .sighting(let sighting, let browse):
            guard browses.indices.contains(browse) else { return [] }
            browses[browse].take(sighting, at: time)
            return take(sighting, at: time)
        case .browseEnded(let words, let browse):
            browses[browse].end()
            return told.insert(words).inserted ? [.incomplete(words)] : []
        case .embedded(let words, let browse):
            browses[browse].becomeEmbedded()
            rule.uncachedSince = time
            return told.insert(words).inserted ? [.note(words)] : []
        case .note(let words): return [.incomplete(words)]
        case .probesEnded(let words):
            isProbing = false
            return [.incomplete(words)]
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
            isSweeping = done < total
            return [.progress(done: done, total: total)]
        case .stalled(let pause): rule.stall(for: pause, until: time)
        case .tick: expireHints(at: time)
        }
        return []
    }

    private mutating func take(_ sighting: Sighting, at time: Duration) -> [Event] {
        switch sighting {
        case .began: rule.begun = time
        case .lossy(let host):
            rule.isLossy = true
            lossSign = "\(host) answered one question and not the other"
        case .slow(let duration): rule.noteAnswer(after: duration)
        case .flooded:
            return [.incomplete("a host floods the network with services; hubs may be missing")]
        case .interrupted(let error):
            return [.incomplete("\(error); waiting for it to come back")]
        case .resumed:
            // A new daemon starts again with its first question.
            rule.begun = time
        case .unresolved(let instance, let error):
            guard !listing.hubs.contains(where: { $0.name == instance.name }) else { break }
            if instance.isUnicast { return [.unusable("\(instance.name): \(error)")] }
            rule.isLossy = true
            lossSign = "no answer to the question for the address of \(instance.name)"
            return [.unusable("\(instance.name) is announced, but does not tell its address")]
        case .hinted(let service):
            if hinted.count < 4_096 { hinted.insert(service.instance.nameBytes) }
        case .direct(let host): if directHosts.count < 4_096 { directHosts.insert(host.lowercased()) }
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
        guard let hub = rows[key]?.hub, hub.sources.isDisjoint(with: SearchState.announcing) else { return }
        let places = hub.addresses.map { HubAddress($0, port: hub.port) }
        guard places.contains(where: withdrawn.contains) else { return }
        for (address, place) in zip(hub.addresses, places) {
            withdrawn.remove(place)
            asked.remove(place)
            if proofs.remove(address, port: hub.port) { isStale = true }
        }
    }

    private mutating func expireHints(at time: Duration) {
        for change in listing.expireHints(at: time) {
            isStale = true
            if case .removed(let hub) = change, expired.count < HubListing.maximumRows {
                expired.insert(hub.name)
            }
        }
    }

    /// The rows that have been quiet for long enough.
    private mutating func settled(at time: Duration) -> [Event] {
        var events: [Event] = []
        for (key, since) in fresh.sorted(by: { $0.value < $1.value }) {
            guard let row = rows[key], let due = reportTime(of: row, changedAt: since), time >= due else {
                continue
            }
            fresh[key] = nil
            if let event = say(row) { events.append(event) }
        }
        return events
    }

    /// When a row may be reported if nothing more comes; nil if that waits for its key, or for the end.
    private func reportTime(of row: AssessedHub, changedAt time: Duration) -> Duration? {
        guard !isAsking(row), watches || said[row.hub.key] == nil else { return nil }
        return time + settling(of: row)
    }

    /// When a tick will have something to report, if nothing more comes; nil if nothing waits for its time.
    var nextReport: Duration? {
        let row = fresh.lazy.compactMap { key, since in
            rows[key].flatMap { reportTime(of: $0, changedAt: since) }
        }.min()
        return isStale ? min(row ?? nextUpdate, nextUpdate) : row
    }

    private mutating func refresh(at time: Duration) -> [Event] {
        isStale = false
        lastUpdate = time
        defer { ask() }
        return update(at: time)
    }

    private func settling(of row: AssessedHub) -> Duration {
        if row.standing == .verified { return SearchState.quickSettling.whole }
        // Name servers tell all addresses together.
        if row.hub.sources.contains(.dns) { return .zero }
        let isWhole = ownFamilies.allSatisfy { family in row.hub.addresses.contains { $0.family == family } }
        // A hub that answered a probe is usually found by mDNS soon after, with addresses that the reply does
        // not have.
        let isAnnounced = row.hub.sources.contains(.mdns) || !isBrowsing
        let isDirect = hinted.contains(row.hub.key.name) || (row.hub.pin != nil && isAnnounced)
        // With --watch each change is a line, so no part of one is told. Without it a row is told as soon as
        // a program can use the row, and once more at the end if it has changed.
        let isUsable =
            !watches && row.hub.sources.contains(.mdns) && row.hub.addresses.contains { !$0.isLinkLocal }
        guard isDirect || isUsable else { return SearchState.settling }
        if isWhole { return SearchState.quickSettling.whole }
        return isUsable ? SearchState.usableSettling : SearchState.quickSettling.part
    }

    /// The remaining events at the end of the search.
    package mutating func finish(at time: Duration) -> [Event] {
        let shortcoming = shortcoming(at: time)
        var events = update(at: time)
        if let shortcoming { events.append(.incomplete(shortcoming)) }
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
                // Assessing compares names: not again for a hub that is as it was.
                if let old = rows[hub.key], old.hub == hub, old.isUnprotected == isUnprotected {
                    var row = old
                    row.answers = answers[hub.key]
                    return (hub.key, row)
                }
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
        for (key, row) in new where rows[key] != row {
            fresh[key] = time
            lastName = row.hub.name
        }
        rows = new
        rule.lastNews = max(rule.lastNews, time)
        return events + [.table(Table(rows: rows.values))]
    }

    private func isAsking(_ row: AssessedHub) -> Bool {
        guard !asking.isEmpty else { return false }
        // It may be one that is announced, which is asked for its key.
        if let fingerprint = row.hub.pin?.fingerprint, askedFor.contains(fingerprint) { return true }
        return row.hub.addresses.contains { asking.contains(HubAddress($0, port: row.hub.port)) }
    }

    /// Asks for the keys that matter: those of hubs that claim to be a paired one; of a stock hub with
    /// several IPv4 addresses, which may be several hubs unless all are this machine's; and of one that
    /// claims to be a hub that has answered from an address that is not announced, such as its link-local
    /// one.
    private mutating func ask() {
        if asking.isEmpty { askedFor = [] }
        if asked.count >= SearchState.maximumQuestions { asked = asking }
        let apart = Set(
            rows.values.lazy.filter { $0.hub.sources.isDisjoint(with: SearchState.announcing) }
                .compactMap(\.hub.pin?.fingerprint))
        for row in rows.values {
            let hub = row.hub
            let places = hub.id == nil ? hub.addresses.filter { $0.family == .ipv4 } : []
            let mayBeSeveral = places.count > 1 && !places.allSatisfy(isOwn)
            let isAnswered = hub.pin == nil && hub.id.map(apart.contains) == true
            guard row.bearsKnownID || mayBeSeveral || isAnswered else { continue }
            for address in hub.addresses.prefix(SearchState.maximumQuestionsPerRow)
            where !proofs.hasHandshake(at: address, port: hub.port)
                && asked.count < SearchState.maximumQuestions
            {
                let question = HubAddress(address, port: hub.port)
                guard asked.insert(question).inserted else { continue }
                asking.insert(question)
                questions.append(question)
                if isAnswered, let id = hub.id { askedFor.insert(id) }
            }
        }
    }
}
