import FoundationEssentials
import Glibc
import HubService
import Identity
import Pairing

/// Looks at the database of messages and states: whether it is sound, how large it is, what was told last,
/// and whether the hook works. Nothing in it is changed, and a hub that serves does not wait.
struct ReviewMessages: Sendable {
    /// For how long a failure of the hook is worth telling.
    private static let hookTime = 7 * 86_400.0

    private let state: HubState

    init(_ state: HubState) { self.state = state }

    /// - Returns: nil if the hub has no database yet.
    /// - Throws: a `UserError` for a database that cannot be opened.
    func run(now: Date = Date()) throws -> MessageReview? {
        let directory = try state.open()
        let path = directory.path(of: HouseholdDatabase.fileName)
        var review = MessageReview()
        let broken = directory.path(of: HouseholdDatabase.brokenName)
        if access(broken, F_OK) == 0 { review.brokenPath = broken }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw FileError.system(errno, operation: "look at", path: path) }
            return review.brokenPath == nil ? nil : review
        }
        review.byteCount = Int(status.st_size)
        guard status.st_mode & 0o077 == 0 else {
            throw FileError.tooOpen(mode: status.st_mode & 0o777, allowed: 0o600, path: path)
        }
        if lstat(path + "-wal", &status) == 0 { review.byteCount += Int(status.st_size) }
        let result = directory.owner.acting {
            Result { [review] () throws(DatabaseError) -> MessageReview in
                var review = review
                try ReviewMessages.read(path, now: now, &review)
                return review
            }
        }
        return try result.get()
    }

    private static func count(
        _ sql: String, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Int {
        Int(try connection.number(sql) ?? 0)
    }

    private static func read(_ path: String, now: Date, _ review: inout MessageReview) throws(DatabaseError) {
        do throws(DatabaseError) {
            var connection = try SQLiteConnection(path: path)
            let version = try connection.number("PRAGMA user_version") ?? 0
            guard version <= HouseholdSchema.format else { throw .newer }
            let words = try connection.text("PRAGMA quick_check(1)")
            guard words == "ok" else { throw .failed(11, words ?? "the check says nothing") }
            // The hub has begun the file, and writes the tables in its first transaction.
            if version == 0, try connection.number("SELECT count(*) FROM sqlite_schema") == 0 { return }
            review.messageCount = try count("SELECT count(*) FROM messages", &connection)
            review.changeCount = try count("SELECT count(*) FROM changes", &connection)
            review.openAlarmCount = try count(
                "SELECT count(*) FROM messages WHERE kind = 'alarm' AND acknowledgement IS NULL", &connection)
            review.lastMessage = try connection.number(
                "SELECT time FROM messages ORDER BY id DESC LIMIT 1"
            ).map { Date(milliseconds: $0) }
            // Whether it can be run the doctor sees itself.
            var faults: [String] = []
            try connection.run(
                """
                SELECT text FROM messages WHERE kind = 'alert' AND text LIKE 'the hook %'
                AND text NOT LIKE 'the hook % cannot be run: %' AND time > ?
                ORDER BY id DESC LIMIT 100
                """, [.integer(now.addingTimeInterval(-hookTime).milliseconds)]
            ) { row in
                faults.append(row.text(0))
            }
            review.hookFaults = faults
        } catch {
            guard error.isBroken else { throw error }
            review.fault = error.description
        }
    }
}
