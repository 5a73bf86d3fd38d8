import Glibc
import HubService
import Identity

/// A copy of the database for a gate that cannot follow the log: without pictures, which stay where they were
/// taken.
enum HouseCopy {
    /// A whole copy that waits to become the database, and one that is being made.
    private static let taken = "\(HouseholdFiles.database).taken"
    private static let unfinished = "\(HouseholdFiles.database).taking"
    /// What the database before is called from then on; one before it is replaced.
    static let apart = "\(HouseholdFiles.database).apart"
    /// Where the file says how it is written: not by a log beside it (SQLite file format § 1.3).
    private static let formatBytes = 18..<20

    /// - Parameter bytes: of the database.
    static func stripped(_ bytes: [UInt8], in state: HubState) throws(DatabaseError) -> [UInt8] {
        let path = "\(state.path)/\(unfinished)"
        try write(bytes, to: path)
        defer { remove(path) }
        var connection = try SQLiteConnection(path: path)
        try connection.run("DELETE FROM pictures")
        _ = try SharedLog.leave(&connection, keepsFiles: true)
        try connection.run("VACUUM")
        return try connection.serialized()
    }

    /// Keeps a copy that another gate has made; it is the database when the house begins again.
    ///
    /// - Parameter misfits: where what was there before, and before that, did not fit the log.
    static func keep(
        _ bytes: [UInt8], of base: LogBase, misfits: LogMisfits?, in state: HubState
    ) throws(DatabaseError) {
        let path = "\(state.path)/\(unfinished)"
        try write(bytes, to: path)
        try prepare(path, base, misfits)
        guard rename(path, "\(state.path)/\(taken)") == 0 else {
            throw .closed("\(path): \(String(cString: strerror(errno)))")
        }
    }

    private static func prepare(
        _ path: String, _ base: LogBase, _ misfits: LogMisfits?
    ) throws(DatabaseError) {
        var connection = try SQLiteConnection(path: path)
        try HouseholdSchema.prepare(&connection)
        try SharedLog.makeTables(&connection)
        try SharedLog.note(base.place, &connection)
        if let misfits { try SharedLog.note(misfits, &connection) }
        // One file, before it gets another name.
        try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    /// Makes a copy that was kept the database, and puts the one before aside. Nobody may have it open.
    ///
    /// - Returns: true if there was one.
    static func adopt(in state: HubState) -> Bool {
        let path = "\(state.path)/\(HouseholdFiles.database)"
        let copy = "\(state.path)/\(taken)"
        guard access(copy, F_OK) == 0 else { return false }
        let aside = "\(state.path)/\(apart)"
        // Cut short after that, it goes on here.
        if access(path, F_OK) == 0 {
            for end in ["-wal", "-shm"] { unlink(aside + end) }
            rename(path + "-wal", aside + "-wal")
            unlink(path + "-shm")
            rename(path, aside)
        }
        for end in ["-wal", "-shm"] { unlink(copy + end) }
        return rename(copy, path) == 0
    }

    private static func remove(_ path: String) {
        for end in ["", "-wal", "-shm", "-journal"] { unlink(path + end) }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(DatabaseError) {
        remove(path)
        func fault() -> DatabaseError { .closed("\(path): \(String(cString: strerror(errno)))") }
        guard bytes.count > 100 else { throw .closed("a copy of the database is damaged") }
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault() }
        defer { close(file) }
        var bytes = bytes
        bytes.replaceSubrange(formatBytes, with: [1, 1])
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw fault() }
            rest = rest.dropFirst(count)
        }
        guard fsync(file) == 0 else { throw fault() }
    }
}
