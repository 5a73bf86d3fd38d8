import Dispatch
import Glibc
import Household
import HubService
import Identity
import JSON
import Synchronization

/// Runs the hook for each message: one after the other for each kind of message, so that three run at once
/// at most. What the hook has got is written down, and a hub that starts again goes on after it.
final class HookRunner: Sendable {
    /// The most messages of a kind that wait for a hook. With more, the oldest are left out: after a burst a
    /// slow hook would tell of old things for hours.
    static let maximumWaiting: Int64 = 1_000

    /// Beside the kinds, in the table of what the hook has got.
    private static let again = "alarm again"

    private let program: String
    private let database: HouseholdDatabase
    private let alerts: SystemAlerts
    private let log: ServeLog
    private let lanes: [MessageKind: Lane]

    /// The messages of one kind.
    private struct Lane: Sendable {
        let queue: DispatchQueue
        let wake: AsyncStream<Void>.Continuation
        let events: AsyncStream<Void>
    }

    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// - Parameter program: an absolute path.
    init(_ program: String, _ database: HouseholdDatabase, alerts: SystemAlerts, log: ServeLog) {
        (self.program, self.database, self.alerts, self.log) = (program, database, alerts, log)
        lanes = Dictionary(
            uniqueKeysWithValues: MessageKind.allCases.map { kind in
                let (events, wake) = AsyncStream.makeStream(
                    of: Void.self, bufferingPolicy: .bufferingNewest(1))
                let queue = DispatchQueue(label: "hubpair.hook.\(kind.rawValue)")
                return (kind, Lane(queue: queue, wake: wake, events: events))
            })
    }

    /// Begins with the first message that the hook has not got; the first time with the next one.
    func start() {
        do {
            try HookTrust.check(program, user: geteuid())
        } catch {
            let words = "the hook \(program) cannot be run: \(describing(error))"
            log.warning(.fault, words)
            alerts.hookFailed(words)
        }
        let running = lanes.map { kind, lane in
            lane.wake.yield()
            return Task { [self] in
                var hasBegun = false
                for await _ in lane.events {
                    if !hasBegun { hasBegun = (try? await begin(kind)) != nil }
                    guard hasBegun else { continue }
                    while !Task.isCancelled, await runNext(kind, lane) {}
                }
            }
        }
        tasks.withLock { $0 = running }
    }

    /// Messages are on disk.
    func wake(_ messages: [Message]) {
        for kind in Set(messages.map(\.kind)) { lanes[kind]?.wake.yield() }
    }

    /// Runs no more; returns once those that run have ended.
    func stop() async {
        let running = tasks.withLock { $0 }
        for lane in lanes.values { lane.wake.finish() }
        for task in running { task.cancel() }
        for task in running { await task.value }
    }

    private func begin(_ kind: MessageKind) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.run(
                "INSERT OR IGNORE INTO hooks SELECT ?, coalesce(max(id), 0) FROM messages",
                [.text(kind.rawValue)])
            guard kind == .alarm else { return }
            let change = try MessageStore.lastChange(&connection)
            try connection.run(
                "INSERT OR IGNORE INTO hooks VALUES (?, ?)", [.text(HookRunner.again), .integer(change)])
        }
    }

    private struct Next: Sendable {
        let message: Message
        var left: Int64 = 0
        /// The number of the change, for an alarm that has come true again long after it was told.
        var change: Int64?
    }

    /// - Returns: false if there is nothing to run it for.
    private func runNext(_ kind: MessageKind, _ lane: Lane) async -> Bool {
        guard let next = try? await next(kind) else { return false }
        if next.left > 0 {
            log.warning(.fault, "the hook is too slow: \(next.left) messages are left out")
            alerts.hookFailed("the hook \(program) is too slow: \(next.left) messages were left out")
        }
        var json: [UInt8] = []
        next.message.json().write(to: &json)
        json.append(0x0A)
        let (program, input) = (program, json)
        let outcome = await withCheckedContinuation { continuation in
            lane.queue.async { continuation.resume(returning: HookProcess.run(program, input: input)) }
        }
        if let fault = outcome.fault {
            let words = "the hook \(program) failed: \(fault)"
            log.warning(.fault, "message \(next.message.id): \(words)")
            alerts.hookFailed(words)
        }
        let place = next.change.map { (HookRunner.again, $0) } ?? (kind.rawValue, next.message.id)
        return (try? await note(place.1, place.0)) != nil
    }

    private func next(_ kind: MessageKind) async throws(DatabaseError) -> Next? {
        try await database.use { connection throws(DatabaseError) in
            let done = try connection.number(
                "SELECT message FROM hooks WHERE kind = ?", [.text(kind.rawValue)])
            let waiting = try connection.number(
                "SELECT count(*) FROM messages WHERE kind = ? AND id > ?",
                [.text(kind.rawValue), SQLiteValue(done ?? 0)])
            let left = max(0, (waiting ?? 0) - HookRunner.maximumWaiting)
            var found: Message?
            try connection.run(
                """
                SELECT \(MessageStore.columns) FROM messages WHERE kind = ? AND id > ? ORDER BY id
                LIMIT 1 OFFSET ?
                """, [.text(kind.rawValue), SQLiteValue(done ?? 0), .integer(left)]
            ) { row in
                found = MessageStore.message(row)
            }
            if let found { return Next(message: found, left: left) }
            return kind == .alarm ? try HookRunner.nextAgain(&connection) : nil
        }
    }

    /// The next open alarm that has come true again so long after it was told that it is told once more.
    private static func nextAgain(_ connection: inout SQLiteConnection) throws(DatabaseError) -> Next? {
        let done = try connection.number("SELECT message FROM hooks WHERE kind = ?", [.text(again)])
        var next: Next?
        try connection.run(
            """
            SELECT \(MessageStore.columns), again FROM messages
            WHERE again > ? AND acknowledgement IS NULL ORDER BY again LIMIT 1
            """, [.integer(done ?? 0)]
        ) { row in
            next = MessageStore.message(row).map { Next(message: $0, change: row.integer(17)) }
        }
        return next
    }

    private func note(_ number: Int64, _ kind: String) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.run(
                "INSERT OR REPLACE INTO hooks VALUES (?, ?)", [.text(kind), .integer(number)])
        }
    }
}
