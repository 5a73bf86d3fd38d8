import Glibc
import Pairing

/// A copy of the household's database for a backup: as it is at one moment, also while a hub serves.
///
/// It is marked in the file's header (SQLite file format § 1.3): `application_id` says that it is a copy, so
/// that the hub that opens it gives it a tag of its own, and its journal mode is the plain one, since a copy
/// has no log beside it.
package enum HouseholdCopy {
    /// With all messages and the whole history at their limits a database has about 220 MiB.
    package static let maximumByteCount = 256 << 20

    /// `application_id` of a copy: `hpbk`.
    package static let copyMark: UInt32 = 0x6870_626B

    private static let headerByteCount = 100
    private static let formatBytes = 18..<20
    private static let markBytes = 68..<72

    /// Makes a copy of the bytes of a database.
    package static func marked(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count > headerByteCount, bytes.count <= maximumByteCount else { return nil }
        var bytes = bytes
        bytes.replaceSubrange(formatBytes, with: [1, 1])
        bytes.replaceSubrange(markBytes, with: markedBytes)
        return bytes
    }

    private static var markedBytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: copyMark >> (24 - 8 * $0)) }
    }

    /// True if these are the bytes of such a copy. Whether the database is sound shows when it is opened.
    static func isCopy(_ bytes: [UInt8]) -> Bool {
        bytes.count > headerByteCount && bytes.starts(with: "SQLite format 3\0".utf8)
            && bytes[formatBytes].elementsEqual([1, 1]) && bytes[markBytes].elementsEqual(markedBytes)
    }

    /// Puts a copy into a state directory in which nothing serves, or takes away what is there: the database
    /// before stays as `.bak`. Call it inside `withLock`.
    static func put(_ bytes: [UInt8]?, in directory: borrowing ProtectedDirectory) throws {
        let path = directory.path(of: HouseholdFiles.database)
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
        if let bytes { try directory.create(HouseholdFiles.database, with: bytes) }
    }
}
