import Addresses
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

@Suite struct SeenAtGatesTests {
    private static let devices = ["K7QF-2M9D-X0TW-8RHC", "9QW3-ZJ1K-0000-8RHC"].compactMap { Fingerprint($0) }
    private static let key = Fingerprint("D8EW-7XH8-EQM5-V02H")
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func entry(
        _ age: Double, from address: String = "192.0.2.7", key: Fingerprint? = key
    ) throws -> LastSeen.Entry {
        LastSeen.Entry(now - age, from: try #require(NetworkAddress(address)), key: key)
    }

    @Test(arguments: [
        "2026-11-21T10:22:03Z 192.168.1.31 D8EW-7XH8-EQM5-V02H", "2026-11-21T10:22:03Z 2001:db8::7",
    ])
    func `A line comes out as it went in`(_ line: String) throws {
        let entry = try #require(LastSeen.Entry(parsing: Array(line.utf8)))
        #expect(String(decoding: entry.line, as: UTF8.self) == line)
    }

    @Test(arguments: [
        "", "2026-11-21T10:22:03Z", "2026-11-21T10:22:03Z ", "2026-11-21 192.168.1.31",
        "2026-11-21T10:22:03Z 192.168.1.31:8000", "2026-11-21T10:22:03Z 192.168.1.31 ",
        "2026-11-21T10:22:03Z  192.168.1.31", "2026-11-21T10:22:03Z 192.168.1.31 D8EW",
        "2026-11-21T10:22:03Z 192.168.1.31 D8EW-7XH8-EQM5-V02H more",
        "2026-11-21T10:22:03Z 192.168.1.31\n", "2026-11-21T10:22:03Z \u{1B}[2J",
        "2026-11-21T10:22:03Z 192.168.1.31 " + String(repeating: "D", count: 200),
    ])
    func `What gates do not write is no line`(_ line: String) {
        #expect(LastSeen.Entry(parsing: Array(line.utf8)) == nil)
    }

    @Test func `The newer counts, and no time is ahead`() throws {
        let device = SeenAtGatesTests.devices[0]
        var record = LastSeen(since: now - 9000)
        for (age, expected) in [(500.0, 500.0), (700, 500), (300, 300), (-60, 0), (20, 0)] {
            record.learn(try entry(age), of: device, at: now)
            #expect(record[device]?.time == now - expected)
        }
        // The clock was ahead when this was written down.
        record.note(try entry(-5000), of: device)
        record.learn(try entry(40), of: device, at: now)
        #expect(record[device]?.time == now - 40)
        #expect(try LastSeen(parsing: record.serialized) == record)
    }

    @Test func `A gate tells what is an hour newer, and forgets who is unknown`() throws {
        let (device, other) = (SeenAtGatesTests.devices[0], SeenAtGatesTests.devices[1])
        var own = LastSeen(since: now - 90_000)
        own.note(try entry(100), of: device)
        var seen = SeenAtGates()
        #expect(seen.news(own, known: [], at: now).isEmpty)
        #expect(seen.news(own, known: [device], at: now) == [device: .some(try entry(100))])
        seen.entries[device] = try entry(3600)
        #expect(seen.news(own, known: [device], at: now).isEmpty)
        seen.entries[device] = try entry(3700)
        #expect(seen.news(own, known: [device], at: now) == [device: .some(try entry(100))])
        seen.entries[device] = try entry(200, key: nil)
        #expect(seen.news(own, known: [device], at: now) == [device: .some(try entry(100))])
        seen.entries[device] = try entry(-200)
        #expect(seen.news(own, known: [device], at: now) == [device: .some(try entry(100))])
        seen.entries = [other: try entry(10)]
        #expect(seen.news(own, known: [device], at: now) == [device: .some(try entry(100)), other: nil])
    }
}
