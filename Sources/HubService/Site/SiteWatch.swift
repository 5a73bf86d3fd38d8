import Dispatch
import FoundationEssentials
import Pairing
import Synchronization

/// Keeps a gate's copy up to date while it serves: a watch tells of changes, and every second the site is
/// asked whether there is a newer one, which also confirms that what is known is the newest.
///
/// A hub that is no gate of a site waits for its directory to change: it may join one.
final class SiteWatch: Sendable {
    private static let pause: Int32 = 1_000
    /// Where the kernel tells of no changes, a hub that joins is a gate after that time.
    private static let longPause: Int32 = 60_000
    /// How often it is written down that the copy was confirmed, in seconds; a tenth of the time that it
    /// counts, if that is less.
    private static let noting = 60.0

    /// How often the gates exchange when devices were last let in, and what their journals have.
    private static let exchanging = Duration.seconds(60)

    private struct Inbox {
        /// The number of the watch; nil: it has ended. One that was given up still tells of its end.
        var watch: Int?
        /// The same of the house's records.
        var house: Int?
        var isToEnd = false
    }

    private let state: HubState
    private let log: ServeLog
    private let hub: Fingerprint
    private let entry: @Sendable () -> SiteGates.Gate
    private let onHouse: @Sendable (Bool) -> Void
    private let onStale: @Sendable () -> Void
    private let queue = DispatchQueue(label: "hubpair.site")
    private let inbox = Mutex(Inbox())
    private let alarm = WakeUp()

    /// - Parameters:
    ///   - hub: by the first of its keys, as its records are.
    ///   - entry: what this gate says of itself to the others.
    ///   - onHouse: called when what the houses of the hub share may have changed; with false once nobody
    ///     tells of that any more.
    ///   - onStale: called when known devices may go on no longer.
    init(
        _ state: HubState, of hub: Fingerprint, log: ServeLog,
        entry: @escaping @Sendable () -> SiteGates.Gate,
        onHouse: @escaping @Sendable (Bool) -> Void, onStale: @escaping @Sendable () -> Void
    ) {
        (self.state, self.hub, self.log) = (state, hub, log)
        (self.entry, self.onHouse, self.onStale) = (entry, onHouse, onStale)
        queue.async { [self] in run() }
    }

    /// Looks again; call it when something in the directory has changed.
    func look() { alarm.call() }

    func stop() async {
        inbox.withLock { $0.isToEnd = true }
        alarm.call()
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// What it remembers between two rounds.
    private struct Round {
        var register: SiteRegister?
        var stream: (any SiteStream)?
        /// Of the house's records.
        var house: (any SiteStream)?
        var houseCount = 0
        var watch = 0
        var fault: String?
        var isStale = false
        var noted: ContinuousClock.Instant?
        var told: SiteGates.Gate?
        /// What the gates have seen of the devices, and when that was exchanged last.
        var seen = SeenAtGates()
        /// Nil: not looked yet what this gate's journal has of others.
        var journals: JournalOfGates?
        var exchanged: ContinuousClock.Instant?
        /// The revision of the site in which there is nothing to do about this gate's key.
        var keyed: Int64?
    }

    private func run() {
        var round = Round()
        while !inbox.withLock({ $0.isToEnd }) {
            look(&round)
            alarm.wait(milliseconds: round.register == nil ? SiteWatch.longPause : SiteWatch.pause)
        }
        round.stream?.close()
        round.house?.close()
    }

    private func look(_ round: inout Round) {
        do {
            let directory = try state.open()
            let register = try state.site.register(in: directory)
            if register !== round.register { turn(to: register, &round) }
            guard let register else { return }
            if inbox.withLock({ $0.watch == nil }) { end(&round.stream) }
            let snapshot = try register.current()
            let pause = min(SiteWatch.noting, Double(register.settings.stale) / 10)
            let isNoted = round.noted.map { .now - $0 < .seconds(pause) } ?? false
            if try !register.hasCopied(snapshot, to: directory) || !isNoted {
                try directory.withLock { directory in
                    try register.copy(snapshot, to: directory)
                    if !isNoted { try register.note(snapshot.head, in: directory) }
                }
                if !isNoted { round.noted = .now }
            }
            // One that hangs tells nothing, for as long as TCP waits.
            if round.stream?.isOfWhoAnswers == false { end(&round.stream) }
            if round.stream == nil {
                round.watch += 1
                let number = round.watch
                inbox.withLock { $0.watch = number }
                round.stream = try register.store.watch(after: snapshot.head) {
                    [weak self, weak register] news in self?.take(news, of: number, register)
                }
            }
            try followHouse(register, &round)
            try tell(register, directory, &round)
            try lookAtKey(snapshot, register, directory, &round)
            try exchange(snapshot, register, directory, &round)
            if round.fault != nil { log.notice("the site answers again; this gate is up to date") }
            (round.fault, round.isStale) = (nil, false)
        } catch {
            note(error, &round)
        }
    }

    private func followHouse(_ register: SiteRegister, _ round: inout Round) throws {
        let hasEnded = inbox.withLock { $0.house == nil }
        if hasEnded || round.house?.isOfWhoAnswers == false { end(&round.house) }
        guard round.house == nil else { return }
        round.houseCount += 1
        let number = round.houseCount
        inbox.withLock { $0.house = number }
        round.house = try register.store.watchHouse(of: hub) { [weak self] isTold in
            guard let self else { return }
            let isCurrent = inbox.withLock { inbox in
                guard inbox.house == number else { return false }
                if !isTold { inbox.house = nil }
                return true
            }
            // One that was given up tells of its end, too.
            if isCurrent { onHouse(isTold) }
        }
    }

    private func end(_ stream: inout (any SiteStream)?) {
        stream?.close()
        stream = nil
    }

    /// Tells the other gates which hub this one is and where it is reached, once that is another.
    private func tell(
        _ register: SiteRegister, _ directory: borrowing ProtectedDirectory, _ round: inout Round
    ) throws {
        let entry = entry()
        guard entry != round.told else { return }
        let hasRoom = try directory.withSharedLock { directory in
            let (before, known) = (
                try HubState.siteGates(in: directory), try HubState.siteKeys(in: directory)
            )
            var (gates, keys) = (before, known)
            guard gates.note(register.settings.gate, entry) else { return false }
            // What names its key, too: in one step, or others would take it for another hub.
            keys.add(try HubKeys.statements(in: directory), at: Date())
            var files = gates == before ? [] : [SharedFile(SiteGates.fileName, gates.serialized)]
            if keys != known { files.append(SharedFile(SiteKeys.fileName, keys.serialized)) }
            if !files.isEmpty { try directory.replaceShared(files) }
            return true
        }
        if !hasRoom {
            log.warning(
                .fault,
                "the site has \(SiteGates.maximumCount) gates; the others are not told of this one")
        }
        round.told = entry
    }

    /// Does this gate's part in a change of its key.
    private func lookAtKey(
        _ snapshot: SiteSnapshot, _ register: SiteRegister, _ directory: borrowing ProtectedDirectory,
        _ round: inout Round
    ) throws {
        guard round.keyed != snapshot.head else { return }
        do {
            let isDone = try ChangeKey(state: state).turn(register, directory, now: Date())
            round.keyed = isDone ? snapshot.head : nil
        } catch is KeyError {
            // The hub serves anew, which it cannot, and says why.
        }
    }

    private func exchange(
        _ snapshot: SiteSnapshot, _ register: SiteRegister, _ directory: borrowing ProtectedDirectory,
        _ round: inout Round
    ) throws {
        guard round.exchanged.map({ .now - $0 >= SiteWatch.exchanging }) ?? true else { return }
        // One that fails waits for its next turn: a command may hold the directory's lock for long.
        round.exchanged = .now
        try exchangeSeen(snapshot, register, directory, &round)
        try exchangeJournals(register, directory, &round)
    }

    /// Tells the other gates when devices were let in here, and writes down what they have told.
    private func exchangeSeen(
        _ snapshot: SiteSnapshot, _ register: SiteRegister, _ directory: borrowing ProtectedDirectory,
        _ round: inout Round
    ) throws {
        let fresh = try register.store.seen(after: round.seen.revision)
        round.seen.take(fresh)
        let (now, known) = (Date(), snapshot.devices)
        if !fresh.entries.isEmpty {
            try directory.withLock { directory in
                let before = SeenDevices.record(in: directory, at: now)
                var record = before
                let hub = try HubState.hub(in: directory, at: now)
                let own = [hub.pin, hub.other].compactMap { $0?.fingerprint }
                for (device, entry) in fresh.entries where known.contains(device) {
                    // Another hub's key says nothing of whether it knows this one's.
                    let isOurs = entry.key.map(own.contains) ?? true
                    let key = isOurs ? entry.key : record[device]?.key ?? entry.key
                    record.learn(
                        LastSeen.Entry(entry.time, from: entry.address, key: key), of: device, at: now)
                }
                if record != before { try directory.replace(LastSeen.fileName, with: record.serialized) }
            }
        }
        let news = round.seen.news(SeenDevices.record(in: directory, at: now), known: known, at: now)
        if !news.isEmpty { try register.store.note(news) }
        for (device, entry) in news { round.seen.entries[device] = entry }
    }

    /// The same of what the journals have.
    private func exchangeJournals(
        _ register: SiteRegister, _ directory: borrowing ProtectedDirectory, _ round: inout Round
    ) throws {
        func entries(after id: Int?, limit: Int = JournalOfGates.maximumEntryCount) throws -> [JournalEntry] {
            try Journal.entries(
                of: JournalEntry.Matter.allCases, after: id, limit: limit, in: directory
            ).entries
        }
        // Read anew after each fault: then it says itself what it has.
        var journals = try round.journals ?? JournalOfGates(known: entries(after: 0, limit: .max))
        round.journals = nil
        let (pieces, revision) = try register.store.journals(after: journals.revision)
        journals.revision = revision
        let own = register.settings.gate
        var hosts: [String: String] = [:]
        if pieces.contains(where: { $0.gate != own }) {
            for gate in try register.store.gates() { hosts[gate.id] = gate.name }
        }
        let notes = journals.take(pieces, own: own, hosts: hosts)
        if !notes.isEmpty { try directory.withLock { try Journal.write(notes, in: $0) } }
        while let piece = journals.piece(of: try entries(after: journals.last), own: own) {
            let dropped = journals.dropped()
            try register.store.tell(piece, dropping: dropped)
            journals.note(piece, dropped: dropped)
        }
        round.journals = journals
    }

    /// Another site than before, or none.
    private func turn(to register: SiteRegister?, _ round: inout Round) {
        end(&round.stream)
        end(&round.house)
        inbox.withLock { ($0.watch, $0.house) = (nil, nil) }
        onHouse(false)
        switch (round.register, register) {
        case (_, let register?):
            let members = register.settings.members.map(\.text).joined(separator: ", ")
            log.notice("this hub is a gate of the site at \(members)")
        case (_?, nil): log.notice("this hub is no gate of a site any more")
        case (nil, nil): break
        }
        round = Round(register: register, houseCount: round.houseCount, watch: round.watch)
    }

    /// Takes what a watch tells, at once: a step waits for it that another gate was faster with.
    private func take(_ news: SiteNews, of watch: Int, _ register: SiteRegister?) {
        let isCurrent = inbox.withLock { inbox in
            guard inbox.watch == watch else { return false }
            if news == .broken { inbox.watch = nil }
            return true
        }
        guard isCurrent else { return }
        if case .changed(let parts, let head) = news, register?.take(parts, head: head) == nil {
            // It is read again.
            register?.forget()
        }
        alarm.call()
    }

    private func note(_ error: any Error, _ round: inout Round) {
        // What comes back may be older than what was said: an etcd from its backup.
        round.told = nil
        (round.seen, round.journals) = (SeenAtGates(), nil)
        let words = describing(error)
        // The members take turns in what they say.
        if round.fault == nil || !(error is SiteError) && round.fault != words {
            let stale = round.register.map { Duration.seconds($0.settings.stale).written } ?? ""
            // A command that holds the lock, or a full disk, is none of the site's.
            let fault =
                error is SiteError ? "the site does not answer" : "what the site says cannot be written down"
            log.error("\(fault): nobody can pair, and known devices go on for \(stale): \(words)")
        }
        round.fault = words
        guard let register = round.register, !round.isStale, (try? register.checkFresh()) == nil else {
            return
        }
        round.isStale = true
        log.error("nobody is let in until this gate is up to date again")
        onStale()
    }
}
