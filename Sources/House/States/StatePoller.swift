import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// Asks the upstream for the states of all appliances: once for all who want to know.
///
/// It asks every second while somebody watches or a rule exists, at once after an order, and when somebody
/// wants to know and the last answer is older than a second. One question is under way at a time. Whatever
/// the reason, the next one waits at least as long as the upstream took to answer, and 50 ms: at most 20 a
/// second and half of the upstream's time, however many orders and readers there are.
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
        /// The states are newer than the database.
        var isRecording = false
        var time: Moment?
        var lastEnd: ContinuousClock.Instant?
        /// How long the last question took.
        var lastDuration = Duration.zero
        /// An answer to a question from before may still have the states from before.
        var lastOrder: ContinuousClock.Instant?
        var lastSuccess: ContinuousClock.Instant?
        var fault: String?
        var hasAnswered = false
        /// Since when there is no answer at all, and why.
        var outage: UpstreamBreaker.Outage?
        var unanswered: Set<String> = []
        var seen = SeenAppliances()
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

    private let calls: GateCalls
    private let store: StateStore
    private let messages: MessageLog
    private let log: ServeLog
    private let clock: @Sendable () -> Moment
    private let state = Mutex(State())
    private let looking = Mutex<RecurringLook?>(nil)
    private let onStanding = Mutex<(@Sendable () -> Void)?>(nil)
    private let lists = Mutex<(@Sendable ([ControlledDevice], Set<String>) -> Void)?>(nil)

    init(
        _ calls: GateCalls, _ store: StateStore, _ messages: MessageLog, log: ServeLog,
        clock: @escaping @Sendable () -> Moment
    ) {
        (self.calls, self.store, self.messages) = (calls, store, messages)
        (self.log, self.clock) = (log, clock)
    }

    /// Begins to poll when there is a reason to.
    func start() {
        looking.withLock {
            $0 = RecurringLook(remembering: ()) { [weak self] _ in await self?.poll() ?? nil }
        }
    }

    /// Ends it, and forgets the observers: they hold it, too.
    func stop() async {
        store.feed.close()
        await looking.withLock { $0.take() }?.stop()
        release()
        await keepSeen()
        state.withLock { $0.observers = [] }
        onStanding.withLock { $0 = nil }
    }

    /// When the server behind the hub was last read, and why it cannot be read now.
    var standing: HouseStanding { state.withLock { HouseStanding(time: $0.time, fault: $0.fault) } }

    /// `body` is called when it can be read no more, and when it can again.
    func whenStandingChanges(_ body: @escaping @Sendable () -> Void) { onStanding.withLock { $0 = body } }

    /// Calls `body` with each list of the upstream's, and the ids of those that did not answer.
    func onList(_ body: @escaping @Sendable ([ControlledDevice], Set<String>) -> Void) {
        lists.withLock { $0 = body }
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
        let isKnown = state.withLock { state in
            state.outage = outage
            return state.fault != nil
        }
        guard let outage else { return look() }
        // The poll that found out says what was wrong, whether its answer or this comes first.
        if !isKnown { fail(UpstreamTurns.Refusal.away(outage).words) }
    }

    /// Polls at once.
    func look() { looking.withLock { $0 }?.look() }

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
                since: $0.fault == nil ? nil : $0.outage?.since, unanswered: $0.unanswered,
                appliances: $0.seen.all, took: $0.lastDuration)
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
        // Whoever asks for the states of now is not kept waiting for the server's rest: of many at once, all
        // but the first wait for the same next answer.
        let (lastEnd, lastDuration, isAsked) = state.withLock { state in
            (state.lastEnd, state.lastDuration, state.waiting.values.contains { $0.1 != nil })
        }
        if let lastEnd, !isAsked {
            let left = max(StatePoller.shortest, lastDuration) - (ContinuousClock.now - lastEnd)
            // Not slept here: the end of the hub would wait for it.
            if left > StatePoller.shortest { return left.inSeconds }
            if left > .zero { try? await Task.sleep(for: left) }
        }
        let start = ContinuousClock.now
        let wasAway = state.withLock { $0.fault != nil }
        var hasAnswered = true
        do throws(UpstreamCallError) {
            let reply = try await calls.poll(ControlRequest.devices.target)
            if reply.isSuccess, let devices = ControlledDevice.list(parsing: reply.body) {
                await take(devices, asked: start)
            } else if reply.status >= 500 {
                await askOneByOne(reply, asked: start)
            } else {
                fail(StatePoller.words(reply))
            }
        } catch {
            if case .refused(.away(let outage)) = error { state.withLock { $0.outage = outage } }
            // Since when no request has had an answer says more than that this one had none.
            let outage = error == .timeout ? state.withLock(\.outage) : nil
            fail(outage.map { UpstreamTurns.Refusal.away($0).words } ?? error.description)
            hasAnswered = false
        }
        // A hub that is killed meanwhile still knows how old all is.
        if !wasAway, state.withLock({ $0.fault != nil }) { await keepSeen() }
        let end = ContinuousClock.now
        let took = end - start
        let (isWanted, isOutdated) = state.withLock { state in
            // One that is away needs no rest, and is asked as soon as somebody wants to know.
            (state.lastEnd, state.lastDuration) = (end, hasAnswered ? took : .zero)
            state.hasAnswered = hasAnswered
            return (
                state.watchers > 0 || !state.reasons.isEmpty, state.lastOrder.map { $0 > start } ?? false
            )
        }
        // A client that waits after an order waits for the next answer, which that order has asked for.
        if !isOutdated { release(start) }
        guard isWanted else { return nil }
        return max(StatePoller.interval - took, took).inSeconds
    }

    private static func words(_ reply: UpstreamReply) -> String {
        if reply.isSuccess { return "the answer of the server behind the hub is no list of appliances" }
        return ServerError(status: reply.status, contentType: nil, body: reply.body).isOfBrokenDatabase
            ? "\(ServerError.brokenDatabase): it answers everything with the status \(reply.status)"
            : "the server behind the hub answers with the status \(reply.status)"
    }

    /// One appliance that was asked for. Not a tuple: Swift 6.2 with assertions fails at one from a group.
    private struct Asked {
        let id: String
        let answer: Result<SeenAppliances.Answer, UpstreamCallError>
    }

    /// The list fails as a whole when one appliance does not answer the server: asks for each that is known.
    private func askOneByOne(_ reply: UpstreamReply, asked: ContinuousClock.Instant) async {
        let known = state.withLock(\.seen.ids)
        let calls = calls
        let all: [Asked] = await withTaskGroup { group in
            for id in known {
                group.addTask { Asked(id: id, answer: await StatePoller.answer(for: id, calls)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var answers: [String: SeenAppliances.Answer] = [:]
        for asked in all {
            switch asked.answer {
            case .success(let answer): answers[asked.id] = answer
            case .failure(let error): return fail(error.description)
            }
        }
        let devices = known.compactMap { id in
            if case .listed(let device) = answers[id] { device } else { nil }
        }
        // With none that answers, it is the server that has failed.
        guard !devices.isEmpty else { return fail(StatePoller.words(reply)) }
        await take(devices, answers, asked: asked)
    }

    /// What the server says of one appliance; fails if it is the server that is not there.
    private static func answer(
        for id: String, _ calls: GateCalls
    ) async -> Result<SeenAppliances.Answer, UpstreamCallError> {
        do throws(UpstreamCallError) {
            let reply = try await calls.poll(ControlRequest.device(id).target)
            if reply.status == 404 { return .success(.gone) }
            guard reply.isSuccess, let device = try? JSONReader.read(ControlledDevice.self, from: reply.body),
                device.id == id
            else { return .success(.silent) }
            return .success(.listed(device))
        } catch {
            switch error {
            case .timeout, .brokeOff, .malformed, .tooLarge: return .success(.silent)
            case .noUpstream, .unreachable, .refused, .relayed, .tooMany, .cancelled:
                return .failure(error)
            }
        }
    }

    private func fail(_ words: String) {
        let isNew = state.withLock { state in
            defer { (state.fault, state.unanswered) = (words, []) }
            return state.fault == nil
        }
        if isNew { onStanding.withLock { $0 }?() }
    }

    /// - Parameter answers: what the server says of each, if it cannot list them; `devices` are those that
    ///   answer.
    private func take(
        _ devices: [ControlledDevice], _ answers: [String: SeenAppliances.Answer]? = nil,
        asked: ContinuousClock.Instant
    ) async {
        let now = clock()
        let unanswered = Set((answers ?? [:]).filter { if case .silent = $1 { true } else { false } }.keys)
        lists.withLock { $0 }?(devices, unanswered)
        let (changes, unrecorded, observers, isNew, isBack) = state.withLock { state in
            let isBack = state.fault != nil || state.time == nil
            let changes = state.states.changes(to: devices, unanswered: unanswered, at: now.wall)
            let unrecorded = state.recorded.changes(to: devices, unanswered: unanswered, at: now.wall)
            state.states.take(changes)
            if let answers { state.seen.take(answers, at: now) } else { state.seen.take(devices, at: now) }
            // When a silence begins it is kept, too: the times in the database are old.
            let isNew =
                !state.seen.isDescribed(as: state.keptSeen) || !unanswered.isSubset(of: state.unanswered)
            state.isRecording = !unrecorded.isEmpty || isNew
            state.time = now
            state.lastSuccess = state.lastOrder.map { $0 > asked } ?? false ? nil : .now
            state.fault = nil
            state.unanswered = unanswered
            return (changes, unrecorded, state.observers, isNew, isBack)
        }
        if isBack { onStanding.withLock { $0 }?() }
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
        state.withLock { ($0.recorded, $0.keptSeen) = (KnownStates(), []) }
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
            state.hasLoaded = true
            (state.recorded, state.keptSeen) = (known, seen)
            // The database may have been missing until now.
            if state.time == nil { (state.states, state.seen) = (known, SeenAppliances(kept: seen, known)) }
        }
    }
}
