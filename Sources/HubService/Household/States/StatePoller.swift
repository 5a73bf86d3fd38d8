import FoundationEssentials
import Home
import Household
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
    private static let patience = Duration.seconds(2)

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
        var unanswered: Set<String> = []
        /// As each appliance was last listed, by its id, and when.
        var lastSeen: [String: (device: ControlledDevice, time: Moment)] = [:]
        var watchers = 0
        var reasons: Set<String> = []
        var observers: [any StateObserver] = []
        /// Messages that could not be written down yet.
        var drafts: [MessageDraft] = []
        var waiting: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]
    }

    private let calls: UpstreamCalls
    private let store: StateStore
    private let messages: MessageLog
    private let log: ServeLog
    private let clock: @Sendable () -> Moment
    private let state = Mutex(State())
    private let looking = Mutex<RecurringLook?>(nil)
    private let onStanding = Mutex<(@Sendable () -> Void)?>(nil)

    init(
        _ calls: UpstreamCalls, _ store: StateStore, _ messages: MessageLog, log: ServeLog,
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
        state.withLock { $0.observers = [] }
        onStanding.withLock { $0 = nil }
    }

    /// When the server behind the hub was last read, and why it cannot be read now.
    var standing: HouseStanding { state.withLock { HouseStanding(time: $0.time, fault: $0.fault) } }

    /// `body` is called when it can be read no more, and when it can again.
    func whenStandingChanges(_ body: @escaping @Sendable () -> Void) { onStanding.withLock { $0 = body } }

    /// Registers an observer. They are told in the order in which they were registered.
    func add(_ observer: some StateObserver) { state.withLock { $0.observers.append(observer) } }

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

    /// Polls at once.
    func look() { looking.withLock { $0 }?.look() }

    // MARK: What is known

    /// The states as they are now, or as they were last known.
    ///
    /// They are told once they are kept, or cannot be kept within ``patience``: a hub that was killed before
    /// would not know that a rule can come true again, and whoever was told so would be told of no alarm.
    func report() async -> StateReport {
        await load()
        let (isFresh, mayBeOld) = state.withLock { state in
            (
                state.fault == nil
                    && state.lastSuccess.map { ContinuousClock.now - $0 < StatePoller.freshness } ?? false,
                !state.states.changes.isEmpty
            )
        }
        await waitForPoll(mayBeOld ? StatePoller.patience : .seconds(10), ifRecording: isFresh)
        return state.withLock {
            StateReport(
                states: $0.states, time: $0.time, fault: $0.fault, unanswered: $0.unanswered,
                silent: StatePoller.silent(in: $0))
        }
    }

    /// Those that the last poll had no answer from, as they were before.
    private static func silent(in state: State) -> [StateReport.Silent] {
        let all = state.lastSeen.values
        let silent = state.fault == nil ? all.filter { state.unanswered.contains($0.device.id) } : Array(all)
        return silent.sorted { $0.device.id < $1.device.id }.map { .init(device: $0.device, time: $0.time) }
    }

    /// Polls, and returns when that is over, or after some time.
    ///
    /// - Parameter ifRecording: does not poll, and waits only for a poll that has its answer.
    private func waitForPoll(_ time: Duration, ifRecording: Bool) async {
        if ifRecording, !state.withLock(\.isRecording) { return }
        final class Waiter: Sendable {}
        let waiter = Waiter()
        let give = { @Sendable [self] in
            state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(waiter)) }?.resume()
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
                    state.waiting[ObjectIdentifier(waiter)] = continuation
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

    private func release() {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: The poll

    /// - Returns: in how many seconds to poll again; nil: when there is a reason.
    private func poll() async -> Double? {
        await load()
        let (lastEnd, lastDuration) = state.withLock { ($0.lastEnd, $0.lastDuration) }
        if let lastEnd {
            let left = max(StatePoller.shortest, lastDuration) - (ContinuousClock.now - lastEnd)
            // Not slept here: the end of the hub would wait for it.
            if left > StatePoller.shortest { return left.inSeconds }
            if left > .zero { try? await Task.sleep(for: left) }
        }
        let start = ContinuousClock.now
        var hasAnswered = true
        do throws(UpstreamCallError) {
            let reply = try await calls.call("GET", ControlRequest.devices.target)
            if reply.isSuccess, let devices = ControlledDevice.list(parsing: reply.body) {
                await take(devices, unanswered: [], asked: start)
            } else if reply.status >= 500 {
                await askOneByOne(reply, asked: start)
            } else {
                fail(StatePoller.words(reply))
            }
        } catch {
            fail(error.description)
            hasAnswered = false
        }
        let end = ContinuousClock.now
        let took = end - start
        let (isWanted, isOutdated) = state.withLock { state in
            // One that is away needs no rest, and is asked as soon as somebody wants to know.
            (state.lastEnd, state.lastDuration) = (end, hasAnswered ? took : .zero)
            return (
                state.watchers > 0 || !state.reasons.isEmpty, state.lastOrder.map { $0 > start } ?? false
            )
        }
        // A client that waits after an order waits for the next answer, which that order has asked for.
        if !isOutdated { release() }
        guard isWanted else { return nil }
        return max(StatePoller.interval - took, took).inSeconds
    }

    private static func words(_ reply: UpstreamReply) -> String {
        reply.isSuccess
            ? "the answer of the server behind the hub is no list of appliances"
            : "the server behind the hub answers with the status \(reply.status)"
    }

    /// The list fails as a whole when one appliance does not answer the server: asks for each that is known.
    private func askOneByOne(_ reply: UpstreamReply, asked: ContinuousClock.Instant) async {
        let known = Set(state.withLock { $0.states }.changes.keys.map(\.device)).sorted()
        let calls = calls
        let answers = await withTaskGroup(of: (String, ControlledDevice?).self) { group in
            for id in known {
                group.addTask {
                    let target = ControlRequest.device(id).target
                    guard let reply = try? await calls.call("GET", target), reply.isSuccess else {
                        return (id, nil)
                    }
                    return (id, try? JSONReader.read(ControlledDevice.self, from: reply.body))
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let answered = answers.compactMap(\.1).sorted { $0.id < $1.id }
        let silent = Set(answers.filter { $0.1 == nil }.map(\.0))
        guard !answered.isEmpty, answered.count + silent.count == known.count else {
            return fail(StatePoller.words(reply))
        }
        await take(answered, unanswered: silent, asked: asked)
    }

    private func fail(_ words: String) {
        let isNew = state.withLock { state in
            defer { (state.fault, state.unanswered) = (words, []) }
            return state.fault == nil
        }
        if isNew { onStanding.withLock { $0 }?() }
    }

    private func take(
        _ devices: [ControlledDevice], unanswered: Set<String>, asked: ContinuousClock.Instant
    ) async {
        let now = clock()
        let (changes, unrecorded, observers, isBack) = state.withLock { state in
            let isBack = state.fault != nil || state.time == nil
            let changes = state.states.changes(to: devices, unanswered: unanswered, at: now.wall)
            let unrecorded = state.recorded.changes(to: devices, unanswered: unanswered, at: now.wall)
            state.states.take(changes)
            state.isRecording = !unrecorded.isEmpty
            state.time = now
            state.lastSuccess = state.lastOrder.map { $0 > asked } ?? false ? nil : .now
            state.fault = nil
            state.unanswered = unanswered
            state.lastSeen = state.lastSeen.filter { unanswered.contains($0.key) }
            for device in devices { state.lastSeen[device.id] = (device, now) }
            return (changes, unrecorded, state.observers, isBack)
        }
        if isBack { onStanding.withLock { $0 }?() }
        var drafts: [MessageDraft] = []
        if !changes.isEmpty {
            for observer in observers { drafts += await observer.statesChanged(changes) }
        }
        await record(unrecorded, changes, drafts)
        state.withLock { $0.isRecording = false }
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
        state.withLock { $0.recorded = KnownStates() }
        store.feed.restart()
        look()
    }

    /// Takes over what the database knows from before the hub started.
    private func load() async {
        guard !state.withLock({ $0.hasLoaded }), let known = try? await store.known() else { return }
        state.withLock { state in
            guard !state.hasLoaded else { return }
            state.hasLoaded = true
            state.recorded = known
            // The database may have been missing until now.
            if state.time == nil { state.states = known }
        }
    }
}
