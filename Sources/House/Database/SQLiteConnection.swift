import CSQLite

/// A value in a row.
enum SQLiteValue: Equatable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ text: String?) { self = text.map(SQLiteValue.text) ?? .null }
    init(_ number: Int64?) { self = number.map(SQLiteValue.integer) ?? .null }
}

/// A row of an answer, valid until the next one is read.
struct SQLiteRow: ~Copyable {
    fileprivate let library: SQLiteLibrary
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int) -> Int64 { library.columnInteger(statement, Int32(column)) }

    func integerOrNil(_ column: Int) -> Int64? { isNull(column) ? nil : integer(column) }

    /// The text of a column; U+FFFD for what is not UTF-8.
    func text(_ column: Int) -> String {
        guard let bytes = library.columnText(statement, Int32(column)) else { return "" }
        let count = Int(library.columnByteCount(statement, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard let start = library.columnBytes(statement, Int32(column)) else { return [] }
        let count = Int(library.columnByteCount(statement, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func textOrNil(_ column: Int) -> String? { isNull(column) ? nil : text(column) }

    private func isNull(_ column: Int) -> Bool {
        library.columnType(statement, Int32(column)) == SQLITE_NULL
    }
}

/// One connection to a database, and its prepared statements. It is used by one thread at a time.
struct SQLiteConnection: ~Copyable {
    private let library: SQLiteLibrary
    let handle: OpaquePointer
    /// What is to be called once the transaction is durable.
    private var calls: [@Sendable () -> Void] = []
    /// By their SQL; the program has a fixed number of them.
    private var statements: [String: OpaquePointer]

    /// Opens a database file that exists already, never through a link.
    init(path: String) throws(DatabaseError) {
        let library = try SQLiteLibrary.load()
        var handle: OpaquePointer?
        let code = library.open(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
        guard code == SQLITE_OK, let handle else {
            let words = handle.flatMap(library.errorMessage).map { String(cString: $0) } ?? "out of memory"
            _ = library.close(handle)
            throw .failed(code, words)
        }
        (self.library, self.handle, statements) = (library, handle, [:])
        _ = library.extendResultCodes(handle, 1)
        // `hub backup` or a person with sqlite3 may read at the same time.
        _ = library.setBusyTimeout(handle, 5000)
    }

    deinit {
        for statement in statements.values { _ = library.finalize(statement) }
        _ = library.close(handle)
    }

    /// Carries out a statement, and hands each row of its answer to `body`.
    mutating func run(
        _ sql: String, _ values: [SQLiteValue] = [],
        _ body: (borrowing SQLiteRow) throws(DatabaseError) -> Void = { _ in }
    ) throws(DatabaseError) {
        let statement = try prepared(sql)
        defer {
            _ = library.reset(statement)
            _ = library.clear(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1), statement) }
        while true {
            switch library.step(statement) {
            case SQLITE_ROW: try body(SQLiteRow(library: library, statement: statement))
            case SQLITE_DONE: return
            default: throw fault
            }
        }
    }

    /// The first number of the answer's first row; nil without a row, or for NULL.
    mutating func number(_ sql: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> Int64? {
        var number: Int64?
        try run(sql, values) { row in number = number ?? row.integerOrNil(0) }
        return number
    }

    /// The first text of the answer's first row; nil without a row, or for NULL.
    mutating func text(_ sql: String, _ values: [SQLiteValue] = []) throws(DatabaseError) -> String? {
        var text: String?
        try run(sql, values) { row in text = text ?? row.textOrNil(0) }
        return text
    }

    /// Carries out all of `body` or nothing of it; durable when it returns, or when the transaction around it
    /// ends.
    mutating func transaction<Result>(
        _ body: (inout SQLiteConnection) throws(DatabaseError) -> Result
    ) throws(DatabaseError) -> Result {
        let isInner = library.isOutsideTransaction(handle) == 0
        try run(isInner ? "SAVEPOINT inner_one" : "BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let result = try body(&self)
            try run(isInner ? "RELEASE inner_one" : "COMMIT")
            return result
        } catch {
            // Some faults have rolled it back already.
            guard library.isOutsideTransaction(handle) == 0 else { throw error }
            if isInner {
                try? run("ROLLBACK TO inner_one")
                try? run("RELEASE inner_one")
            } else {
                try? run("ROLLBACK")
            }
            throw error
        }
    }

    /// Calls `body` once all that was written is durable: now, or with the transaction around it.
    mutating func whenDurable(_ body: @escaping @Sendable () -> Void) {
        if library.isOutsideTransaction(handle) == 0 { calls.append(body) } else { body() }
    }

    /// What waits for the end of the transaction.
    mutating func takeCalls() -> [@Sendable () -> Void] {
        defer { calls = [] }
        return calls
    }

    /// Ends the transaction, if there is one, as if there had been none.
    mutating func rollBack() {
        if library.isOutsideTransaction(handle) == 0 { try? run("ROLLBACK") }
        calls = []
    }

    /// The bytes of the database file as this connection sees it, what is still in the log included.
    mutating func serialized() throws(DatabaseError) -> [UInt8] {
        var count: sqlite3_int64 = 0
        guard let start = library.serialize(handle, "main", &count, 0) else {
            throw .failed(SQLITE_NOMEM, "out of memory")
        }
        defer { library.free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private mutating func prepared(_ sql: String) throws(DatabaseError) -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = library.prepare(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw fault }
        statements[sql] = statement
        return statement
    }

    private func bind(
        _ value: SQLiteValue, _ index: Int32, _ statement: OpaquePointer
    ) throws(DatabaseError) {
        // SQLITE_TRANSIENT: the library copies the bytes before it returns.
        let transient = unsafeBitCast(-1, to: SQLiteLibrary.Destructor.self)
        let code: Int32
        switch value {
        case .bytes(let bytes):
            code = bytes.withUnsafeBytes {
                library.bindBytes(statement, index, $0.baseAddress, sqlite3_uint64($0.count), transient)
            }
        case .null: code = library.bindNull(statement, index)
        case .integer(let number): code = library.bindInteger(statement, index, number)
        case .text(let text):
            let count = UInt64(text.utf8.count)
            code = text.withCString { bytes in
                library.bindText(statement, index, bytes, count, transient, UInt8(SQLITE_UTF8))
            }
        }
        guard code == SQLITE_OK else { throw fault }
    }

    private var fault: DatabaseError {
        let words = library.errorMessage(handle).map { String(cString: $0) } ?? ""
        return .failed(library.errorCode(handle), words)
    }
}
