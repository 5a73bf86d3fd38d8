import FoundationEssentials
import Household
import Logging
import Pairing
import Testing

@testable import House
@testable import HubService

/// The database of messages in a backup, and what a restored hub makes of it.
@Suite struct DatabaseBackupTests {
    private let directory =
        FileManager.default.temporaryDirectory.path() + "hubpair-database-" + UUID().uuidString
    private let log = ServeLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    private func hub(_ name: String) throws -> HubState {
        let state = HubState(option: "\(directory)/\(name)", environment: [:], isRoot: false, home: "/")
        _ = try SetUpHub(.init(), defaultName: PeerName("Kitchen"), state: state).run()
        return state
    }

    private func texts(_ database: HouseholdDatabase) async throws -> [String] {
        try await database.use { connection throws(DatabaseError) in
            var texts: [String] = []
            try connection.run("SELECT id, text FROM messages ORDER BY id") { row in
                texts.append("\(row.integer(0)) \(row.text(1))")
            }
            return texts
        }
    }

    private func tag(_ database: HouseholdDatabase) async throws -> String {
        try await database.use { connection throws(DatabaseError) in try HouseholdSchema.tag(&connection) }
    }

    @Test func messagesComeBackUnderAnotherTag() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, new) = (try hub("old"), try hub("new"))
        let database = HouseholdDatabase(state: old, log: log)
        let messages = MessageLog(database, log: log) { Date() }
        for number in 1...50 { try await messages.append(MessageDraft(kind: .alarm, text: "No. \(number)")) }
        // The database is open, and most of it is in the log beside the file.
        let (file, made) = try BackUpHub(state: old, work: 2).run(passphrase: "p")
        #expect(made.databaseFault == nil)
        try await messages.append(MessageDraft(kind: .alarm, text: "later"))
        let others = HouseholdDatabase(state: new, log: log)
        try await MessageLog(others, log: log) { Date() }.append(MessageDraft(kind: .alert, text: "other"))
        await others.close()

        try RestoreHub(HubBackup(file, passphrase: "p"), state: new, replacing: true).run()
        let restored = HouseholdDatabase(state: new.house, log: log)
        #expect(try await texts(restored) == (1...50).map { "\($0) No. \($0)" })
        let newTag = try await tag(restored)
        #expect(try await newTag != tag(database))
        await restored.close()
        // It is given once.
        let again = HouseholdDatabase(state: new.house, log: log)
        #expect(try await tag(again) == newTag)
        await again.close()
        #expect(FileManager.default.fileExists(atPath: new.path + "/household.sqlite.bak"))
        // A backup of a restored hub is one, too.
        let next = try BackUpHub(state: new, work: 2).run(passphrase: "p").file
        #expect(try HubBackup(next, passphrase: "p").database != nil)
        await database.close()
    }

    @Test func aBrokenDatabaseStaysOutAndIsNamed() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, new) = (try hub("old"), try hub("new"))
        try old.open().create("household.sqlite", with: Array("SQLite format 3\0junk".utf8))
        let (file, made) = try BackUpHub(state: old, work: 2).run(passphrase: "p")
        #expect(made.databaseFault?.contains("not a database") == true)
        let backup = try HubBackup(file, passphrase: "p")
        #expect(backup.database == nil)
        try new.open().create("household.sqlite", with: [1])
        try RestoreHub(backup, state: new, replacing: true).run()
        #expect(try new.house.open().stamp(of: "household.sqlite") == nil)
        #expect(try new.open().stamp(of: "household.sqlite") == nil)
        #expect(try new.open().read("household.sqlite.bak") == [1])
    }

    @Test func whatIsNoCopyIsRefused() throws {
        for bytes in [[], Array("SQLite format 3\0".utf8), [UInt8](repeating: 1, count: 4096)] {
            #expect(!HouseholdCopy.isCopy(bytes))
        }
    }

    @Test func theDoctorReadsIt() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let state = try hub("hub")
        #expect(try ReviewMessages(state).run() == nil)
        // The hub has begun the file, and has written no tables yet.
        try state.open().replace("household.sqlite", with: [])
        #expect(try #require(try ReviewMessages(state).run()).messageCount == 0)
        let database = HouseholdDatabase(state: state, log: log)
        let messages = MessageLog(database, log: log) { Date() }
        try await messages.append(MessageDraft(kind: .alarm, text: "open"))
        try await messages.append(MessageDraft(kind: .alert, text: "the hook /bin/x failed: it ended with 3"))
        var review = try #require(try ReviewMessages(state).run())
        #expect((review.messageCount, review.openAlarmCount) == (2, 1))
        #expect(review.hookFaults == ["the hook /bin/x failed: it ended with 3"])
        #expect(try #require(try ReviewMessages(state).run(now: Date() + 8 * 86_400)).hookFaults.isEmpty)
        await database.close()
        try state.open().replace("household.sqlite", with: Array("junk".utf8))
        review = try #require(try ReviewMessages(state).run())
        #expect(review.fault?.contains("not a database") == true)
    }
}
