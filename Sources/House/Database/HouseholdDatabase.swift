import Dispatch
import Glibc
import HubService
import Identity
import Pairing
import Synchronization

/// The database `household.sqlite` in the state directory: the one owner of its connection, on a thread of
/// its own. Waiting for the disk never holds up a connection of the gateway.
///
/// It is opened with the first use. A broken file is put aside and a new one begun (``onBroken`` is told);
/// if it cannot be opened, every use fails, and the next tries again.
final class HouseholdDatabase: Sendable {
    static let fileName = HouseholdFiles.database
    /// What a broken file is called from then on; one before it is replaced.
    static let brokenName = HouseholdFiles.brokenDatabase

    private struct Content: ~Copyable {
        var connection: SQLiteConnection?
        var isClosed = false
        /// That it cannot be opened is logged once.
        var loggedFault: DatabaseError?
    }

    private let state: HubState
    private let log: ServeLog
    private let queue = DispatchQueue(label: "hubpair.household.database")
    private let content = Mutex(Content())
    private let onBroken = Callback<String>()
    /// Of a house that several gates share; nil: all that is written is this file's own.
    private let shared: SharedLog?

    init(state: HubState, log: ServeLog, shared: SharedLog? = nil) {
        (self.state, self.log, self.shared) = (state, log, shared)
    }

    /// `body` is told whenever a broken file has been put aside, on the database's own thread.
    func whenBroken(_ body: @escaping @Sendable (_ words: String) -> Void) { onBroken.observe(body) }

    /// Runs `body` with the connection, after all earlier uses.
    func use<Value: Sendable>(
        _ body: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Value
    ) async throws(DatabaseError) -> Value {
        let result = await withCheckedContinuation { continuation in
            enqueue(body) { continuation.resume(returning: $0) }
        }
        return try result.get()
    }

    /// The same without waiting for it; `done` is called on the database's own thread.
    ///
    /// - Parameters:
    ///   - asCopy: what is written concerns this file alone, also where several gates share the house.
    ///   - waits: calls `done` only once it is known whether all was written.
    func enqueue<Value: Sendable>(
        asCopy: Bool = false, waits: Bool = false,
        _ body: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Value,
        done: @escaping @Sendable (Result<Value, DatabaseError>) -> Void
    ) {
        queue.async { [self] in
            let (result, broken) = content.withLock { content in run(body, asCopy: asCopy, &content) }
            if let broken { onBroken.tell(broken) }
            if waits, case .failure(.doubtful) = result, let shared {
                let isWaiting = shared.wait { outcome in
                    done(
                        outcome.flatMap { value in
                            (value as? Value).map { .success($0) } ?? .failure(.closed("the hub ends"))
                        })
                }
                if isWaiting { return }
            }
            done(result)
        }
    }

    /// Closes the database once all earlier uses are over; later ones fail.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                content.withLock { content in
                    content.connection = nil
                    content.isClosed = true
                }
                // It is told of what holds this database.
                onBroken.observe(nil)
                continuation.resume()
            }
        }
    }

    /// Uses the connection; puts a broken file aside and tries once more with a new one.
    ///
    /// - Returns: what came of it, and what was wrong with the file that was put aside.
    private func run<Value: Sendable>(
        _ body: (inout SQLiteConnection) throws(DatabaseError) -> Value, asCopy: Bool,
        _ content: inout Content
    ) -> (result: Result<Value, DatabaseError>, broken: String?) {
        guard !content.isClosed else { return (.failure(.closed("the hub ends")), nil) }
        do throws(DatabaseError) {
            return (.success(try attempt(body, asCopy: asCopy, &content)), nil)
        } catch {
            guard error.isBroken else { return (.failure(error), nil) }
            content.connection = nil
            putAside(error)
            do throws(DatabaseError) {
                return (.success(try attempt(body, asCopy: asCopy, &content)), error.description)
            } catch let second {
                return (.failure(second), error.description)
            }
        }
    }

    private func attempt<Value: Sendable>(
        _ body: (inout SQLiteConnection) throws(DatabaseError) -> Value, asCopy: Bool,
        _ content: inout Content
    ) throws(DatabaseError) -> Value {
        if content.connection == nil {
            do throws(DatabaseError) {
                content.connection = try open()
                if content.loggedFault != nil {
                    log.notice("states and messages are kept again")
                }
                content.loggedFault = nil
            } catch {
                if !error.isBroken, content.loggedFault != error {
                    content.loggedFault = error
                    log.error("no states and messages are kept: \(describing(error))")
                }
                throw error
            }
        }
        guard var connection = content.connection.take() else { throw .closed("the hub ends") }
        do throws(DatabaseError) {
            let value: Value
            if let shared, !asCopy {
                value = try shared.run(body, on: &connection)
            } else {
                value = try body(&connection)
            }
            content.connection = consume connection
            return value
        } catch {
            content.connection = consume connection
            throw error
        }
    }

    private func open() throws(DatabaseError) -> SQLiteConnection {
        let path = "\(state.path)/\(HouseholdDatabase.fileName)"
        try HouseholdDatabase.makePrivate(path)
        var connection = try SQLiteConnection(path: path)
        try HouseholdSchema.prepare(&connection)
        if let shared {
            try shared.open(&connection)
        } else {
            try HouseholdSchema.leaveSite(&connection)
        }
        return connection
    }

    /// Makes the file if there is none, and checks that nobody else can read it. SQLite gives the files
    /// beside it the same rights.
    private static func makePrivate(_ path: String) throws(DatabaseError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .notPrivate("\(path): \(String(cString: strerror(errno)))")
        }
        defer { Glibc.close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid()
        else { throw .notPrivate("\(path) is not a file of this user") }
        guard status.st_mode & 0o077 == 0 else {
            throw .notPrivate("\(path) can be read by others; 'chmod 600 \(path)' mends that")
        }
    }

    private func putAside(_ error: DatabaseError) {
        let path = "\(state.path)/\(HouseholdDatabase.fileName)"
        let aside = "\(state.path)/\(HouseholdDatabase.brokenName)"
        // The log may hold what the file itself does not.
        for end in ["-wal", "-shm"] { unlink(aside + end) }
        rename(path + "-wal", aside + "-wal")
        unlink(path + "-shm")
        rename(path, aside)
        log.error("\(error); it was put aside as \(aside), and a new one is begun")
    }
}
