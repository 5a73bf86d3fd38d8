package import Addresses
package import Discovery
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
    /// The most names and hosts of direct answers that are remembered.
    private static let maximumHints = 4_096
    /// How a hub says that it is there: a row with none of these was found by looking.
    private static let announcing: Set<DiscoveredHub.Source> = [.mdns, .dns]
    private static let reachedPerRow = 4
    private static let maximumReaching = 128
    /// How often a watched hub is asked whether it is still there.
    private static let reachInterval = Duration.seconds(5)
    /// How long a proof lives while somebody watches: then the key is asked for again.
    package static let proofLifetime = Duration.seconds(60)
    /// How often an expired proof is looked for.
    private static let proofInterval = Duration.seconds(1)

    private let known: [KnownHub]
    private let pins: Set<Pin>
    let networks: [LocalNetwork]
    /// The families in which a hub can have an address for this machine: for the others nothing is waited.
    let ownFamilies: Set<NetworkAddress.Family>
    let watches: Bool
    private let connects: Bool
    let wanted: (@Sendable (DiscoveredHub) -> Bool)?
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
    private(set) var outlook = Outlook()
    private var said: [DiscoveredHub.Key: AssessedHub] = [:]
    /// What is to be told, and when it has changed last.
    private var fresh: [DiscoveredHub.Key: Duration] = [:]
    private(set) var hinted: Set<[UInt8]> = []
    /// The hosts that have answered a one-shot query, in lower case.
    private(set) var directHosts: Set<String> = []
    /// The names of hubs that were hinted at, not confirmed, and not hinted at again.
    private(set) var expired: Set<String> = []
    /// Whether somebody has accepted a connection at an address, and when it was asked.
    private(set) var reached: [HubAddress: (isOpen: Bool, time: Duration)] = [:]
    private(set) var reaching: Set<HubAddress> = []
    /// A row has come or changed since they were last looked at, or there was no room for all.
    private(set) var hasUntried = false
    private var lastTrials = Duration.zero
    /// The listing or the proofs have changed since the table was built.
    private(set) var isStale = false
    private var lastUpdate = Duration.seconds(-1)
    private var lastExpiry = Duration.zero

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
    ///   - wanted: what is looked for; nil: every hub.
    ///   - connects: true to connect to each hub (``takeTrials(at:)``) before its row is told.
    package init(
        known: [KnownHub], networks: [LocalNetwork], browses: [Browse], isProbing: Bool = true,
        watches: Bool = false, connects: Bool = false,
        wanted: (@Sendable (DiscoveredHub) -> Bool)? = nil
    ) {
        (self.connects, self.wanted) = (connects, wanted)
        (self.known, self.networks, self.isProbing) = (known, networks, isProbing)
        self.browses = browses.map { BrowseProgress($0) }
        pins = Set(known.map(\.pin))
        let own = networks.filter { !$0.address.isLoopback && $0.isMulticast }.map(\.address.family)
        ownFamilies = own.isEmpty ? [.ipv4, .ipv6] : Set(own)
        self.watches = watches
        // A domain has an owner, who may have many hubs; on a link anybody can announce.
        let capacity =
            self.browses.allSatisfy(\.isMulticast) ? HubListing.maximumRows : DomainSearch.maximumInstances
        listing = HubListing(networks: networks, capacity: capacity)
    }

    /// The current table: impostors first, then by name.
    package var table: [AssessedHub] { rows.values.sorted(by: AssessedHub.precedes) }

    var isBrowsing: Bool { browses.contains { $0.isMulticast && !$0.isEnded } }

    /// The addresses to ask for a key now, each once. Answer with a proof or ``Step/noProof(_:)``.
    package mutating func takeQuestions() -> [HubAddress] {
        defer { questions = [] }
        return questions
    }

    /// The addresses to connect to now. Answer with ``Step/reached(_:isOpen:)``.
    package mutating func takeTrials(at time: Duration) -> [HubAddress] {
        guard connects, hasUntried || watches && time >= lastTrials + SearchState.reachInterval / 20 else {
            return []
        }
        (hasUntried, lastTrials) = (false, time)
        var trials: [HubAddress] = []
        for row in rows.values where watches || row.answers == nil {
            guard reaching.count < SearchState.maximumReaching else {
                hasUntried = true
                break
            }
            for place in places(of: row.hub) where !reaching.contains(place) {
                if let last = reached[place], !watches || time - last.time < SearchState.reachInterval {
                    continue
                }
                reaching.insert(place)
                trials.append(place)
            }
        }
        return trials
    }

    private func places(of hub: DiscoveredHub) -> ArraySlice<HubAddress> {
        hub.places.prefix(SearchState.reachedPerRow)
    }

    /// True once one of its addresses has accepted a connection, false if all have been asked, and none has.
    private func answers(_ hub: DiscoveredHub) -> Bool? {
        guard connects else { return nil }
        let known = places(of: hub).map { reached[$0]?.isOpen }
        if known.contains(true) { return true }
        return known.contains(nil) ? nil : false
    }

    /// True while it is asked whether the hub answers, for the first time.
    func isReaching(_ row: AssessedHub) -> Bool {
        guard connects, row.answers == nil else { return false }
        // It may be known, and the table not be built again yet.
        return answers(row.hub) != nil || places(of: row.hub).contains(where: reaching.contains)
    }

    /// True while a row is not known to answer, or not to.
    var isReachingSome: Bool {
        connects && (hasUntried || !reaching.isEmpty && rows.values.contains(where: isReaching))
    }

    package mutating func take(_ step: Step, at time: Duration) -> [Event] {
        var events = apply(step, at: time)
        if isStale, time >= nextUpdate {
            (isStale, lastUpdate) = (false, time)
            events += update(at: time)
            ask()
        }
        if case .tick = step { events += settled(at: time) }
        return events
    }

    /// When the table may be built again. Each time looks at all rows and proofs, and a flood can bring
    /// thousands of steps: with many rows it is done less often, 20 ms apart with 1,000 and 2 s with 10,000.
    private var nextUpdate: Duration {
        let pause = Duration.microseconds(20) * rows.count * max(1, rows.count / 1_000)
        return lastUpdate + min(max(.milliseconds(1), pause), .seconds(2))
    }

    private mutating func apply(_ step: Step, at time: Duration) -> [Event] {
        switch step {
        case .sighting(let sighting, let browse): return take(sighting, browse, at: time)
        case .browseEnded(let words, let browse):
            browses[browse].end()
            return told.insert(words).inserted ? [.incomplete(words)] : []
        case .note(let words): return [.incomplete(words)]
        case .probesEnded(let words):
            isProbing = false
            return [.incomplete(words)]
        case .unprotected(let address):
            // Bounded by the maximum number of rows.
            if unprotected.count < HubProofs.maximumCount { unprotected.insert(address) }
        case .noProof(let address):
            asking.remove(address)
            // It was asked again, as its proof has expired.
            if watches { proofs.expire(at: address, before: time - SearchState.proofLifetime) }
            isStale = true
        case .reached(let place, let isOpen): note(place, isOpen: isOpen, at: time)
        case .begun: tasks += 1
        case .ended: tasks -= 1
        case .swept(let done, let total):
            isSweeping = done < total
            return [.progress(done: done, total: total)]
        case .stalled(let pause): rule.stall(for: pause, until: time)
        case .tick:
            expireHints(at: time)
            if watches, time - lastExpiry >= SearchState.proofInterval {
                lastExpiry = time
                askAgain(at: time)
            }
        }
        return []
    }

    /// What a source says of itself, beside that it is waited for.
    private mutating func take(
        _ new: SourceProgress, after old: SourceProgress, _ browse: Int, at time: Duration
    ) -> [Event] {
        var events: [Event] = []
        // A new daemon starts again with its first question.
        let isBack = old.interruption != nil && new.interruption == nil
        if new.hasBegun, !old.hasBegun || isBack { rule.begun = time }
        rule.noteAnswer(after: new.slowest)
        if let host = new.lossyHost, host != old.lossyHost {
            lossSign = "\(host) answered one question and not the other"
        }
        if let error = new.withoutDaemon, old.withoutDaemon == nil {
            browses[browse].becomeEmbedded()
            rule.uncachedSince = time
            let words = "\(error); this process speaks multicast DNS itself"
            if told.insert(words).inserted { events.append(.note(words)) }
        }
        if new.isFlooded, !old.isFlooded {
            events.append(.incomplete("a host floods the network with services; hubs may be missing"))
        }
        if let error = new.interruption, error != old.interruption {
            events.append(.incomplete("\(error); waiting for it to come back"))
        }
        if let unresolved = new.unresolved, unresolved != old.unresolved,
            !listing.hubs.contains(where: { $0.name == unresolved.instance.name })
        {
            let (instance, error) = (unresolved.instance, unresolved.error)
            if instance.isUnicast {
                events.append(.unusable("\(instance.name): \(error)"))
            } else {
                lossSign = "no answer to the question for the address of \(instance.name)"
                events.append(.unusable("\(instance.name) is announced, but does not tell its address"))
            }
        }
        return events
    }

    private mutating func take(_ sighting: Sighting, _ browse: Int, at time: Duration) -> [Event] {
        switch sighting {
        case .quiet(let new):
            guard browses.indices.contains(browse) else { return [] }
            let old = browses[browse].source
            browses[browse].take(new, at: time)
            return take(new, after: old, browse, at: time)
        case .proven(let proof):
            asking.remove(proof.place)
            if proof.isHandshake { note(proof.place, isOpen: true, at: time) }
            if proofs.insert(proof) { isStale = true }
            return []
        case .found(let service, by: let evidence):
            if evidence != .announced, hinted.count < SearchState.maximumHints {
                hinted.insert(service.instance.nameBytes)
            }
            if evidence == .direct, directHosts.count < SearchState.maximumHints,
                directHosts.insert(service.host.lowercased()).inserted
            {
                isStale = true
            }
        case .changed, .gone: break
        }
        let changes = listing.apply(sighting, at: time)
        if case .gone(.address(let address, _, _)) = sighting { drop(address, changes) }
        return changes.compactMap { change in
            switch change {
            case .rejected(let service, let error):
                return .unusable("\(service.instance.name) at \(service.host): \(error)")
            case .flooded(let service):
                return .incomplete(
                    "\(service.host) at \(service.address) announces more than "
                        + "\(HubListing.maximumServicesPerAddress) hubs; the others of it are left out")
            case .overflowed:
                return .incomplete("more hubs are announced than can be; the oldest of them are left out")
            case .removed(let hub):
                withdrawn.formUnion(hub.places.filter(proofs.contains))
                isStale = true
                return nil
            case .added(let hub), .changed(let hub):
                if !withdrawn.isEmpty { withdrawn.subtract(hub.places) }
                isStale = true
                return nil
            }
        }
    }

    private mutating func note(_ place: HubAddress, isOpen: Bool, at time: Duration) {
        guard connects else { return }
        reaching.remove(place)
        let before = reached.updateValue((isOpen, time), forKey: place)?.isOpen
        if before != isOpen { isStale = true }
        // It is back: whose key is it?
        if before == false, isOpen { asked.remove(place) }
        guard !isOpen, !withdrawn.isEmpty else { return }
        for row in rows.values where answers(row.hub) == false && places(of: row.hub).contains(place) {
            dropProofs(of: row.hub.key)
        }
    }

    private mutating func askAgain(at time: Duration) {
        for place in proofs.expired(before: time - SearchState.proofLifetime)
        where asking.count < SearchState.maximumQuestions && asking.insert(place).inserted {
            questions.append(place)
        }
    }

    /// Removes the proofs of an address that a hub no longer has, so that it may be asked again.
    private mutating func drop(_ address: NetworkAddress, _ changes: [HubListing.Change]) {
        for case .changed(let hub) in changes where !hub.addresses.contains(address) {
            forget(HubAddress(address, port: hub.port))
        }
    }

    private mutating func forget(_ place: HubAddress) {
        asked.remove(place)
        if proofs.remove(at: place) { isStale = true }
    }

    /// Removes the proofs of a hub that has announced a goodbye and does not answer. A hub that merely does
    /// not answer may come back.
    private mutating func dropProofs(of key: DiscoveredHub.Key) {
        guard let hub = rows[key]?.hub, hub.sources.isDisjoint(with: SearchState.announcing) else { return }
        guard hub.places.contains(where: withdrawn.contains) else { return }
        for place in hub.places {
            withdrawn.remove(place)
            forget(place)
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
        guard !isAsking(row), !isReaching(row) else { return nil }
        return time + settling(of: row)
    }

    /// When a tick will have something to report, if nothing more comes; nil if nothing waits for its time.
    var nextReport: Duration? {
        let row = fresh.lazy.compactMap { key, since in
            rows[key].flatMap { reportTime(of: $0, changedAt: since) }
        }.min()
        return isStale ? min(row ?? nextUpdate, nextUpdate) : row
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

    package mutating func finish(at time: Duration) -> [Event] {
        isStale = false  // What is not in the table yet is told below: nobody is waited for.
        let shortcoming = shortcoming(at: time)
        var events = update(at: time)
        if let shortcoming { events.append(.incomplete(shortcoming)) }
        let new = fresh.sorted { $0.value < $1.value }.compactMap { rows[$0.key] }
        for row in new + table {
            if let event = say(row) { events.append(event) }
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
        defer { outlook = newOutlook }
        let hubs = proofs.merged(with: listing.hubs, rules: listing.rules, known: pins)
        let new = Dictionary(
            hubs.map { hub in
                let isUnprotected = !unprotected.isEmpty && hub.places.contains(where: unprotected.contains)
                // Assessing compares names: not again for a hub that is as it was.
                if let old = rows[hub.key], old.hub == hub, old.isUnprotected == isUnprotected {
                    var row = old
                    row.answers = answers(hub)
                    return (hub.key, row)
                }
                return (
                    hub.key,
                    AssessedHub(hub, known: known, answers: answers(hub), isUnprotected: isUnprotected)
                )
            },
            uniquingKeysWith: { first, _ in first })
        guard new != rows else { return [] }
        // That a hub answers is no sign that there are more.
        let isNews = new.count != rows.count || new.contains { rows[$0]?.hub != $1.hub }
        var appeared = new.keys.filter { rows[$0] == nil }
        var events: [Event] = []
        for (key, row) in rows where new[key] == nil {
            fresh[key] = nil
            hinted.remove(key.name)
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
            // What was told is told again at the end, if nobody watches.
            if watches || said[key] == nil { fresh[key] = time }
            lastName = row.hub.name
        }
        rows = new
        hasUntried = true
        if isNews { rule.lastNews = max(rule.lastNews, time) }
        if reached.count > 2 * SearchState.reachedPerRow * (rows.count + SearchState.maximumReaching) {
            let used = Set(rows.values.flatMap { places(of: $0.hub) })
            reached = reached.filter { used.contains($0.key) }
        }
        return events + [.table(Table(rows: Array(rows.values)))]
    }

    private func isAsking(_ row: AssessedHub) -> Bool {
        guard !asking.isEmpty else { return false }
        // It may be one that is announced, which is asked for its key.
        if let fingerprint = row.hub.pin?.fingerprint, askedFor.contains(fingerprint) { return true }
        return row.hub.places.contains(where: asking.contains)
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
            let stock = hub.id == nil ? hub.addresses.filter { $0.family == .ipv4 } : []
            let mayBeSeveral = stock.count > 1 && !stock.allSatisfy(isOwn)
            let isAnswered = hub.pin == nil && hub.id.map(apart.contains) == true
            guard row.bearsKnownID || mayBeSeveral || isAnswered else { continue }
            for question in hub.places.prefix(SearchState.maximumQuestionsPerRow)
            where !proofs.hasHandshake(at: question) && asked.count < SearchState.maximumQuestions {
                guard asked.insert(question).inserted else { continue }
                asking.insert(question)
                questions.append(question)
                if isAnswered, let id = hub.id { askedFor.insert(id) }
            }
        }
    }
}
