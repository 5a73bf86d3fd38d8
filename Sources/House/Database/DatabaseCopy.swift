import CSQLite
import Glibc
package import HubService
import Pairing

/// Reads the database for a backup: as it is at one moment, also while the house serves.
package enum DatabaseCopy {
    /// - Returns: a ``HouseholdCopy``; nil if there is no database.
    package static func bytes(of state: HubState) throws -> [UInt8]? {
        let directory = try state.open()
        return try bytes(of: directory)
    }

    private static func bytes(of directory: borrowing ProtectedDirectory) throws(DatabaseError) -> [UInt8]? {
        let path = directory.path(of: HouseholdDatabase.fileName)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw .notPrivate("\(path): \(String(cString: strerror(errno)))") }
            return nil
        }
        guard status.st_size <= HouseholdCopy.maximumByteCount else {
            throw .closed("\(path) is larger than \(HouseholdCopy.maximumByteCount >> 20) MiB")
        }
        let result = directory.owner.acting {
            Result { () throws(DatabaseError) in try snapshot(path) }
        }
        let bytes = try result.get()
        guard let copy = HouseholdCopy.marked(bytes) else {
            throw .closed("\(path) has \(bytes.count >> 20) MiB")
        }
        return copy
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
}
