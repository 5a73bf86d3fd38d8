import CSQLite
import Identity

/// The functions of libsqlite3 that are used here, loaded when `serve` opens its database.
///
/// Linked, the library would cost every command a quarter of a millisecond at its start (measured), and
/// `serve` could not guard a hub on which it is missing.
///
/// Sendable: it holds only addresses of functions, which never change. A connection is used by one thread at
/// a time (``SQLiteConnection``).
struct SQLiteLibrary: @unchecked Sendable {
    typealias Destructor = @convention(c) (UnsafeMutableRawPointer?) -> Void

    let open:
        @convention(c) (
            UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, Int32,
            UnsafePointer<CChar>?
        ) -> Int32
    let close: @convention(c) (OpaquePointer?) -> Int32
    let extendResultCodes: @convention(c) (OpaquePointer?, Int32) -> Int32
    let errorCode: @convention(c) (OpaquePointer?) -> Int32
    let errorMessage: @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    let setBusyTimeout: @convention(c) (OpaquePointer?, Int32) -> Int32
    let prepare:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, Int32, UInt32,
            UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<CChar>?>?
        ) -> Int32
    let finalize: @convention(c) (OpaquePointer?) -> Int32
    let reset: @convention(c) (OpaquePointer?) -> Int32
    let clear: @convention(c) (OpaquePointer?) -> Int32
    let step: @convention(c) (OpaquePointer?) -> Int32
    let bindInteger: @convention(c) (OpaquePointer?, Int32, sqlite3_int64) -> Int32
    let bindText:
        @convention(c) (
            OpaquePointer?, Int32, UnsafePointer<CChar>?, sqlite3_uint64, Destructor?,
            UInt8
        ) -> Int32
    let bindBytes:
        @convention(c) (
            OpaquePointer?, Int32, UnsafeRawPointer?, sqlite3_uint64, Destructor?
        ) -> Int32
    let bindNull: @convention(c) (OpaquePointer?, Int32) -> Int32
    let columnType: @convention(c) (OpaquePointer?, Int32) -> Int32
    let columnInteger: @convention(c) (OpaquePointer?, Int32) -> sqlite3_int64
    let columnBytes: @convention(c) (OpaquePointer?, Int32) -> UnsafeRawPointer?
    let columnText: @convention(c) (OpaquePointer?, Int32) -> UnsafePointer<UInt8>?
    let columnByteCount: @convention(c) (OpaquePointer?, Int32) -> Int32
    let isOutsideTransaction: @convention(c) (OpaquePointer?) -> Int32
    let serialize:
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<sqlite3_int64>?, UInt32
        ) -> UnsafeMutablePointer<UInt8>?
    let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    private static let loaded = Result { () throws(DatabaseError) in try SQLiteLibrary() }

    /// The library, loaded on the first call, and never unloaded.
    static func load() throws(DatabaseError) -> SQLiteLibrary { try loaded.get() }

    private init() throws(DatabaseError) {
        let library = try SharedLibrary("libsqlite3.so.0") { DatabaseError.missingLibrary($0) }
        open = try library.function(lazy_sqlite3_open_v2)
        close = try library.function(lazy_sqlite3_close_v2)
        extendResultCodes = try library.function(lazy_sqlite3_extended_result_codes)
        errorCode = try library.function(lazy_sqlite3_extended_errcode)
        errorMessage = try library.function(lazy_sqlite3_errmsg)
        setBusyTimeout = try library.function(lazy_sqlite3_busy_timeout)
        prepare = try library.function(lazy_sqlite3_prepare_v3)
        finalize = try library.function(lazy_sqlite3_finalize)
        reset = try library.function(lazy_sqlite3_reset)
        clear = try library.function(lazy_sqlite3_clear_bindings)
        step = try library.function(lazy_sqlite3_step)
        bindInteger = try library.function(lazy_sqlite3_bind_int64)
        bindText = try library.function(lazy_sqlite3_bind_text64)
        bindBytes = try library.function(lazy_sqlite3_bind_blob64)
        bindNull = try library.function(lazy_sqlite3_bind_null)
        columnType = try library.function(lazy_sqlite3_column_type)
        columnInteger = try library.function(lazy_sqlite3_column_int64)
        columnBytes = try library.function(lazy_sqlite3_column_blob)
        columnText = try library.function(lazy_sqlite3_column_text)
        columnByteCount = try library.function(lazy_sqlite3_column_bytes)
        isOutsideTransaction = try library.function(lazy_sqlite3_get_autocommit)
        serialize = try library.function(lazy_sqlite3_serialize)
        free = try library.function(lazy_sqlite3_free)
    }
}
