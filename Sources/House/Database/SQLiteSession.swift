import CSQLite
import Identity

/// The functions of SQLite's session extension, which says what a transaction has changed and makes the same
/// changes elsewhere (https://sqlite.org/sessionintro.html). Debian's libsqlite3 has it; it is loaded in a
/// house that gates share, and only there.
///
/// Sendable: as ``SQLiteLibrary``.
private struct SessionLibrary: @unchecked Sendable {
    typealias Filter = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> Int32
    typealias Conflict = @convention(c) (UnsafeMutableRawPointer?, Int32, OpaquePointer?) -> Int32

    let create:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32
    let delete: @convention(c) (OpaquePointer?) -> Void
    let attach: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Int32
    let changeset:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<Int32>?,
            UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        ) -> Int32
    let apply:
        @convention(c) (
            OpaquePointer?, Int32, UnsafeMutableRawPointer?, Filter?, Conflict?, UnsafeMutableRawPointer?
        ) -> Int32
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    private static let loaded = Result { () throws(DatabaseError) in try SessionLibrary() }

    static func load() throws(DatabaseError) -> SessionLibrary { try loaded.get() }

    private init() throws(DatabaseError) {
        let library = try SharedLibrary("libsqlite3.so.0") { DatabaseError.missingSessions($0) }
        create = try library.function(lazy_sqlite3session_create)
        delete = try library.function(lazy_sqlite3session_delete)
        attach = try library.function(lazy_sqlite3session_attach)
        changeset = try library.function(lazy_sqlite3session_changeset)
        apply = try library.function(lazy_sqlite3changeset_apply)
        free = try library.function(lazy_sqlite3_free)
    }
}

/// Records what a connection changes from now on in some tables, until it is gone. The connection must live
/// as long.
struct SQLiteSession: ~Copyable {
    private let library: SessionLibrary
    private let session: OpaquePointer

    /// - Throws: `missingSessions`, if libsqlite3 was made without them.
    static func check() throws(DatabaseError) { _ = try SessionLibrary.load() }

    init(_ connection: borrowing SQLiteConnection, of tables: [String]) throws(DatabaseError) {
        let library = try SessionLibrary.load()
        var session: OpaquePointer?
        var code = library.create(connection.handle, "main", &session)
        guard code == SQLITE_OK, let session else { throw .failed(code, "no session can be begun") }
        for table in tables where code == SQLITE_OK { code = library.attach(session, table) }
        guard code == SQLITE_OK else {
            library.delete(session)
            throw .failed(code, "no session can be begun")
        }
        (self.library, self.session) = (library, session)
    }

    deinit { library.delete(session) }

    /// What was changed; empty if nothing was.
    func changes() throws(DatabaseError) -> [UInt8] {
        var count: Int32 = 0
        var start: UnsafeMutableRawPointer?
        let code = library.changeset(session, &count, &start)
        defer { library.free(start) }
        guard code == SQLITE_OK else { throw .failed(code, "what was changed cannot be told") }
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(count)))
    }

    private final class Tables {
        let allowed: Set<String>
        let isForced: Bool
        var touched: Set<String> = []
        init(_ allowed: Set<String>, isForced: Bool) { (self.allowed, self.isForced) = (allowed, isForced) }

        /// What is done about a row that is not as it was where the change was made.
        func answer(to conflict: Int32) -> Int32 {
            guard isForced else { return SQLITE_CHANGESET_ABORT }
            let isReplaced = conflict == SQLITE_CHANGESET_DATA || conflict == SQLITE_CHANGESET_CONFLICT
            return isReplaced ? SQLITE_CHANGESET_REPLACE : SQLITE_CHANGESET_OMIT
        }
    }

    /// Makes the same changes in `connection`, all or, with an error, none. Inside a transaction.
    ///
    /// - Parameters:
    ///   - tables: those that may be changed: the changes may be anybody's.
    ///   - isForced: as far as they fit: a row that is another is replaced, one that is gone stays so. From
    ///     the same copy this leads to the same one everywhere.
    /// - Returns: those that were.
    static func apply(
        _ changes: [UInt8], to connection: borrowing SQLiteConnection, in tables: [String],
        isForced: Bool = false
    ) throws(DatabaseError) -> Set<String> {
        let library = try SessionLibrary.load()
        let names = Tables(Set(tables), isForced: isForced)
        var changes = changes
        let code = changes.withUnsafeMutableBytes { bytes in
            library.apply(
                connection.handle, Int32(bytes.count), bytes.baseAddress,
                { context, name in
                    guard let context, let name else { return 0 }
                    let names = Unmanaged<Tables>.fromOpaque(context).takeUnretainedValue()
                    let table = String(cString: name)
                    guard names.allowed.contains(table) else { return 0 }
                    names.touched.insert(table)
                    return 1
                },
                // Copies that are the same do not conflict.
                { context, conflict, _ in
                    guard let context else { return SQLITE_CHANGESET_ABORT }
                    return Unmanaged<Tables>.fromOpaque(context).takeUnretainedValue().answer(to: conflict)
                },
                Unmanaged.passUnretained(names).toOpaque())
        }
        // Whatever is wrong with them, it is no fault of this file's.
        guard code == SQLITE_OK else { throw .misfit(code) }
        return names.touched
    }
}
