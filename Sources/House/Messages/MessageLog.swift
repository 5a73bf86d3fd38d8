import FoundationEssentials
import Household
import HubService
import Identity
import Synchronization

/// The messages of the household: kept in the database, then told.
///
/// Messages that come while the disk is busy are written together, in the order in which they came; each is
/// durable before anybody hears of it. While they cannot be written, they wait, and are tried again each
/// second.
final class MessageLog: Sendable {
    /// The most messages that wait to be written: a rule in a loop on a full disk must not fill the memory.
    static let maximumWaiting = 10_000
    /// The most messages in one write.
    private static let batch = 1_000
    private static let pause = Duration.seconds(1)

    private struct Entry: Sendable {
        let draft: MessageDraft
        let done: @Sendable (Result<Message, MessageError>) -> Void
    }

    private struct State {
        var waiting: [Entry] = []
        var isWriting = false
        var isClosed = false
        var hasFailed = false
    }

    let feed = EventFeed()
    let store: MessageStore
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let state = Mutex(State())
    private let listeners = Mutex<[@Sendable ([Message]) -> Void]>([])
    /// The last message of which the listeners were told; nil until they are to be told of others' messages.
    private let lastTold = Mutex<Int64?>(nil)

    init(_ database: HouseholdDatabase, log: ServeLog, clock: @escaping @Sendable () -> Date) {
        store = MessageStore(database)
        (self.log, self.clock) = (log, clock)
    }

    /// Registers who is told of new messages once they are on disk, on the database's thread.
    func add(_ listener: @escaping @Sendable ([Message]) -> Void) {
        listeners.withLock { $0.append(listener) }
    }

    /// Keeps a message; returns once it is on disk.
    @discardableResult
    func append(_ draft: MessageDraft) async throws(MessageError) -> Message {
        let result = await withCheckedContinuation { continuation in
            enqueue(draft) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// Keeps a message as soon as that is possible. Messages keep the order of the calls.
    func enqueue(
        _ draft: MessageDraft, done: @escaping @Sendable (Result<Message, MessageError>) -> Void = { _ in }
    ) {
        let (isRefused, isFirst) = state.withLock { state -> (Bool, Bool) in
            guard !state.isClosed, state.waiting.count < MessageLog.maximumWaiting else {
                return (true, false)
            }
            state.waiting.append(Entry(draft: draft, done: done))
            defer { state.isWriting = true }
            return (false, !state.isWriting)
        }
        if isRefused {
            log.warning(.fault, "a message was lost, since too many wait to be written: \(draft.text)")
            return done(.failure(.tooMany))
        }
        if isFirst { write() }
    }

    /// Writes what waits, until nothing does.
    private func write() {
        let entries = state.withLock { state -> [Entry] in
            let entries = Array(state.waiting.prefix(MessageLog.batch))
            if entries.isEmpty { state.isWriting = false }
            return entries
        }
        guard !entries.isEmpty else { return }
        store.append(
            entries.map(\.draft), at: clock(), alongside: { _ in }, tell: { [self] kept in tell(kept) },
            done: { [self] result in written(entries, result) })
    }

    private func tell(_ kept: MessageStore.Kept) {
        guard !kept.messages.isEmpty else { return }
        feed.publish(kept.events)
        lastTold.withLock { last in last = last.map { max($0, kept.messages.map(\.id).max() ?? 0) } }
        for listener in listeners.withLock({ $0 }) { listener(kept.messages) }
    }

    /// From now on the listeners are told of what other gates write, too.
    func act() {
        store.database.enqueue({ connection throws(DatabaseError) in
            try connection.number("SELECT max(id) FROM messages") ?? 0
        }) { [self] result in
            if case .success(let id) = result { lastTold.withLock { $0 = id } }
        }
    }

    /// Other gates have written: all watchers read it from the database.
    func othersWrote() {
        feed.restart()
        guard let last = lastTold.withLock({ $0 }) else { return }
        store.database.enqueue({ connection throws(DatabaseError) in
            try MessageStore.messages(
                after: last, upTo: .max, MessageStore.Query(), limit: Int64(MessageLog.batch), &connection)
        }) { [self] result in
            guard case .success(let messages) = result, let newest = messages.last?.id else { return }
            let isNews = lastTold.withLock { known in
                guard known == last else { return false }
                known = newest
                return true
            }
            if isNews { for listener in listeners.withLock({ $0 }) { listener(messages) } }
        }
    }

    /// Keeps messages together with what they come from, or neither: after a crash nothing is told twice, and
    /// nothing is missing. It is not tried again.
    ///
    /// - Parameters:
    ///   - alongside: writes what the messages come from.
    ///   - then: called on the database's thread once all is on disk and the messages are told.
    func append(
        _ drafts: [MessageDraft],
        alongside: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Void,
        then: @escaping @Sendable () -> Void = {}
    ) async throws(DatabaseError) {
        let now = clock()
        let result = await withCheckedContinuation { continuation in
            store.append(
                drafts, at: now, alongside: alongside,
                tell: { [self] kept in
                    tell(kept)
                    then()
                }, done: { continuation.resume(returning: $0) })
        }
        _ = try result.get()
    }

    private func written(_ entries: [Entry], _ result: Result<MessageStore.Kept, DatabaseError>) {
        switch result {
        case .success(let kept):
            let hadFailed = state.withLock { state in
                state.waiting.removeFirst(entries.count)
                defer { state.hasFailed = false }
                return state.hasFailed
            }
            if hadFailed { log.notice("messages are kept again") }
            for (entry, message) in zip(entries, kept.messages) { entry.done(.success(message)) }
            write()
        case .failure(let error):
            let (isClosed, isNew) = state.withLock { state in
                defer { state.hasFailed = true }
                return (state.isClosed, !state.hasFailed)
            }
            if isNew { log.error("messages wait, since they cannot be kept: \(describing(error))") }
            if isClosed { return giveUp() }
            Task {
                try? await Task.sleep(for: MessageLog.pause)
                write()
            }
        }
    }

    private func giveUp() {
        let entries = state.withLock { state in
            defer {
                state.waiting = []
                state.isWriting = false
            }
            return state.waiting
        }
        for entry in entries {
            log.error("a message was lost, since it could not be written: \(entry.draft.text)")
            entry.done(.failure(.closed))
        }
    }

    /// Takes no more messages, and returns once those that wait have been written, or cannot be.
    func close() async {
        // The receiver may hold this log.
        defer { listeners.withLock { $0 = [] } }
        state.withLock { $0.isClosed = true }
        feed.close()
        while state.withLock({ $0.isWriting }) {
            if state.withLock({ $0.hasFailed }) { return giveUp() }
            // What is being written is before this in the database's queue.
            _ = try? await store.newest()
        }
    }

    /// Acknowledges an alarm, once; the first device counts.
    ///
    /// - Returns: the message as it is now; nil if there is none with this id.
    func acknowledge(
        _ id: Int64, by device: String, name: String
    ) async throws(DatabaseError) -> Message? {
        let feed = feed
        return try await store.acknowledge(id, by: device, name: name, at: clock()) { feed.publish($0) }
    }

    /// Acknowledges all open alarms that are meant and there now.
    ///
    /// - Returns: how many were open.
    func acknowledge(
        _ selection: MessageSelection, by device: String, name: String
    ) async throws(DatabaseError) -> Int {
        let (feed, now) = (feed, clock())
        let newest = try await store.newest()
        let end = min(selection.last ?? newest, newest)
        var count = 0
        while true {
            let some = try await store.acknowledgeSome(
                selection, upTo: end, by: device, name: name, at: now
            ) { feed.publish($0) }
            count += some
            if some < MessageStore.pageCount { return count }
        }
    }
}

/// Why a message is not kept. Never reaches a user: the hub's log names the message.
enum MessageError: Error, Equatable {
    /// As many wait to be written as may.
    case tooMany
    /// The hub ends.
    case closed
}
