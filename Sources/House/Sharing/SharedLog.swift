import HubService
import Identity
import Synchronization

/// The log of all that is written into the databases of a house that several gates share: every gate has a
/// whole copy, and a transaction is an entry of the log before it is committed. So messages have one
/// sequence, and whatever was answered is known to the gate that polls next.
///
/// An entry is written behind the last one that this copy has taken in, or not at all: then what others wrote
/// is taken in, and the transaction runs once more. All of it is the database's own thread's.
final class SharedLog: Sendable {
    /// The tables that all copies have alike. Pictures stay at the gate that took them.
    static let tables = [
        "meta", "states", "changes", "appliances", "messages", "read_marks", "devices", "timers",
        "preferences", "push", "hooks", FileTable.name,
    ]
    /// How often others may be faster, one after the other.
    private static let maximumTries = 100
    private static let pageCount = 16
    static let out = "this gate was taken out of its site, and comes back with 'hubpair hub site join'"

    /// What has been taken in or written.
    struct News: Sendable {
        let tables: Set<String>
        /// False if this house wrote it.
        let isForeign: Bool
    }

    /// An entry of which nobody has said yet whether it was written.
    private struct Doubt: Sendable {
        let entry: LogEntry
        let changes: [UInt8]
        let place: LogPlace
        let term: [UInt8]?
        let value: any Sendable
        let calls: [@Sendable () -> Void]
        var waiting: (@Sendable (Result<any Sendable, DatabaseError>) -> Void)?
    }

    private struct State {
        /// Nil while it is not one of the copies.
        var place: LogPlace?
        var term: [UInt8]?
        /// Why nothing can be written; nil if it can.
        var fault: String? = "it has not come as far as the other gates yet"
        var doubt: Doubt?
        var isClosed = false
        var byteCount = 0
    }

    private let records: any HouseRecordStore
    private let state = Mutex(State())
    /// Told on the database's thread.
    let onNews = Callback<News>()
    /// This house is no copy any more, or polls no longer: it begins anew. Why.
    let onEnd = Callback<String>()

    init(_ records: any HouseRecordStore) { self.records = records }

    var place: LogPlace? { state.withLock { $0.place } }
    var fault: String? { state.withLock { $0.fault } }
    var isInDoubt: Bool { state.withLock { $0.doubt != nil } }
    /// The bytes of all entries since it was asked last.
    func takeByteCount() -> Int {
        state.withLock { state in
            defer { state.byteCount = 0 }
            return state.byteCount
        }
    }

    /// Says whether anything can be written now.
    func note(fault: String?) { state.withLock { $0.fault = fault } }

    /// What is written from now on counts only as long as `term` leads.
    func lead(as term: [UInt8]?) { state.withLock { $0.term = term } }

    /// Nobody waits any more for what is in doubt.
    func close() {
        let waiting = state.withLock { state in
            defer { (state.doubt, state.isClosed) = (nil, true) }
            return state.doubt?.waiting
        }
        waiting?(.failure(.closed("the hub ends")))
    }

    // MARK: Writing

    /// Runs `body` as one transaction of all gates' copies; one that changes nothing asks nobody.
    func run<Value: Sendable>(
        _ body: (inout SQLiteConnection) throws(DatabaseError) -> Value,
        on connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Value {
        for _ in 0..<SharedLog.maximumTries {
            try connection.run("BEGIN")
            let value: Value
            let changes: [UInt8]
            do throws(DatabaseError) {
                let session = try SQLiteSession(connection, of: SharedLog.tables)
                value = try body(&connection)
                changes = try session.changes()
            } catch {
                connection.rollBack()
                throw error
            }
            if changes.isEmpty {
                try commit(&connection)
                return value
            }
            do throws(DatabaseError) {
                if try write(changes, value, &connection) { return value }
                try takeIn(&connection)
            } catch {
                connection.rollBack()
                throw error
            }
        }
        throw .alone("the other gates write all the time")
    }

    private func commit(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        do throws(DatabaseError) { try connection.run("COMMIT") } catch {
            connection.rollBack()
            throw error
        }
        for call in connection.takeCalls() { call() }
    }

    /// - Returns: false if another gate was faster, and the transaction is to run again.
    private func write(
        _ changes: [UInt8], _ value: any Sendable, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Bool {
        let (place, term, fault, isInDoubt) = state.withLock { state in
            (state.place, state.term, state.fault, state.doubt != nil)
        }
        if let fault { throw .alone(fault) }
        guard !isInDoubt, let place else { throw .alone("an earlier change is not decided yet") }
        guard let entry = put(changes, behind: place) else { throw .alone("the site does not answer") }
        let doubt = { (calls: [@Sendable () -> Void]) in
            Doubt(entry: entry, changes: changes, place: place, term: term, value: value, calls: calls)
        }
        switch written(entry, behind: place, term: term) {
        case .won:
            do throws(DatabaseError) {
                try SharedLog.note(place.next, &connection)
                try connection.run("COMMIT")
            } catch {
                // All others have it: it is taken in as theirs is.
                let calls = connection.takeCalls()
                state.withLock { $0.doubt = doubt(calls) }
                throw .doubtful(error.description)
            }
            grow(to: place.next, changes.count)
            for call in connection.takeCalls() { call() }
            onNews.tell(News(tables: [], isForeign: false))
            return true
        case .lost:
            connection.rollBack()
            return false
        case .unknown(let words):
            let calls = connection.takeCalls()
            state.withLock { state in
                state.doubt = doubt(calls)
                state.fault = words
            }
            throw .doubtful(words)
        case .fenced:
            onEnd.tell("another gate polls")
            throw .alone("another gate polls")
        case .apart:
            onEnd.tell("the site has another house")
            throw .alone("the site has another house")
        case .out:
            // Another is to poll.
            if term != nil { onEnd.tell(SharedLog.out) }
            throw .alone(SharedLog.out)
        }
    }

    private func written(_ entry: LogEntry, behind place: LogPlace, term: [UInt8]?) -> LogRules.Written {
        LogRules.written(
            entry, after: place, term: term,
            records.ask(LogRules.question(entry, after: place, term: term)))
    }

    /// - Returns: nil if its pieces cannot be written: then nothing was.
    private func put(_ changes: [UInt8], behind place: LogPlace) -> LogEntry? {
        let id = LogPlace.mark()
        guard changes.count > LogEntry.pieceByteCount / 2 else { return LogEntry(id: id, .inline(changes)) }
        guard changes.count <= LogEntry.maximumByteCount else { return nil }
        var count = 0
        for start in stride(from: 0, to: changes.count, by: LogEntry.pieceByteCount) {
            let piece = changes[start..<min(start + LogEntry.pieceByteCount, changes.count)]
            let key = HouseRecords.piece(count, of: id, at: place.position + 1)
            guard records.ask(.change([], [.put(key, Array(piece))], else: []))?.isDone == true else {
                return nil
            }
            count += 1
        }
        return LogEntry(id: id, .pieces(count: count, byteCount: changes.count))
    }

    private func grow(to place: LogPlace, _ byteCount: Int) {
        state.withLock { state in
            state.place = place
            state.byteCount += byteCount + 100
        }
    }

    // MARK: What is in doubt

    /// Waits for what is in doubt; told on the database's thread.
    func wait(_ body: @escaping @Sendable (Result<any Sendable, DatabaseError>) -> Void) -> Bool {
        state.withLock { state in
            guard state.doubt != nil, !state.isClosed else { return false }
            state.doubt?.waiting = body
            return true
        }
    }

    /// Offers it again, the same entry: it was written before, is now, or never will be.
    func decide(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        guard let doubt = state.withLock({ $0.doubt }) else { return }
        func end(_ result: Result<any Sendable, DatabaseError>) {
            state.withLock { $0.doubt = nil }
            doubt.waiting?(result)
        }
        switch written(doubt.entry, behind: doubt.place, term: doubt.term) {
        case .unknown(let words): throw .alone(words)
        case .won:
            do throws(DatabaseError) {
                _ = try apply(doubt.changes, doubt.place.next, &connection)
            } catch {
                guard case .misfit = error else { throw error }
                // All others have it: the house takes it from the log, in a copy that is sound.
                end(.success(doubt.value))
                return onEnd.tell("its copy does not fit what it wrote")
            }
            for call in doubt.calls { call() }
            end(.success(doubt.value))
            onNews.tell(News(tables: [], isForeign: false))
        case .lost: end(.failure(.alone("another gate was faster")))
        case .fenced:
            end(.failure(.alone("another gate polls")))
            onEnd.tell("another gate polls")
        case .out: end(.failure(.alone(SharedLog.out)))
        case .apart:
            end(.failure(.alone("the site has another house")))
            onEnd.tell("the site has another house")
        }
    }

    // MARK: Taking in

    /// What comes next in the log, and where it ends.
    static func question(after place: LogPlace?) -> SiteRecords.Question {
        let next = HouseRecords.entry((place?.position ?? 0) + 1)
        return .read([
            .init(HouseRecords.last), .init(HouseRecords.leader), .init(HouseRecords.base),
            .init(next, to: "log0", limit: pageCount),
        ])
    }

    /// Takes in what others wrote, to the end.
    private func takeIn(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        while true {
            let place = place
            guard let answer = records.ask(SharedLog.question(after: place)), answer.fault == nil else {
                throw .alone("the site does not answer")
            }
            switch LogRules.following(place, answer.entries) {
            case .upToDate: return
            case .take(let entries): try take(entries, behind: place, &connection)
            case .begin, .replace, .unreadable:
                onEnd.tell("the log goes on elsewhere")
                throw .alone("the log goes on elsewhere")
            }
        }
    }

    /// Takes in the entries behind a place, as far as it has not done so since they were asked for.
    ///
    /// - Parameter isForced: as far as they fit.
    func take(
        _ entries: [LogEntry], behind start: LogPlace?, isForced: Bool = false,
        _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        guard let start, let known = place, known.house == start.house, known.position >= start.position
        else { return }
        for entry in entries.dropFirst(Int(known.position - start.position)) {
            guard let place = place?.next else { throw .alone("it is no copy of the house") }
            let changes: [UInt8]
            switch entry.body {
            case .inline(let bytes): changes = bytes
            case .pieces(let count, let byteCount):
                changes = try pieces(count, byteCount) {
                    HouseRecords.piece($0, of: entry.id, at: place.position)
                }
            }
            let tables = try apply(changes, place, isForced: isForced, &connection)
            onNews.tell(News(tables: tables, isForeign: true))
        }
    }

    /// What is kept in pieces.
    func pieces(_ count: Int, _ byteCount: Int, _ key: (Int) -> String) throws(DatabaseError) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<count {
            let key = key(number)
            guard let answer = records.ask(.read([.init(key)])), answer.fault == nil else {
                throw .alone("the site does not answer")
            }
            guard let piece = answer.entries[key] else { throw .alone("a part of the log is gone") }
            bytes += piece
        }
        guard bytes.count == byteCount else { throw .alone("a part of the log is damaged") }
        return bytes
    }

    private func apply(
        _ changes: [UInt8], _ place: LogPlace, isForced: Bool = false, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Set<String> {
        try connection.run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            let tables = try SQLiteSession.apply(
                changes, to: connection, in: SharedLog.tables, isForced: isForced)
            try SharedLog.note(place, &connection)
            try connection.run("COMMIT")
            grow(to: place, changes.count)
            return tables
        } catch {
            connection.rollBack()
            throw error
        }
    }

    // MARK: The copy's place

    /// The table of where this copy is, which is its own business.
    private static let placeTable = "site"

    static func makeTables(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        try connection.run(
            "CREATE TABLE IF NOT EXISTS \(placeTable) (name TEXT PRIMARY KEY, value TEXT NOT NULL) "
                + "WITHOUT ROWID")
        try connection.run(FileTable.definition)
    }

    /// Call it when the database was opened.
    func open(_ connection: inout SQLiteConnection) throws(DatabaseError) {
        try SQLiteSession.check()
        try SharedLog.makeTables(&connection)
        let text = try connection.text("SELECT value FROM \(SharedLog.placeTable) WHERE name = 'place'")
        let place = text.flatMap { LogPlace(Array($0.utf8)) }
        let known = state.withLock { state in
            defer { state.place = place }
            return state.place
        }
        // A broken file was put aside, and this is another.
        if known != nil, known != place { onEnd.tell("the database is another") }
    }

    static func note(_ place: LogPlace, _ connection: inout SQLiteConnection) throws(DatabaseError) {
        try note("place", String(decoding: place.bytes, as: UTF8.self), &connection)
    }

    static func note(_ misfits: LogMisfits, _ connection: inout SQLiteConnection) throws(DatabaseError) {
        try note("misfits", misfits.text, &connection)
    }

    static func misfits(_ connection: inout SQLiteConnection) throws(DatabaseError) -> LogMisfits? {
        try connection.text("SELECT value FROM \(placeTable) WHERE name = 'misfits'")
            .flatMap { LogMisfits($0) }
    }

    private static func note(
        _ name: String, _ value: String, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        try connection.run(
            "INSERT OR REPLACE INTO \(placeTable) VALUES (?, ?)", [.text(name), .text(value)])
    }

    /// This copy is at `place` from now on.
    func begin(at place: LogPlace, _ connection: inout SQLiteConnection) throws(DatabaseError) {
        try SharedLog.note(place, &connection)
        state.withLock { $0.place = place }
    }

    /// A house of its own again: from here on its ids are not those of the others.
    ///
    /// - Returns: true if it was a copy.
    static func leave(
        _ connection: inout SQLiteConnection, keepsFiles: Bool = false
    ) throws(DatabaseError) -> Bool {
        let isCopy = try connection.number(
            "SELECT count(*) FROM sqlite_master WHERE name = '\(placeTable)'")
        guard isCopy == 1 else { return false }
        try connection.run("DROP TABLE \(placeTable)")
        if !keepsFiles { try connection.run("DROP TABLE IF EXISTS \(FileTable.name)") }
        return true
    }
}
