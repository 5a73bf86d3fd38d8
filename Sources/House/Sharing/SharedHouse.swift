import Dispatch
import Glibc
import HubService
import Identity
import Pairing
import Synchronization

/// A house that several gates have, all with one key: each has a whole copy of it, and one polls.
///
/// It follows the log, and leads while its gate keeps a lease for it: then it polls the server behind the
/// hub, and does all that a house does by itself. The others answer, and write what people decide. A house
/// that leads no longer, or is no copy any more, begins anew.
final class SharedHouse: Sendable {
    /// In milliseconds, while nobody tells of changes.
    private static let pause: Int32 = 500
    /// While the gate tells of them: it may have missed one. Who polls keeps its lease.
    private static let longPause: Int32 = 5_000
    private static let leasePause: Int32 = 2_000
    /// The least time between two rounds: entries that follow each other closely are taken in together.
    private static let leastTime = Duration.milliseconds(100)
    /// How often the other gates are told how far it has come.
    private static let telling = Duration.seconds(2)

    private struct State {
        var isToEnd = false
        var isActing = false
        /// When a majority was asked that said last that it leads.
        var confirmed: ContinuousClock.Instant?
    }

    let gate: String
    let log: SharedLog
    private let records: any HouseRecordStore
    private let hub: HubState
    private let isTold: @Sendable () -> Bool
    private let serveLog: ServeLog
    private let queue = DispatchQueue(label: "hubpair.house.site")
    private let alarm = WakeUp()
    private let state = Mutex(State())
    private let onEnd = Callback<String>()

    /// - Parameters:
    ///   - gate: this one's name among those of its site.
    ///   - isTold: says whether ``look()`` is called for each change of the records.
    ///   - onEnd: called once it has to begin anew.
    init(
        _ gate: String, _ records: any HouseRecordStore, of hub: HubState, log: ServeLog,
        isTold: @escaping @Sendable () -> Bool, onEnd: @escaping @Sendable (String) -> Void
    ) {
        (self.gate, self.records, self.hub, serveLog) = (gate, records, hub, log)
        self.isTold = isTold
        self.log = SharedLog(records)
        self.onEnd.observe(onEnd)
        self.log.onEnd.observe { [weak self] in self?.end($0) }
    }

    /// True while it polls, and does what a house does by itself.
    var isActing: Bool { state.withLock { $0.isActing } }

    /// - Parameter act: called once it leads, and knows all that was acknowledged before.
    func start(_ database: HouseholdDatabase, act: @escaping @Sendable () -> Void) {
        queue.async { [self] in run(database, act) }
        Task { [weak self] in
            while let self, !state.withLock({ $0.isToEnd }) {
                checkLease()
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Looks again; call it when the records may have changed.
    func look() { alarm.call() }

    /// Nobody waits for the site any more; what can be written still is.
    func close() {
        onEnd.observe(nil)
        records.interrupt()
        log.close()
    }

    /// Ends, and lets another lead at once.
    func stop() async {
        state.withLock { ($0.isToEnd, $0.isActing) = (true, false) }
        alarm.call()
        await withCheckedContinuation { done in queue.async { done.resume() } }
        log.onEnd.observe(nil)
        log.onNews.observe(nil)
    }

    private func end(_ words: String) {
        state.withLock { $0.isActing = false }
        log.note(fault: words)
        onEnd.tell(words)
    }

    /// What it does by itself it ends before another house may begin with it, whatever its thread waits for.
    private func checkLease() {
        let isOver = state.withLock { state in
            guard state.isActing, let confirmed = state.confirmed else { return false }
            return .now - confirmed > LogRules.safeTime
        }
        if isOver { end("no majority of the site's etcd answers") }
    }

    /// What it remembers between two rounds.
    private struct Round {
        var lease: String?
        var term: [UInt8]?
        var base: LogBase?
        var grown = 0
        var told: (place: LogPlace, time: ContinuousClock.Instant)?
        var fault: String?
        /// What the other gates are told of it; empty: that there is none.
        var toldFault: String?
        var isBehind = false
    }

    private func run(_ database: HouseholdDatabase, _ act: @Sendable () -> Void) {
        var round = Round()
        while !state.withLock({ $0.isToEnd }) {
            let begun = ContinuousClock.now
            look(database, &round, act)
            guard !round.isBehind else { continue }
            alarm.wait(milliseconds: pause(round))
            let left = SharedHouse.leastTime - (.now - begun)
            if left > .zero { usleep(UInt32(left / .microseconds(1))) }
        }
        // Without a majority it ends by itself.
        if let lease = round.lease, round.fault == nil { _ = records.ask(.lease(.end(lease))) }
    }

    private func pause(_ round: Round) -> Int32 {
        guard isTold(), round.fault == nil else { return SharedHouse.pause }
        return round.lease == nil ? SharedHouse.longPause : SharedHouse.leasePause
    }

    /// Why a round has not come to its end. Never reaches a user: the log has its words.
    private struct Fault: Error {
        let words: String
        /// The site does not say anything.
        var isAway = false
    }

    private func look(
        _ database: HouseholdDatabase, _ round: inout Round, _ act: @Sendable () -> Void
    ) {
        round.isBehind = false
        do {
            try keepLease(&round)
            // The place is known once the database is open.
            if log.isInDoubt || log.place == nil {
                try use(database) { [log] connection throws(DatabaseError) in try log.decide(&connection) }
            }
            // The database's thread may go on while this one waits.
            let place = log.place
            let answer = try ask(SharedLog.question(after: place))
            round.base = answer.entries[HouseRecords.base].flatMap { LogBase($0) }
            switch LogRules.following(place, answer.entries) {
            case .begin: try begin(database)
            case .replace: try replace(database, round.base)
            case .unreadable(let position):
                throw Fault(words: "its log has an entry of a newer hubpair (\(position)): install that here")
            case .take(let entries):
                try take(entries, behind: place, database, round.base)
                round.isBehind = true
            case .upToDate:
                if round.fault != nil { serveLog.notice("this house is one with the site's again") }
                round.fault = nil
                log.note(fault: nil)
                tell(fault: "", &round)
                try lead(answer.entries[HouseRecords.leader], &round, act)
                try tell(&round)
                try shorten(database, &round)
            }
        } catch {
            let fault = error as? Fault ?? Fault(words: describing(error))
            note(fault.words, &round)
            if !fault.isAway { tell(fault: fault.words, &round) }
        }
    }

    private func take(
        _ entries: [LogEntry], behind place: LogPlace?, _ database: HouseholdDatabase, _ base: LogBase?
    ) throws {
        let result = Result {
            try use(database) { [log] connection throws(DatabaseError) in
                try log.take(entries, behind: place, &connection)
            }
        }
        if case .failure(let error) = result {
            guard let error = error as? DatabaseError, case .misfit = error else { throw error }
            try mend(database, entries, behind: place, base, error)
        }
    }

    private func note(_ words: String, _ round: inout Round) {
        log.note(fault: words)
        if round.fault == nil, !state.withLock({ $0.isToEnd }) {
            serveLog.error("the house takes no changes, since gates share it: \(words)")
        }
        round.fault = words
    }

    private func ask(_ question: SiteRecords.Question) throws(Fault) -> SiteRecords.Answer {
        guard let answer = records.ask(question) else {
            throw Fault(words: "the gate does not answer", isAway: true)
        }
        if let fault = answer.fault { throw Fault(words: fault, isAway: true) }
        return answer
    }

    private func use<Value: Sendable>(
        _ database: HouseholdDatabase,
        _ body: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        let box = Box<Value>()
        database.enqueue(asCopy: true, body) { outcome in
            box.result.withLock { $0 = outcome }
            box.done.signal()
        }
        box.done.wait()
        guard let result = box.result.withLock({ $0 }) else { throw .closed("the hub ends") }
        return try result.get()
    }

    private final class Box<Value: Sendable>: Sendable {
        let done = DispatchSemaphore(value: 0)
        let result = Mutex<Result<Value, DatabaseError>?>(nil)
    }

    // MARK: Leading

    private func keepLease(_ round: inout Round) throws(Fault) {
        guard let lease = round.lease else { return }
        let asked = ContinuousClock.now
        guard try ask(.lease(.keep(lease))).lease != nil else {
            round.lease = nil
            return end("its lease has ended")
        }
        state.withLock { $0.confirmed = asked }
    }

    private func lead(
        _ leader: [UInt8]?, _ round: inout Round, _ act: @Sendable () -> Void
    ) throws(Fault) {
        switch LogRules.leading(leader, term: round.term, isActing: isActing, isUpToDate: true) {
        case .goOn, .follow: break
        case .stop: end("another gate polls")
        case .tryIt:
            let asked = ContinuousClock.now
            guard let lease = try ask(.lease(.begin(seconds: LogRules.leaseTime))).lease else { return }
            let term = Array("\(gate) \(LogPlace.mark())".utf8)
            let answer = records.ask(
                .change(
                    [.init(HouseRecords.leader, is: nil)], [.put(HouseRecords.leader, term, lease: lease)],
                    else: [.init(HouseRecords.leader)]))
            // An earlier member may have made it, and not have said so.
            guard answer?.isDone == true || answer?.entries[HouseRecords.leader] == term else {
                _ = records.ask(.lease(.end(lease)))
                return
            }
            (round.lease, round.term) = (lease, term)
            log.lead(as: term)
            state.withLock { $0.confirmed = asked }
            // What others wrote until now comes first.
            round.isBehind = true
        case .begin:
            guard !state.withLock({ $0.isToEnd }) else { return }
            state.withLock { $0.isActing = true }
            serveLog.notice("this gate polls the server behind the hub, for all gates of the site")
            act()
        }
    }

    private func tell(_ round: inout Round) throws(Fault) {
        guard let place = log.place, place != round.told?.place,
            round.told.map({ .now - $0.time >= SharedHouse.telling }) ?? true
        else { return }
        guard try ask(.change([], [.put(HouseRecords.at(gate), place.bytes)], else: [])).isDone else {
            throw Fault(words: SharedLog.out)
        }
        round.told = (place, .now)
    }

    /// Says at all gates what keeps this house from taking in what the others write.
    private func tell(fault words: String, _ round: inout Round) {
        guard words != round.toldFault, !state.withLock({ $0.isToEnd }) else { return }
        let key = HouseRecords.fault(of: gate)
        let change: SiteRecords.Change = words.isEmpty ? .delete(key) : .put(key, Array(words.utf8))
        // Nothing depends on it.
        if records.ask(.change([], [change], else: []))?.isDone == true { round.toldFault = words }
    }

    // MARK: Copies

    /// This house is where all of them begin.
    private func begin(_ database: HouseholdDatabase) throws {
        let place = LogPlace(house: LogPlace.mark(), position: 0)
        let bytes = try use(database) { [log, hub] connection throws(DatabaseError) in
            do {
                try FileTable.fill(from: hub, &connection)
            } catch let error as DatabaseError {
                throw error
            } catch {
                throw .closed(describing(error))
            }
            try log.begin(at: place, &connection)
            return try connection.serialized()
        }
        let base = try put(bytes, at: place)
        _ = try ask(
            .change(
                [.init(HouseRecords.last, is: nil)],
                [.put(HouseRecords.last, place.bytes), .put(HouseRecords.base, base.bytes)], else: []))
        serveLog.notice("the house of this gate is the one of all gates of the site with its key")
    }

    private func put(_ database: [UInt8], at place: LogPlace) throws -> LogBase {
        let bytes = try HouseCopy.stripped(database, in: hub)
        guard bytes.count <= LogEntry.maximumByteCount else {
            throw Fault(words: "its database is larger than \(LogEntry.maximumByteCount >> 20) MiB")
        }
        let base = LogBase(place: place, id: LogPlace.mark(), byteCount: bytes.count)
        for number in 0..<base.count {
            let start = number * LogEntry.pieceByteCount
            let piece = bytes[start..<min(start + LogEntry.pieceByteCount, bytes.count)]
            let key = HouseRecords.copy(number, of: base.id)
            guard try ask(.change([], [.put(key, Array(piece))], else: [])).isDone else {
                throw Fault(words: SharedLog.out)
            }
        }
        return base
    }

    /// Begins anew with the copy of another gate.
    private func replace(
        _ database: HouseholdDatabase, _ base: LogBase?, misfits: LogMisfits? = nil
    ) throws {
        guard let base else { throw Fault(words: "the site has no copy of its house") }
        let bytes = try log.pieces(base.count, base.byteCount) { HouseRecords.copy($0, of: base.id) }
        try HouseCopy.keep(bytes, of: base, misfits: misfits, in: hub)
        end("it takes over the house of the site")
    }

    /// This copy is not what the log was written for: damaged, or changed by hand. It begins anew with the
    /// site's copy, and what the log has after it; so nothing is lost that was answered.
    ///
    /// If the same entry does not fit then either, the copy of the gate was not sound that wrote it. All
    /// others take in the same of it, as far as it fits; and so does that one, once something does not fit
    /// there.
    private func mend(
        _ database: HouseholdDatabase, _ entries: [LogEntry], behind start: LogPlace?, _ base: LogBase?,
        _ error: DatabaseError
    ) throws {
        guard let base, let start, let position = log.place?.position else {
            return try replace(database, base)
        }
        let known = try use(database) { connection throws(DatabaseError) in
            try SharedLog.misfits(&connection)
        }
        var misfits = known.flatMap { $0.base == base.id ? $0 : nil } ?? LogMisfits(base: base.id)
        guard misfits.positions.contains(position) else {
            misfits.positions.insert(position)
            serveLog.error(
                "this gate's copy of the house is damaged, or was changed by hand: \(describing(error)). "
                    + "The house is taken over again")
            return try replace(database, base, misfits: misfits)
        }
        let next = Array(entries.prefix(Int(position - start.position) + 1))
        try use(database) { [log] connection throws(DatabaseError) in
            try log.take(next, behind: start, isForced: true, &connection)
        }
        serveLog.error(
            "the copy of the house at another gate was damaged, or changed by hand: \(describing(error)). "
                + "What that gate wrote was taken in as far as it fits")
    }

    /// Makes a new copy, and takes away what came before the last one: who is only a little behind can
    /// follow.
    private func shorten(_ database: HouseholdDatabase, _ round: inout Round) throws {
        round.grown += log.takeByteCount()
        guard isActing, let term = round.term, LogRules.isCopyDue(round.base, grown: round.grown),
            let old = round.base
        else { return }
        round.grown = 0
        let (bytes, place) = try use(database) { [log] connection throws(DatabaseError) in
            (try connection.serialized(), log.place)
        }
        guard let place else { return }
        let base = try put(bytes, at: place)
        let pieces = "copies/\(old.id)/"
        _ = try ask(
            .change(
                [.init(HouseRecords.leader, is: term), .init(HouseRecords.base, is: old.bytes)],
                [
                    .put(HouseRecords.base, base.bytes), .delete(pieces, to: "copies/\(old.id)0"),
                    .delete("log/", to: HouseRecords.entry(old.place.position + 1)),
                    .delete("pieces/", to: HouseRecords.pieces(old.place.position + 1)),
                ], else: []))
        round.base = base
    }
}
