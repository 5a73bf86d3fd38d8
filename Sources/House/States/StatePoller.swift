import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// Knows the states of all appliances, of all servers: once for all who want to know.
///
/// It asks the upstream every second while somebody watches or a rule exists, at once after an order, and
/// when somebody wants to know and the last answer is older than a second. One question is under way at a
/// time. Whatever the reason, the next one waits at least as long as the upstream took to answer, and 50 ms:
/// at most 20 a second and half of the upstream's time, however many orders and readers there are.
///
/// Servers that have joined tell of their changes, which are taken as they come, with the same rest between
/// two times, and a second while nobody watches.
final class StatePoller: Sendable {
    /// The time from one poll to the next, while somebody watches.
    private static let interval = Duration.seconds(1)
    /// The least time from one poll to the next after an order: many orders at once are one change.
    private static let shortest = Duration.milliseconds(50)
    /// How old an answer may be for somebody who asks once.
    private static let freshness = Duration.seconds(1)
    /// How long somebody who asks waits for an answer, if there are earlier states to tell.
    private static let patience = AnswerTimes.known

    private struct State {
        var states = KnownStates()
        /// What the database has.
        var recorded = KnownStates()
        var hasLoaded = false
        /// False while another gate's house polls: this one asks when somebody wants to know, and keeps
        /// nothing.
        var acts = true
        /// What is known counts only once the database was read.
        var isToLoad = false
        /// The states are newer than the database.
        var isRecording = false
        var time: Moment?
        var lastEnd: ContinuousClock.Instant?
        /// How long the last question took.
        var lastDuration = Duration.zero
        /// What the upstream said last, and when; nil: it was not asked yet.
        var upstream: (look: ServerLook, time: Moment)?
        /// Somebody wants to know what the upstream says now.
        var isToAsk = false
        /// When the upstream is due to be asked again, if anybody watches.
        var nextAsking: ContinuousClock.Instant?
        /// When the servers' words were last put together, and how long that took.
        var lastTaking: ContinuousClock.Instant?
        var lastTakingDuration = Duration.zero
        /// An answer to a question from before may still have the states from before.
        var lastOrder: ContinuousClock.Instant?
        var lastSuccess: ContinuousClock.Instant?
        var fault: String?
        var hasAnswered = false
        var unanswered: Set<String> = []
        var seen = SeenAppliances()
        /// What all servers said when the last poll had no news, and all was on disk.
        var settled: [SeenAppliances.Part]?
        /// Another number whenever the states or the appliances may be others.
        var revision = 0
        /// What the database has of them.
        var keptSeen: [SeenAppliances.Appliance] = []
        var watchers = 0
        var reasons: Set<String> = []
        var observers: [Observer] = []
        /// Messages that could not be written down yet.
        var drafts: [MessageDraft] = []
        /// Those who wait for a poll, and when it must have begun at the earliest.
        var waiting: [ObjectIdentifier: (CheckedContinuation<Void, Never>, since: ContinuousClock.Instant?)] =
            [:]
    }

    private let servers: HouseServers
    private let sight: FirstSight?
    private let store: StateStore
    private let messages: MessageLog
    private let log: ServeLog
    private let clock: @Sendable () -> Moment
    private let state = Mutex(State())
    private let looking = Mutex<RecurringLook?>(nil)
    private let onStanding = Callback<Void>()
    private let lists = Callback<([ControlledDevice], Set<String>)>()

    init(
        _ servers: HouseServers, _ store: StateStore, _ messages: MessageLog, sight: FirstSight? = nil,
        log: ServeLog, clock: @escaping @Sendable () -> Moment,
        acts: Bool = true
    ) {
        (self.servers, self.store, self.messages, self.sight) = (servers, store, messages, sight)
        (self.log, self.clock) = (log, clock)
        state.withLock { $0.acts = acts }
    }

    /// Begins to poll when there is a reason to.
    func start() {
        looking.withLock {
            $0 = RecurringLook(remembering: ()) { [weak self] _ in await self?.poll() ?? nil }
        }
        servers.whenChanged { [weak self] in self?.takeSoon() }
    }

    /// Ends it, and forgets the observers: they hold it, too.
    func stop() async {
        store.feed.close()
        await looking.withLock { $0.take() }?.stop()
        release()
        if state.withLock(\.acts) { await keepSeen() }
        state.withLock { $0.observers = [] }
        onStanding.observe(nil)
    }

    /// When the server behind the hub was last read, and why it cannot be read now.
    var standing: HouseStanding { state.withLock { HouseStanding(time: $0.time, fault: $0.fault) } }

    /// `body` is called when it can be read no more, and when it can again.
    func whenStandingChanges(_ body: @escaping @Sendable () -> Void) { onStanding.observe(body) }

    /// Calls `body` with each list of the upstream's, and the ids of those that did not answer.
    func onList(_ body: @escaping @Sendable ([ControlledDevice], Set<String>) -> Void) {
        lists.observe { body($0.0, $0.1) }
    }

    /// Is told of the changes of one poll, by device and activator, before the watchers are; there is one at
    /// least. At the first sight of an activator `before` is nil.
    ///
    /// - Returns: the messages that come of them. They are written down together with the states, so that a
    ///   hub that is killed neither forgets one nor tells it twice. To act on them once they are on disk,
    ///   register with ``MessageLog/add(_:)``.
    typealias Observer = @Sendable ([StateChange]) async -> [MessageDraft]

    /// Registers an observer. They are told in the order in which they were registered.
    func add(_ observer: @escaping Observer) { state.withLock { $0.observers.append(observer) } }

    /// Says whether there is a reason to poll other than watchers.
    func setReason(_ name: String, _ exists: Bool) {
        let isNew = state.withLock { state in
            guard exists else {
                state.reasons.remove(name)
                return false
            }
            return state.reasons.insert(name).inserted
        }
        if isNew { look() }
    }

    /// Polls while the returned value exists.
    func watch() -> Watching {
        state.withLock { $0.watchers += 1 }
        look()
        return Watching(self)
    }

    /// One who watches.
    final class Watching: Sendable {
        private let poller: StatePoller

        fileprivate init(_ poller: StatePoller) { self.poller = poller }

        deinit { poller.state.withLock { $0.watchers -= 1 } }
    }

    /// A state may have changed: what was known is no longer new. Polls at once if anybody has wanted to know
    /// states; a house that does without them has its server to itself.
    func orderPassed() {
        let isUsed = state.withLock { state in
            state.lastSuccess = nil
            state.lastOrder = .now
            return state.watchers > 0 || !state.reasons.isEmpty || !state.states.changes.isEmpty
                || !state.waiting.isEmpty
        }
        if isUsed { look() }
    }

    /// The server behind the hub does not answer any more, or answers again: known before a poll has ended.
    func upstreamChanged(_ outage: UpstreamBreaker.Outage?) {
        servers.hestia.note(outage)
        let isKnown = state.withLock { $0.fault != nil }
        guard let outage else { return look() }
        // The poll that found out says what was wrong, whether its answer or this comes first.
        guard !isKnown else { return }
        let words = UpstreamTurns.Refusal.away(outage).words
        let now = clock()
        state.withLock { $0.upstream = (.away(words, hasAnswered: false), now) }
        if servers.all.isEmpty { fail(words, hasAnswered: false) } else { takeSoon() }
    }

    /// Polls at once.
    func look() {
        state.withLock { $0.isToAsk = true }
        takeSoon()
    }

    /// Takes what the servers say that tell by themselves.
    private func takeSoon() { looking.withLock { $0 }?.look() }

    /// Polls for all gates from now on, whether or not anybody watches here: what has changed since the last
    /// one did is a change.
    func act() {
        state.withLock { state in
            (state.acts, state.hasLoaded, state.isToLoad) = (true, false, true)
            (state.settled, state.time) = (nil, nil)
        }
        setReason("site", true)
        look()
    }

    /// The gate that polls has written.
    func othersWrote() {
        state.withLock { $0.hasLoaded = false }
        store.feed.restart()
    }

    // MARK: What is known

    /// How an activator is, as far as is known.
    func state(_ key: StateKey) -> JSONValue? { state.withLock { $0.states.state(key) } }

    /// What people call an activator, as it was last listed: `Desk lamp: On/Off`; nil if it was not yet.
    func name(of device: String, _ activator: String) -> String? {
        let seen = state.withLock(\.seen.all)
        guard let listed = seen.first(where: { $0.device.id == device })?.device else { return nil }
        let part = listed.activators.first { $0.id == activator }?.name
        return [listed.name, part].compactMap(\.self).joined(separator: ": ")
    }

    /// The states as they are now, or as they were last known.
    ///
    /// They are told once they are kept, or cannot be kept within ``patience``: a hub that was killed before
    /// would not know that a rule can come true again, and whoever was told so would be told of no alarm.
    ///
    /// - Parameters:
    ///   - isNew: asks the upstream now, however new the last answer is.
    ///   - patience: how long to wait for its answer, if not the usual time.
    func report(isNew: Bool = false, patience: Duration? = nil) async -> StateReport {
        await load()
        let since = isNew ? ContinuousClock.now : nil
        let (isFresh, mayBeOld) = state.withLock { state in
            (
                !isNew && state.fault == nil
                    && state.lastSuccess.map { ContinuousClock.now - $0 < StatePoller.freshness } ?? false,
                !state.states.changes.isEmpty
            )
        }
        await waitForPoll(
            since: since, patience ?? (mayBeOld ? StatePoller.patience : .seconds(10)), ifRecording: isFresh)
        return state.withLock {
            StateReport(
                states: $0.states, time: $0.time, fault: $0.fault, hasAnswered: $0.hasAnswered,
                since: $0.fault == nil ? nil : servers.hestia.outage?.since, unanswered: $0.unanswered,
                appliances: $0.seen.all, took: $0.lastDuration, revision: $0.revision)
        }
    }

    /// One who waits for a poll. Not in the function: Swift 6.2 with assertions fails at a class there.
    private final class Waiter: Sendable {}

    /// Polls, and returns when that is over, or after some time.
    ///
    /// - Parameters:
    ///   - since: a poll that began before it does not count; nil: any counts.
    ///   - ifRecording: does not poll, and waits only for a poll that has its answer.
    private func waitForPoll(
        since: ContinuousClock.Instant?, _ time: Duration, ifRecording: Bool
    ) async {
        if ifRecording, !state.withLock(\.isRecording) { return }
        let waiter = Waiter()
        let give = { @Sendable [self] in
            state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(waiter)) }?.0.resume()
        }
        let alarm = Task {
            try? await Task.sleep(for: time)
            give()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = looking.withLock { $0 } == nil || Task.isCancelled
                if isOver { return continuation.resume() }
                let waits = state.withLock { state in
                    guard !ifRecording || state.isRecording else { return false }
                    state.waiting[ObjectIdentifier(waiter)] = (continuation, since)
                    return true
                }
                guard waits else { return continuation.resume() }
                if !ifRecording { look() }
            }
        } onCancel: {
            give()
        }
        alarm.cancel()
    }

    /// - Parameter start: when the poll that is over began; nil: all wait no longer.
    private func release(_ start: ContinuousClock.Instant? = nil) {
        let ready = state.withLock { state in
            let ready = state.waiting.filter { _, waiter in
                guard let start, let since = waiter.since else { return true }
                return since <= start
            }
            for id in ready.keys { state.waiting[id] = nil }
            return Array(ready.values)
        }
        for (continuation, _) in ready { continuation.resume() }
    }

    // MARK: The poll

    /// - Returns: in how many seconds to poll again; nil: when there is a reason.
    private func poll() async -> Double? {
        await load()
        // One that begins meanwhile begins with the next.
        let (joined, acts) = (servers.all, state.withLock(\.acts))
        // Whoever asks for the states of now is not kept waiting for the server's rest: of many at once, all
        // but the first wait for the same next answer.
        let (rest, isAsked, isToAsk, takingRest) = state.withLock { state in
            let now = ContinuousClock.now
            let isWanted = acts && (state.watchers > 0 || !state.reasons.isEmpty)
            if !acts, state.waiting.isEmpty { state.isToAsk = false }
            let isDue = isWanted && state.nextAsking.map { $0 <= now } ?? true
            let isAsked = state.waiting.values.contains { $0.1 != nil }
            let pause = isWanted ? StatePoller.shortest : StatePoller.interval
            return (
                state.lastEnd.map { max(StatePoller.shortest, state.lastDuration) - (now - $0) } ?? .zero,
                isAsked, state.isToAsk || isAsked || isDue,
                state.lastTaking.map { max(pause, state.lastTakingDuration) - (now - $0) } ?? .zero
            )
        }
        // Not slept here: the end of the hub would wait for it.
        let isTooSoon = !isAsked && rest > StatePoller.shortest
        if isToAsk, isTooSoon, joined.isEmpty { return rest.inSeconds }
        let asks = isToAsk && !isTooSoon
        if !asks, takingRest > StatePoller.shortest {
            return (isToAsk ? min(takingRest, rest) : takingRest).inSeconds
        }
        let left = asks ? (isAsked ? .zero : rest) : takingRest
        if left > .zero { try? await Task.sleep(for: left) }
        let start = ContinuousClock.now
        let wasAway = state.withLock { $0.fault != nil }
        if asks { await askUpstream() }
        await take(joined, asked: asks ? start : nil, acts: acts)
        // A hub that is killed meanwhile still knows how old all is.
        if acts, !wasAway, state.withLock({ $0.fault != nil }) { await keepSeen() }
        let end = ContinuousClock.now
        let (isOutdated, next) = state.withLock { state in
            let isWanted = acts && (state.watchers > 0 || !state.reasons.isEmpty)
            (state.lastTaking, state.lastTakingDuration) = (end, end - start)
            if asks {
                let took = state.lastDuration
                state.lastEnd = end
                state.nextAsking = end + max(StatePoller.interval - (end - start), took)
            }
            let soonest = state.lastEnd.map { $0 + max(StatePoller.shortest, state.lastDuration) } ?? end
            let next = state.isToAsk ? soonest : isWanted ? state.nextAsking ?? end : nil
            return (state.lastOrder.map { $0 > start } ?? false, next)
        }
        // A client that waits after an order waits for the next answer, which that order has asked for.
        if asks, !isOutdated { release(start) }
        return next.map { max(Duration.zero, $0 - .now).inSeconds }
    }

    private func askUpstream() async {
        let known = state.withLock { state in
            state.isToAsk = false
            return state.seen.ids(of: nil)
        }
        let start = ContinuousClock.now
        let look = await servers.hestia.look(knowing: known)
        let now = clock()
        state.withLock { state in
            state.upstream = (look, now)
            // One that is away needs no rest, and is asked as soon as somebody wants to know.
            let hasAnswered = if case .away(_, false) = look { false } else { true }
            state.lastDuration = hasAnswered ? .now - start : .zero
        }
    }

    /// Puts together what all servers say.
    ///
    /// - Parameter asked: when the upstream was asked; nil: its last answer counts.
    private func take(
        _ joined: [(kind: JoinedKind, house: any JoinedHouse)], asked: ContinuousClock.Instant?, acts: Bool
    ) async {
        let now = clock()
        let (seen, upstream) = state.withLock { ($0.seen, $0.upstream) }
        var parts: [SeenAppliances.Part] = []
        var faults: [(words: String, hasAnswered: Bool)] = []
        func add(_ look: ServerLook, of kind: JoinedKind?, at time: Moment) {
            let known = seen.ids(of: kind)
            switch look {
            case .things(let devices, let unanswered):
                parts.append(.init(kind: kind, devices: devices, time: time, unanswered: unanswered))
            case .away(let words, let hasAnswered):
                parts.append(.init(kind: kind, devices: [], time: time, unanswered: Set(known)))
                // A web page behind the hub has no things, and is no reason to say that things are silent.
                faults.insert((words, hasAnswered), at: known.isEmpty ? faults.count : 0)
            }
        }
        if let upstream { add(upstream.look, of: nil, at: upstream.time) }
        for (kind, house) in joined { add(await house.look(knowing: seen.ids(of: kind)), of: kind, at: now) }
        let hasAnswer = faults.count < parts.count
        if upstream == nil {
            // Nobody has wanted to know yet: they are as they were, and nothing is wrong.
            parts.append(.init(devices: [], time: now, unanswered: Set(seen.ids(of: nil))))
        }
        let kinds = Set(joined.map(\.kind))
        let hasLeft = seen.ids.contains { JoinedKind(thing: $0).map { !kinds.contains($0) } ?? false }
        // What has left goes, though nobody else answers.
        if hasAnswer || hasLeft { await take(parts, asked: asked, acts: acts) }
        if !hasAnswer, let fault = faults.first { fail(fault.words, hasAnswered: fault.hasAnswered) }
        guard acts, hasAnswer else { return }
        let known = Set(seen.ids)
        let new = parts.filter { $0.kind != nil }.flatMap(\.devices).map(\.id).filter { !known.contains($0) }
        await sight?.take(new.compactMap { servers.hints(for: $0) })
    }

    private func fail(_ words: String, hasAnswered: Bool) {
        let isNew = state.withLock { state in
            defer { (state.fault, state.hasAnswered, state.unanswered) = (words, hasAnswered, []) }
            state.settled = nil
            return state.fault == nil
        }
        if isNew { onStanding.tell() }
    }

    private func take(
        _ parts: [SeenAppliances.Part], asked: ContinuousClock.Instant?, acts: Bool
    ) async {
        let now = clock()
        let devices = parts.flatMap(\.devices)
        let unanswered = parts.reduce(into: Set<String>()) { $0.formUnion($1.unanswered) }
        lists.tell((devices, unanswered))
        typealias News = ([StateChange], unrecorded: [StateChange], [Observer], isNew: Bool, isBack: Bool)
        let (changes, unrecorded, observers, isNew, isBack) = state.withLock { state -> News in
            let isBack = state.fault != nil || state.time == nil
            if state.isToLoad { return ([], [], [], false, false) }
            state.seen.take(parts)
            state.time = now
            if let asked { state.lastSuccess = state.lastOrder.map { $0 > asked } ?? false ? nil : .now }
            (state.fault, state.hasAnswered) = (nil, true)
            if let settled = state.settled, settled.elementsEqual(parts, by: { $0.says($1) }) {
                return ([], [], [], false, isBack)
            }
            let changes = state.states.changes(to: devices, unanswered: unanswered, at: now.wall)
            let unrecorded = state.recorded.changes(to: devices, unanswered: unanswered, at: now.wall)
            state.states.take(changes)
            let silent = unanswered.intersection(state.seen.ids)
            // When a silence begins it is kept, too: the times in the database are old.
            let isNew = !state.seen.isDescribed(as: state.keptSeen) || !silent.isSubset(of: state.unanswered)
            state.isRecording = !unrecorded.isEmpty || isNew
            state.unanswered = silent
            state.settled = changes.isEmpty && unrecorded.isEmpty && !isNew ? parts : nil
            state.revision += 1
            return (changes, unrecorded, state.observers, isNew, isBack)
        }
        if isBack { onStanding.tell() }
        guard acts else { return state.withLock { $0.isRecording = false } }
        var drafts: [MessageDraft] = []
        if !changes.isEmpty {
            for observer in observers { drafts += await observer(changes) }
        }
        await record(unrecorded, changes, drafts)
        if isNew { await keepSeen() }
        state.withLock { $0.isRecording = false }
    }

    /// Writes down which appliances there are, and when each was seen.
    private func keepSeen() async {
        let (seen, isKnown) = state.withLock { ($0.seen.all, $0.time != nil) }
        guard isKnown else { return }
        do throws(DatabaseError) {
            try await store.keep(seen)
            state.withLock { $0.keptSeen = seen }
        } catch {
            log.warning(.fault, "what there is in the house cannot be kept: \(describing(error))")
        }
    }

    /// Writes down what the database does not have, and tells the watchers.
    private func record(
        _ unrecorded: [StateChange], _ changes: [StateChange], _ new: [MessageDraft]
    ) async {
        let drafts = state.withLock { state in
            // While nothing can be written, no more than can be kept in memory.
            state.drafts += new.prefix(MessageLog.maximumWaiting - state.drafts.count)
            return state.drafts
        }
        guard !unrecorded.isEmpty || !drafts.isEmpty else { return }
        do throws(DatabaseError) {
            try await store.record(unrecorded, drafts, messages)
            state.withLock { state in
                state.recorded.take(unrecorded)
                state.drafts = []
            }
        } catch {
            log.warning(.fault, "states cannot be kept: \(describing(error))")
            if !changes.isEmpty { store.tellUnrecorded(state.withLock { $0.states }) }
        }
    }

    /// Everything in the database is another's, or gone: it is read again, and what it lacks written down.
    func databaseWasReplaced() {
        state.withLock { ($0.recorded, $0.keptSeen, $0.settled) = (KnownStates(), [], nil) }
        store.feed.restart()
        look()
    }

    /// Takes over what the database knows from before the hub started.
    private func load() async {
        guard !state.withLock({ $0.hasLoaded }), let known = try? await store.known(),
            let seen = try? await store.seen()
        else { return }
        state.withLock { state in
            guard !state.hasLoaded else { return }
            (state.hasLoaded, state.isToLoad) = (true, false)
            (state.recorded, state.keptSeen, state.settled) = (known, seen, nil)
            state.revision += 1
            // The database may have been missing until now, or another gate has polled.
            if state.time == nil || !state.acts && state.fault != nil {
                (state.states, state.seen) = (known, SeenAppliances(kept: seen, known))
            }
        }
    }
}
