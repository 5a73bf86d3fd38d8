import CSQLite
import Glibc
import Pairing

/// A copy of the household's database for a backup: as it is at one moment, also while a hub serves.
///
/// It is marked in the file's header (SQLite file format § 1.3): `application_id` says that it is a copy, so
/// that the hub that opens it gives it a tag of its own, and its journal mode is the plain one, since a copy
/// has no log beside it.
enum HouseholdCopy {
    /// With all messages and the whole history at their limits a database has about 220 MiB.
    static let maximumByteCount = 256 << 20

    private static let headerByteCount = 100
    private static let formatBytes = 18..<20
    private static let markBytes = 68..<72

    /// - Returns: nil if there is no database.
    static func bytes(of directory: borrowing ProtectedDirectory) throws(DatabaseError) -> [UInt8]? {
        let path = directory.path(of: HouseholdDatabase.fileName)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .notPrivate("\(path): \(String(cString: strerror(errno)))") }
            return nil
        }
        guard status.st_size <= maximumByteCount else {
            throw .closed("\(path) is larger than \(maximumByteCount >> 20) MiB")
        }
        let result = directory.owner.acting {
            Result { () throws(DatabaseError) in try snapshot(path) }
        }
        var bytes = try result.get()
        guard bytes.count > headerByteCount, bytes.count <= maximumByteCount else {
            throw .closed("\(path) has \(bytes.count >> 20) MiB")
        }
        bytes.replaceSubrange(formatBytes, with: [1, 1])
        bytes.replaceSubrange(markBytes, with: markedBytes)
        return bytes
    }

    private static func snapshot(_ path: String) throws(DatabaseError) -> [UInt8] {
        var connection = try SQLiteConnection(path: path)
        // What others write meanwhile is not seen, and they do not wait.
        try connection.run("BEGIN")
        let words = try connection.text("PRAGMA quick_check(1)")
        guard words == "ok" else { throw .failed(SQLITE_CORRUPT, words ?? "the check says nothing") }
        let bytes = try connection.serialized()
        try connection.run("COMMIT")
        return bytes
    }

    private static var markedBytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: HouseholdSchema.copyMark >> (24 - 8 * $0)) }
    }

    /// True if these are the bytes of such a copy. Whether the database is sound shows when it is opened.
    static func isCopy(_ bytes: [UInt8]) -> Bool {
        bytes.count > headerByteCount && bytes.starts(with: "SQLite format 3\0".utf8)
            && bytes[formatBytes].elementsEqual([1, 1]) && bytes[markBytes].elementsEqual(markedBytes)
    }

    /// Puts a copy into a state directory in which nothing serves, or takes away what is there: the database
    /// before stays as `.bak`. Call it inside `withLock`.
    static func put(_ bytes: [UInt8]?, in directory: borrowing ProtectedDirectory) throws {
        let path = directory.path(of: HouseholdDatabase.fileName)
        let code: Int32 = directory.owner.acting {
            for end in ["-wal", "-shm"] { unlink(path + ".bak" + end) }
            // The log first: with another file it would make a broken database.
            for end in ["-wal", "-shm", ""] {
                guard Glibc.rename(path + end, path + ".bak" + end) == 0 || errno == ENOENT else {
                    return errno
                }
            }
            return 0
        }
        guard code == 0 else { throw FileError.system(code, operation: "rename", path: path) }
        if let bytes { try directory.create(HouseholdDatabase.fileName, with: bytes) }
    }
}
