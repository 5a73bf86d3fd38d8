import FoundationEssentials
import HubService
import Identity
import Logging
import Pairing
import Synchronization
import Testing

@testable import House

/// What the houses share, in memory; what is asked can be lost, before or after it was done.
private final class RecordsInTest: HouseRecordStore {
    enum Fault {
        case before, after
    }

    private struct State {
        var entries: [String: [UInt8]] = [:]
        var faults: [Fault] = []
        var writes = 0
    }

    private let state = Mutex(State())

    var writes: Int { state.withLock { $0.writes } }
    var isAway: Bool {
        get { false }
        set { state.withLock { $0.faults = newValue ? Array(repeating: .before, count: 1_000_000) : [] } }
    }
    func lose(_ faults: [Fault]) { state.withLock { $0.faults = faults } }
    var keys: [String] { state.withLock { $0.entries.keys.sorted() } }
    func put(_ key: String, _ bytes: [UInt8]?) { state.withLock { $0.entries[key] = bytes } }

    func interrupt() {}

    func ask(_ question: SiteRecords.Question) -> SiteRecords.Answer? {
        state.withLock { state in
            let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
            if fault == .before { return nil }
            var answer = SiteRecords.Answer()
            func read(_ ranges: [SiteRecords.Range]) {
                for range in ranges {
                    let keys = state.entries.keys.filter { key in
                        range.to.map { key >= range.from && key < $0 } ?? (key == range.from)
                    }.sorted()
                    for key in range.limit > 0 ? Array(keys.prefix(range.limit)) : keys {
                        answer.entries[key] = state.entries[key]
                    }
                }
            }
            switch question {
            case .gate: break
            case .lease(.begin): answer.lease = "1"
            case .lease(.keep(let id)): answer.lease = id
            case .lease(.end): state.entries["leader"] = nil
            case .read(let ranges): read(ranges)
            case .change(let conditions, let changes, let ranges):
                guard conditions.allSatisfy({ state.entries[$0.key] == $0.value }) else {
                    read(ranges)
                    break
                }
                answer.isDone = true
                state.writes += 1
                for change in changes {
                    switch change {
                    case .put(let key, let bytes, _): state.entries[key] = bytes
                    case .delete(let key, let end):
                        for each in state.entries.keys
                        where each == key || end.map({ each >= key && each < $0 }) ?? false {
                            state.entries[each] = nil
                        }
                    }
                }
            }
            return fault == .after ? nil : answer
        }
    }
}

/// Databases of several houses that share one log.
@Suite struct SharedLogTests {
    private final class Copy: Sendable {
        let log: SharedLog
        let database: HouseholdDatabase
        let ends = Mutex<[String]>([])

        init(_ records: RecordsInTest, _ log: ServeLog) throws {
            let path = FileManager.default.temporaryDirectory.path() + "hubpair-shared-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            self.log = SharedLog(records)
            let state = HubState(option: path, environment: [:], isRoot: false, home: "/")
            database = HouseholdDatabase(state: state, log: log, shared: self.log)
            self.log.onEnd.observe { [weak self] words in self?.ends.withLock { $0.append(words) } }
        }

        func own<Value: Sendable>(
            _ body: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                database.enqueue(asCopy: true, body) { continuation.resume(with: $0) }
            }
        }

        func begin(_ place: LogPlace) async throws {
            try await own { [log] connection throws(DatabaseError) in try log.begin(at: place, &connection) }
            log.note(fault: nil)
        }

        func set(_ key: String, _ value: String) async throws(DatabaseError) {
            try await database.use { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR REPLACE INTO preferences VALUES (?, ?)", [.text(key), .text(value)])
            }
        }

        /// Counts, so that one that is lost or done twice shows.
        func count(waits: Bool = false) async throws -> Int64 {
            try await withCheckedThrowingContinuation { continuation in
                database.enqueue(
                    waits: waits,
                    { connection throws(DatabaseError) in
                        let now = try connection.number("SELECT value FROM meta WHERE name = 'count'") ?? 0
                        try connection.transaction { connection throws(DatabaseError) in
                            try connection.run(
                                "INSERT OR REPLACE INTO meta VALUES ('count', ?)", [.text("\(now + 1)")])
                        }
                        return now + 1
                    }, done: { continuation.resume(with: $0) })
            }
        }

        func all() async throws -> [String: String] {
            try await own { connection throws(DatabaseError) in
                var all: [String: String] = [:]
                try connection.run("SELECT name, value FROM meta WHERE name != 'tag'") { row in
                    all[row.text(0)] = row.text(1)
                }
                try connection.run("SELECT device, value FROM preferences") { all[$0.text(0)] = $0.text(1) }
                return all
            }
        }

        func follow(_ records: RecordsInTest) async throws {
            let start = log.place
            while case .take(let entries) = LogRules.following(
                log.place, try #require(records.ask(SharedLog.question(after: log.place))).entries)
            {
                let place = log.place
                // What was asked for before is not taken in twice.
                for _ in 0..<2 {
                    try await own { [log] connection throws(DatabaseError) in
                        try log.take(entries, behind: place, &connection)
                    }
                }
                try await own { [log] connection throws(DatabaseError) in
                    try log.take(Array(entries.prefix(1)), behind: start, &connection)
                }
            }
        }
    }

    private let records = RecordsInTest()
    private let start = LogPlace(house: "h", position: 0)

    private func copies(_ count: Int) async throws -> [Copy] {
        let log = ServeLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        records.put("last", start.bytes)
        var copies: [Copy] = []
        for _ in 0..<count {
            let copy = try Copy(records, log)
            try await copy.begin(start)
            copies.append(copy)
        }
        return copies
    }

    @Test func copiesThatWriteByTurnsAreAlike() async throws {
        let copies = try await copies(3)
        for number in 1...30 { #expect(try await copies[number % 3].count() == Int64(number)) }
        // One transaction of all, also with much in it.
        try await copies[0].set("large", String(repeating: "x", count: 1_000_000))
        for copy in copies { try await copy.follow(records) }
        let first = try await copies[0].all()
        #expect(first["count"] == "30")
        for copy in copies { #expect(try await copy.all() == first) }
        #expect(copies.allSatisfy { $0.log.place?.position == 31 })
    }

    @Test func readingAsksNobody() async throws {
        let copy = try await copies(1)[0]
        _ = try await copy.count()
        let before = records.writes
        records.isAway = true
        _ = try await copy.database.use { connection throws(DatabaseError) in
            try connection.number("SELECT count(*) FROM messages")
        }
        #expect(records.writes == before)
        await #expect(throws: DatabaseError.doubtful("the gate does not answer")) {
            try await copy.set("a", "b")
        }
        #expect(try await copy.all()["a"] == nil)
    }

    @Test(arguments: [false, true]) func whatIsInDoubtIsDoneOnceOrNever(wasDone: Bool) async throws {
        let copies = try await copies(2)
        records.lose([wasDone ? .after : .before])
        async let count = copies[0].count(waits: true)
        while !copies[0].log.isInDoubt { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: DatabaseError.self) { try await copies[0].set("a", "b") }
        if !wasDone {
            // Another is faster meanwhile.
            #expect(try await copies[1].count() == 1)
        }
        copies[0].log.note(fault: nil)
        try await copies[0].own { [log = copies[0].log] connection throws(DatabaseError) in
            try log.decide(&connection)
        }
        if wasDone {
            #expect(try await count == 1)
        } else {
            do {
                _ = try await count
                Issue.record("another was faster")
            } catch let error as DatabaseError {
                #expect(error.isAlone)
            }
        }
        #expect(try await copies[0].count() == 2)
        try await copies[1].follow(records)
        #expect(try await copies[1].all()["count"] == "2")
    }

    @Test func oneThatLeadsNoLongerWritesNothing() async throws {
        let copies = try await copies(2)
        records.put("leader", Array("A 1".utf8))
        copies[0].log.lead(as: Array("A 1".utf8))
        #expect(try await copies[0].count() == 1)
        records.put("leader", Array("B 2".utf8))
        await #expect(throws: DatabaseError.alone("another gate polls")) { try await copies[0].set("a", "b") }
        #expect(copies[0].ends.withLock { $0 } == ["another gate polls"])
        #expect(try await copies[1].count() == 2)
        #expect(try await copies[1].all()["a"] == nil)
    }

    @Test func anErrorUndoesAllOfIt() async throws {
        let copy = try await copies(1)[0]
        await #expect(throws: DatabaseError.self) {
            try await copy.database.use { connection throws(DatabaseError) in
                try connection.run("INSERT OR REPLACE INTO meta VALUES ('a', 'b')")
                try connection.transaction { connection throws(DatabaseError) in
                    try connection.run("INSERT INTO nothing VALUES (1)")
                }
            }
        }
        #expect(try await copy.all()["a"] == nil)
        #expect(records.writes == 0)
    }

    /// The log is shortened behind a copy; who comes then, or was away for too long, takes that.
    @Test func aGateThatCannotFollowTakesACopy() async throws {
        let log = ServeLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        func folder() throws -> HubState {
            let path = FileManager.default.temporaryDirectory.path() + "hubpair-shared-" + UUID().uuidString
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            return HubState(option: path, environment: [:], isRoot: false, home: "/")
        }
        func house(_ gate: String, _ state: HubState) -> (SharedHouse, HouseholdDatabase, AsyncStream<String>)
        {
            let (ends, end) = AsyncStream.makeStream(of: String.self)
            let house = SharedHouse(
                gate, records, of: state, log: log, isTold: { false }, onEnd: { end.yield($0) })
            return (house, HouseholdDatabase(state: state, log: log, shared: house.log), ends)
        }
        func count(_ database: HouseholdDatabase) async throws -> Int64? {
            try await database.use { connection throws(DatabaseError) in
                try connection.number("SELECT count(*) FROM preferences")
            }
        }
        let (first, second) = (try folder(), try folder())
        let (leader, database, _) = house("A", first)
        let (leads, lead) = AsyncStream.makeStream(of: Void.self)
        leader.start(database) { lead.yield() }
        for await _ in leads { break }
        // What came before the last copy but one goes, and with it the pieces of that time.
        var number = 0
        repeat {
            number += 1
            let key = "\(number % 4)"
            try await database.use { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR REPLACE INTO preferences VALUES (?, ?)",
                    [.text(key), .text(String(repeating: "x", count: 900_000 + Int.random(in: 0..<9)))])
            }
            try await Task.sleep(for: .milliseconds(10))
        } while records.keys.contains(HouseRecords.entry(1))
        #expect(!records.keys.contains { $0.hasPrefix(HouseRecords.pieces(1)) })
        let (one, other, ends) = house("B", second)
        one.start(other) { Issue.record("two lead") }
        for await words in ends {
            #expect(words == "it takes over the house of the site")
            break
        }
        one.close()
        await other.close()
        await one.stop()
        #expect(HouseCopy.adopt(in: second))
        #expect(!HouseCopy.adopt(in: second))
        let (again, taken, _) = house("B", second)
        again.start(taken) { Issue.record("two lead") }
        while again.log.place != leader.log.place { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try await count(taken) == 4)
        #expect(try await count(database) == 4)
        for house in [again, leader] {
            house.close()
            await house.stop()
        }
        // A house of its own again, with all of it.
        await database.close()
        let own = HouseholdDatabase(state: first, log: log)
        #expect(try await count(own) == 4)
        try await own.use { connection throws(DatabaseError) in
            #expect(try connection.number("SELECT count(*) FROM sqlite_master WHERE name = 'site'") == 0)
        }
    }

    /// Copies that are not the same: nothing is taken in that does not fit, unless it is forced; then all
    /// that force it from the same copy have the same.
    @Test func whatDoesNotFitIsTakenInByForceAlone() async throws {
        let copies = try await copies(3)
        try await copies[0].set("a", "1")
        try await copies[0].set("b", "1")
        for copy in copies { try await copy.follow(records) }
        // The first one is changed by hand, and goes on.
        try await copies[0].own { connection throws(DatabaseError) in
            try connection.run("UPDATE preferences SET value = '2'")
        }
        try await copies[0].set("a", "3")
        try await copies[0].set("c", "3")
        for copy in copies.dropFirst() {
            await #expect(throws: DatabaseError.misfit(4)) { try await copy.follow(records) }
            #expect(try await copy.all() == ["a": "1", "b": "1"])
            let place = try #require(copy.log.place)
            #expect(place.position == 2)
            let answer = try #require(records.ask(SharedLog.question(after: place)))
            guard case .take(let entries) = LogRules.following(place, answer.entries) else {
                Issue.record("nothing to take")
                continue
            }
            try await copy.own { [log = copy.log] connection throws(DatabaseError) in
                try log.take(Array(entries.prefix(1)), behind: place, isForced: true, &connection)
            }
            try await copy.follow(records)
            #expect(try await copy.all() == ["a": "3", "b": "1", "c": "3"])
        }
    }

    @Test func misfitsAreReadAsTheyAreWritten() {
        let misfits = LogMisfits(base: "9c0ffee1", positions: [23, 17])
        #expect(misfits.text == "9c0ffee1 17 23")
        #expect(LogMisfits(misfits.text) == misfits)
        for text in ["", "9c0ffee1", "9c0ffee1 -1", "9c0ffee1 x"] { #expect(LogMisfits(text) == nil) }
    }

    @Test func onlyTheTablesOfAHouseAreChanged() async throws {
        let copies = try await copies(2)
        try await copies[0].own { connection throws(DatabaseError) in
            try connection.run("CREATE TABLE others (name TEXT PRIMARY KEY) WITHOUT ROWID")
        }
        try await copies[0].database.use { connection throws(DatabaseError) in
            try connection.run("INSERT INTO others VALUES ('a')")
            try connection.run("INSERT INTO pictures VALUES (1, 'image/png', x'00')")
        }
        #expect(records.writes == 0)
        #expect(copies[0].log.place == start)
    }
}
