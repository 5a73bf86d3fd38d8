import FoundationEssentials
import Pairing
import Testing

@testable import HubService

/// The journal's two files: they are bounded, and survive what happens to files.
@Suite final class JournalTests {
    private let path = FileManager.default.temporaryDirectory.path() + "hubpair-journal-" + UUID().uuidString
    private let time = Date(timeIntervalSince1970: 1_795_000_000)

    init() throws { _ = try ProtectedDirectory(path: path, create: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    private func note(_ count: Int = 1, code: String = "X") throws {
        var fact = JournalEntry.Fact(.codeMade)
        fact.code = code
        try ProtectedDirectory(path: path).withLock {
            Journal.note(Array(repeating: fact, count: count), by: nil, at: time, in: $0)
        }
    }

    private func ids(after: Int? = nil, limit: Int = 1_000) throws -> (ids: [Int], hasMore: Bool) {
        let (entries, hasMore) = try Journal.entries(
            of: JournalEntry.Matter.allCases, after: after, limit: limit, in: ProtectedDirectory(path: path))
        return (entries.map(\.id), hasMore)
    }

    private func write(_ bytes: some Sequence<UInt8>, to name: String = Journal.fileName(of: .access)) throws
    {
        let url = URL(filePath: "\(path)/\(name)")
        try Data(bytes).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path())
    }

    @Test func entriesAreNumberedAndAskedForInParts() throws {
        #expect(try ids() == ([], false))
        for _ in 0..<5 { try note() }
        try note(2)
        #expect(try ids() == (Array(1...7), false))
        #expect(try ids(limit: 3) == ([5, 6, 7], false))
        #expect(try ids(after: 2, limit: 3) == ([3, 4, 5], true))
        #expect(try ids(after: 5, limit: 3) == ([6, 7], false))
        #expect(try ids(after: 7) == ([], false) && ids(after: .max) == ([], false))
    }

    @Test func itTakesTwoFilesAtMostAndTheNumbersGoOn() throws {
        let long = String(repeating: "\u{7F}", count: 5_000)
        for _ in 0..<200 { try note(code: long) }
        let directory = try ProtectedDirectory(path: path)
        let sizes = try [Journal.fileName(of: .access), Journal.olderFileName(of: .access)].map {
            try directory.size(of: $0) ?? 0
        }
        #expect(sizes.allSatisfy { (1...Journal.maximumByteCount + 64_000).contains($0) })
        let all = try ids().ids
        #expect(all.last == 200 && all == Array(all[0]...200))
        // The newer file has just been begun, or is lost.
        try FileManager.default.removeItem(atPath: "\(path)/\(Journal.fileName(of: .access))")
        let last = try #require(try ids().ids.last)
        try note()
        #expect(try ids().ids.last == last + 1)
    }

    @Test func aLineThatWasCutShortStaysByItself() throws {
        try note(3)
        let whole = try #require(try ProtectedDirectory(path: path).read(Journal.fileName(of: .access)))
        for cut in [1, 2, 20, 60] {
            try write(whole.dropLast(cut))
            try note()
            // A line without its end is whole all the same.
            #expect(try ids().ids == (cut == 1 ? [1, 2, 3, 4] : [1, 2, 3]))
        }
        try write(
            whole + Array("{\"id\":9}\nnonsense\n{\"id\":8,\"event\":\"landed\",\"time\":\"x\"}\n".utf8))
        try note()
        #expect(try ids().ids == [1, 2, 3, 4])
        try write([UInt8](repeating: 0x41, count: 10_000))
        try note()
        #expect(try ids().ids == [1])
    }

    @Test func whatCannotBeWrittenIsLeftOut() throws {
        try note()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(path)/\(Journal.fileName(of: .access))")
        try note()
        #expect(throws: FileError.self) { try self.ids() }
    }

    @Test func anEntryIsReadAsItWasWritten() throws {
        let device = ApprovedDevice(
            name: try PeerName("Anna's \u{1F4F1}"), pin: try #require(Pin(bytes: Array(0..<32))),
            status: .approved, expires: time, role: "guest")
        let author = JournalEntry.Author(device)
        let facts = JournalEntry.Event.allCases.map { event in
            JournalEntry.Fact(event, device, before: "owner", code: "7M2K-Q0V3")
        }
        try ProtectedDirectory(path: path).withLock { Journal.note(facts, by: author, at: time, in: $0) }
        let entries = try Journal.entries(
            of: JournalEntry.Matter.allCases, after: nil, limit: 100, in: ProtectedDirectory(path: path)
        ).entries
        #expect(
            entries
                == facts.enumerated().map { JournalEntry(id: $0 + 1, time: time, $1, by: author) })
    }

    /// Whatever one matter has, the entries of the others stay, and the numbers are of all.
    @Test func ordersDoNotPushOutWhoWasLetIn() throws {
        try note()
        var order = JournalEntry.Fact(.order)
        order.what = String(repeating: "x", count: 5_000)
        let notes = Array(
            repeating: Journal.Note(fact: order, author: nil, door: .timer, time: time), count: 250)
        for _ in 0..<4 { try ProtectedDirectory(path: path).withLock { Journal.note(notes, in: $0) } }
        try note()
        let all = try Journal.entries(
            of: [.access], after: nil, limit: 10, in: ProtectedDirectory(path: path)
        ).entries
        #expect(all.map(\.id) == [1, 1_002])
        #expect(all.map(\.door) == [.hub, .hub])
        #expect(try ids(limit: 2).ids == [1_001, 1_002])
        let first = try #require(try ids(after: 1, limit: 1).ids.first)
        #expect(try ids(after: 1, limit: 3).ids == [first, first + 1, first + 2])
    }
}
