import Household
import HubService
import Pairing
import Synchronization

/// A keyfile of the household that is gone: its name, and how much was in it.
struct LostFile: Equatable, Sendable {
    let kind: Kind
    let count: Int

    /// The files that a hub can be without, so that one that is gone would look like an empty house.
    enum Kind: String, CaseIterable, Sendable {
        case rooms, scenes, rules

        var fileName: String {
            switch self {
            case .rooms: Rooms.fileName
            case .scenes: HubScenes.fileName
            case .rules: Rules.fileName
            }
        }

        /// What it holds, with a number: `1 rule`, `3 rules`.
        func words(_ count: Int) -> String {
            "\(count) \(count == 1 ? String(rawValue.dropLast()) : rawValue)"
        }

        /// How many of them are in these bytes.
        func count(in bytes: [UInt8]) throws(KeyFileError) -> Int {
            switch self {
            case .rooms: try Rooms(parsing: bytes).rooms.count
            case .scenes: try HubScenes(parsing: bytes).scenes.count
            case .rules: try Rules(parsing: bytes).rules.count
            }
        }

        /// The command that makes the first one again.
        private var command: String {
            switch self {
            case .rooms: "hubpair home room add NAME"
            case .scenes: "hubpair home scene save NAME"
            case .rules: "hubpair home rule add NAME APPLIANCE --when on"
            }
        }

        fileprivate func hint(in directory: borrowing ProtectedDirectory) -> String {
            let hasBackup = directory.hasGoodBackup(fileName) { bytes throws(KeyFileError) in
                _ = try count(in: bytes)
            }
            guard !hasBackup else {
                return FileRecovery.hint(directory.path(of: fileName), hasGoodBackup: true, isGone: true)
            }
            return "bring it back with the whole hub: 'hubpair hub restore --replace BACKUP', or begin anew: "
                + "'\(command)'"
        }
    }

    /// In lower case, without a full stop.
    func description(in path: String) -> String {
        "the \(kind.rawValue) are gone: \(path)/\(kind.fileName), with \(kind.words(count)) in it"
    }

    /// The name in the table `meta` under which the hub remembers how much was in the file.
    fileprivate static func mark(_ kind: Kind) -> String { "file \(kind.fileName)" }

    /// How much the hub remembers of the file.
    fileprivate static func known(
        _ kind: Kind, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Int {
        let value = try connection.text("SELECT value FROM meta WHERE name = ?", [.text(mark(kind))])
        return value.flatMap { Int($0) } ?? 0
    }

    /// The files that are not there, and of which the database of a hub, running or not, remembers that
    /// something was in them; with what brings each back.
    static func all(
        in directory: borrowing ProtectedDirectory
    ) throws -> [(file: LostFile, hint: String)] {
        let gone = try Kind.allCases.filter { try directory.stamp(of: $0.fileName) == nil }
        guard !gone.isEmpty, try directory.stamp(of: HouseholdDatabase.fileName) != nil else { return [] }
        let path = directory.path(of: HouseholdDatabase.fileName)
        let counts = directory.owner.acting {
            Result { () throws(DatabaseError) -> [LostFile] in
                var connection = try SQLiteConnection(path: path)
                return try gone.map { kind throws(DatabaseError) in
                    LostFile(kind: kind, count: try known(kind, &connection))
                }
            }
        }
        // A database that cannot be read is told of by a check of its own.
        return ((try? counts.get()) ?? []).filter { $0.count > 0 }.map { ($0, $0.kind.hint(in: directory)) }
    }
}

/// Tells people when a keyfile of the household is gone, also while the hub did not run: without it no rule
/// is armed, and nobody would notice. How much was in each file stands in the database.
final class LostFileWatch: Sendable {
    /// An editor takes a file away before it puts the new one in its place: only what is not there for so
    /// many seconds is gone.
    private static let patience = 2.0

    private struct Memory: Sendable {
        var counts: [LostFile.Kind: (stamp: FileStamp, count: Int)] = [:]
        /// Since when they have not been there, look for look.
        var missing: [LostFile.Kind: ContinuousClock.Instant] = [:]
        var told: Set<LostFile.Kind> = []
    }

    private let state: HubState
    private let database: HouseholdDatabase
    private let tell: @Sendable (String) -> Void
    private let looking = Mutex<RecurringLook?>(nil)

    /// - Parameter tell: writes an alert, and a line of the log.
    init(_ state: HubState, _ database: HouseholdDatabase, tell: @escaping @Sendable (String) -> Void) {
        (self.state, self.database, self.tell) = (state, database, tell)
    }

    func start() {
        looking.withLock {
            $0 = RecurringLook(remembering: Memory()) { [weak self] memory in await self?.look(&memory) }
        }
        look()
    }

    func stop() async { await looking.withLock { $0.take() }?.stop() }

    /// The files may be others than before.
    func look() { looking.withLock { $0 }?.look() }

    /// - Returns: in how many seconds to look again.
    private func look(_ memory: inout Memory) async -> Double? {
        var again: Double?
        for kind in LostFile.Kind.allCases {
            switch present(kind, &memory) {
            case nil: continue  // who reads it is told why it cannot be read
            case .some(.some(let count)):
                memory.missing[kind] = nil
                try? await remember(count, of: kind)
                guard memory.told.remove(kind) != nil else { continue }
                tell("the \(kind.rawValue) are there again: \(kind.words(count))")
            case .some(.none):
                guard let count = try? await known(kind), count > 0, !memory.told.contains(kind) else {
                    continue
                }
                let now = ContinuousClock.now
                let since = memory.missing[kind] ?? now
                memory.missing[kind] = since
                // Each change of a file has it looked for, an editor's own too.
                let left = LostFileWatch.patience - (now - since).inSeconds
                guard left <= 0 else {
                    again = max(again ?? 0, left)
                    continue
                }
                memory.told.insert(kind)
                tell(words(LostFile(kind: kind, count: count)))
            }
        }
        return again
    }

    /// How much is in the file, or in it nil if there is none; nil if it cannot be read.
    private func present(_ kind: LostFile.Kind, _ memory: inout Memory) -> Int?? {
        do {
            let directory = try state.open()
            guard let stamp = try directory.stamp(of: kind.fileName) else { return .some(nil) }
            if let last = memory.counts[kind], last.stamp == stamp { return last.count }
            guard let bytes = try directory.read(kind.fileName) else { return .some(nil) }
            let count = try kind.count(in: bytes)
            memory.counts[kind] = (stamp, count)
            return count
        } catch {
            return nil
        }
    }

    private func words(_ file: LostFile) -> String {
        let words = file.description(in: state.path)
        do {
            return words + "; " + file.kind.hint(in: try state.open())
        } catch {
            return words
        }
    }

    private func known(_ kind: LostFile.Kind) async throws(DatabaseError) -> Int {
        try await database.use { connection throws(DatabaseError) in try LostFile.known(kind, &connection) }
    }

    private func remember(_ count: Int, of kind: LostFile.Kind) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            guard try LostFile.known(kind, &connection) != count else { return }
            try connection.run(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                [.text(LostFile.mark(kind)), .text(String(count))])
        }
    }
}
