import FoundationEssentials
import Household
import Identity
import JSON

/// The timers in the database, so that they survive a restart.
final class TimerStore: Sendable {
    private let database: HouseholdDatabase

    init(_ database: HouseholdDatabase) { self.database = database }

    /// All of them, the next one first.
    func all() async throws(DatabaseError) -> [HouseTimer] {
        try await database.use { connection throws(DatabaseError) in
            var timers: [HouseTimer] = []
            try connection.run(
                """
                SELECT device, activator, state, due, lasts, author, name, proviso FROM timers
                ORDER BY due, device, activator
                """
            ) { row in
                guard let state = JSONValue(parsing: Array(row.text(2).utf8)) else { return }
                timers.append(
                    HouseTimer(
                        device: row.text(0), activator: row.text(1), state: state,
                        due: Date(milliseconds: row.integer(3)), lasts: row.integerOrNil(4),
                        proviso: RuleProviso(row.text(7)), by: row.text(5), name: row.text(6)))
            }
            return timers
        }
    }

    /// Keeps it in place of the activator's last one.
    ///
    /// - Returns: false if there are too many.
    func put(_ timer: HouseTimer) async throws(DatabaseError) -> Bool {
        try await database.use { connection throws(DatabaseError) in
            let others = try connection.number(
                "SELECT count(*) FROM timers WHERE device != ? OR activator != ?",
                [.text(timer.device), .text(timer.activator)])
            guard (others ?? 0) < HouseTimer.maximumCount else { return false }
            try connection.run(
                """
                INSERT OR REPLACE INTO timers (device, activator, state, due, lasts, author, name, proviso)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(timer.device), .text(timer.activator), .text(timer.state.text),
                    .integer(timer.due.milliseconds), timer.lasts.map { .integer($0) } ?? .null,
                    .text(timer.by), .text(timer.name),
                    timer.proviso.map { .text($0.description) } ?? .null,
                ])
            return true
        }
    }

    /// Takes this one away, unless another has come in its place.
    func remove(_ timer: HouseTimer) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.run(
                "DELETE FROM timers WHERE device = ? AND activator = ? AND due = ?",
                [.text(timer.device), .text(timer.activator), .integer(timer.due.milliseconds)])
        }
    }
}
