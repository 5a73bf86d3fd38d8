import Household
import HubService
import Identity
import Pairing
import Synchronization

/// The household's files in a house that several gates share: they are rows of the database, and go with its
/// log. What lies in the directory is a copy of the rows, which all readers use.
final class FileTable: Sendable {
    static let name = "files"
    static let definition = """
        CREATE TABLE IF NOT EXISTS \(name) (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID
        """
    private static let names = [Rooms.fileName, Rules.fileName, HubScenes.fileName, SceneRuns.fileName]

    private struct State {
        var copying: Task<Void, Never>?
        /// What was copied last.
        var copied: [String: [UInt8]] = [:]
    }

    private let database: HouseholdDatabase
    private let hub: HubState
    private let log: ServeLog
    private let state = Mutex(State())

    init(_ database: HouseholdDatabase, of hub: HubState, log: ServeLog) {
        (self.database, self.hub, self.log) = (database, hub, log)
    }

    /// Changes files for all gates; returns once the copies here are of them.
    ///
    /// - Parameter body: gets the bytes by the names, and changes them. It may be called several times.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout [String: [UInt8]]) throws -> Result
    ) async throws -> (Result, isChanged: Bool) {
        typealias Outcome = Swift.Result<(Result, isChanged: Bool), any Error>
        let outcome = try await database.use { connection throws(DatabaseError) -> Outcome in
            let before = try FileTable.rows(&connection)
            var files = before
            switch Swift.Result(catching: { try body(&files) }) {
            case .failure(let error): return .failure(error)
            case .success(let result):
                for (name, bytes) in files where bytes != before[name] {
                    try FileTable.write(name, bytes, &connection)
                }
                return .success((result, files != before))
            }
        }
        let (result, isChanged) = try outcome.get()
        if isChanged { await copy() }
        return (result, isChanged)
    }

    /// Makes the files in the directory what the rows are: also where somebody has changed one by hand.
    func copy() async {
        let task = state.withLock { state in
            let last = state.copying
            let task = Task { [self] in
                await last?.value
                await copyNow()
            }
            state.copying = task
            return task
        }
        await task.value
    }

    private func copyNow() async {
        do {
            let rows = try await database.use { connection throws(DatabaseError) in
                try FileTable.rows(&connection)
            }
            try hub.open().withLock { directory in
                for name in FileTable.names {
                    guard let bytes = rows[name] else { continue }
                    let there = try directory.read(name)
                    let last = state.withLock { state in
                        defer { state.copied[name] = bytes }
                        return state.copied[name]
                    }
                    guard there != bytes else { continue }
                    if let last, there != last {
                        log.warning(
                            .fault,
                            "\(hub.path)/\(name) was changed by hand, which counts for no other gate of the "
                                + "site: it was put back")
                    }
                    try directory.replace(name, with: bytes)
                }
            }
        } catch {
            log.warning(.fault, "the household's files are not as the other gates': \(describing(error))")
        }
    }

    /// Takes the files over as they are in the directory.
    static func fill(from hub: HubState, _ connection: inout SQLiteConnection) throws {
        let directory = try hub.open()
        try connection.run("DELETE FROM \(name)")
        for file in names {
            if let bytes = try directory.read(file) { try write(file, bytes, &connection) }
        }
    }

    private static func rows(
        _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> [String: [UInt8]] {
        var rows: [String: [UInt8]] = [:]
        try connection.run("SELECT name, content FROM \(name)") { row in rows[row.text(0)] = row.bytes(1) }
        return rows
    }

    private static func write(
        _ file: String, _ bytes: [UInt8], _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        try connection.run("INSERT OR REPLACE INTO \(name) VALUES (?, ?)", [.text(file), .bytes(bytes)])
    }
}
