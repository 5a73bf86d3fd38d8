import FoundationEssentials
import Glibc
import Household
import HubService
import Identity
import Pairing
import Synchronization

/// Makes messages of the system's own trouble: servers, the clock, the disk, strangers, hooks.
final class SystemAlerts: Sendable {
    /// A server that is away for less is restarting.
    private static let absence = Duration.seconds(10)
    /// In seconds.
    private static let lookTime = 60.0
    /// How often the time is written down, so that a clock that is behind shows after a restart.
    private static let clockTime = 3600.0

    private struct Absence {
        var isTold = false
        /// Ends with the message.
        var end: Task<Void, Never>?
    }

    private struct State {
        /// Of the servers that are away, by their names.
        var absences: [String: Absence] = [:]
        var refusals = RefusalCount()
        var lastHookFault: Moment?
    }

    private let messages: MessageLog
    private let database: HouseholdDatabase
    private let path: String
    private let upstream: String
    private let clock: @Sendable () -> Moment
    /// False while another gate's house tells.
    private let isActing: @Sendable () -> Bool
    private let state = Mutex(State())
    private let looking = Mutex<RecurringLook?>(nil)

    /// - Parameter upstream: its name in messages.
    init(
        _ messages: MessageLog, _ database: HouseholdDatabase, of hub: HubState, upstream: String,
        clock: @escaping @Sendable () -> Moment, isActing: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.messages, self.database, self.clock, self.isActing) = (messages, database, clock, isActing)
        (path, self.upstream) = (hub.path, upstream)
    }

    func start() {
        let look = RecurringLook(remembering: Looks()) { [weak self] looks in
            await self?.look(&looks)
            return SystemAlerts.lookTime
        }
        looking.withLock { $0 = look }
        look.look()
    }

    func stop() async {
        for absence in state.withLock({ $0.absences.values }) { absence.end?.cancel() }
        await looking.withLock { $0.take() }?.stop()
    }

    /// - Parameter hookRuns: false for what the hook itself has caused.
    private func tell(_ text: String) { messages.enqueue(MessageDraft(kind: .alert, text: text)) }

    // MARK: Servers

    func upstreamChanged(isUp: Bool) {
        serverChanged("the server behind the hub, \(upstream),", isUp: isUp)
    }

    /// - Parameter name: the server's, at the beginning of a message.
    func serverChanged(_ name: String, isUp: Bool) {
        guard isActing() else { return }
        state.withLock { state in
            var absence = state.absences.removeValue(forKey: name) ?? Absence()
            absence.end?.cancel()
            if isUp {
                if absence.isTold { tell("\(name) answers again") }
                return
            }
            absence.end = Task { [weak self] in
                guard (try? await Task.sleep(for: SystemAlerts.absence)) != nil else { return }
                self?.tellOfAbsence(of: name)
            }
            state.absences[name] = absence
        }
    }

    private func tellOfAbsence(of name: String) {
        state.withLock { state in
            guard state.absences[name]?.isTold == false else { return }
            state.absences[name]?.isTold = true
            tell("\(name) does not answer")
        }
    }

    // MARK: Strangers, hooks, the database

    func noteRefusal(from source: String) {
        let now = clock()
        guard isActing(), state.withLock({ $0.refusals.note(at: now) }) else { return }
        tell(
            "\(RefusalCount.limit) requests of strangers were refused within 10 minutes, the last from "
                + source)
    }

    /// - Parameter words: what went wrong; told once an hour at most.
    func hookFailed(_ words: String) {
        let now = clock()
        let isDue = state.withLock { state in
            if let last = state.lastHookFault, now.seconds(since: last) < 3600 { return false }
            state.lastHookFault = now
            return true
        }
        if isDue { tell(words) }
    }

    func databaseWasReplaced(_ words: String) {
        tell("\(words); it was put aside as \(HouseholdDatabase.brokenName), and a new one was begun")
    }

    // MARK: The clock and the disk

    private struct Looks: Sendable {
        var disk = DiskWatch()
        var clock: ClockWatch?
        var lastWrite: Moment?
    }

    private func look(_ looks: inout Looks) async {
        var status = statvfs()
        if statvfs(path, &status) == 0 {
            let (unit, free, size) = (UInt64(status.f_frsize), status.f_bavail, status.f_blocks)
            switch looks.disk.look(free: unit * UInt64(free), size: unit * UInt64(size)) {
            case true?: tell("the disk of the hub is nearly full: \(unit * UInt64(free) >> 20) MiB are free")
            case false?: tell("the disk of the hub has room again")
            case nil: break
            }
        }
        let now = clock()
        if looks.clock == nil, let known = try? await knownTime() {
            looks.clock = ClockWatch(known: known.date)
        }
        if let behind = looks.clock?.look(at: now) {
            tell("the clock of the hub is behind by \(Duration(passed: behind).words), or was ahead before")
        } else if looks.lastWrite.map({ now.seconds(since: $0) >= SystemAlerts.clockTime }) ?? true {
            looks.lastWrite = now
            try? await write(now.wall)
        }
    }

    private struct KnownTime {
        let date: Date?
    }

    private func knownTime() async throws(DatabaseError) -> KnownTime {
        try await database.use { connection throws(DatabaseError) in
            let text = try connection.text("SELECT value FROM meta WHERE name = 'time'")
            return KnownTime(date: text.flatMap { Int64($0) }.map { Date(milliseconds: $0) })
        }
    }

    private func write(_ time: Date) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.run(
                "INSERT OR REPLACE INTO meta VALUES ('time', ?)", [.text(String(time.milliseconds))])
        }
    }
}
