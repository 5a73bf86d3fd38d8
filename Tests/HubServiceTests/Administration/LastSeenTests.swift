import Addresses
import FoundationEssentials
import Pairing
import PinnedTLS
import Testing

@testable import HubService

@Suite struct LastSeenTests {
    private static let start = Date(timeIntervalSince1970: 1_795_256_523)
    private static func at(_ days: Double) -> Moment { Moment(wall: start.addingTimeInterval(days * 86_400)) }

    private static func device(_ name: String, approved days: Double?) throws -> ApprovedDevice {
        ApprovedDevice(
            name: try PeerName(name), pin: Pin(subjectPublicKeyInfo: Data(name.utf8)), status: .approved,
            approved: days.map { at($0).wall })
    }

    private static func record(since days: Double, _ seen: [String: Double]) throws -> LastSeen {
        var record = LastSeen(since: at(days).wall)
        let address = try #require(NetworkAddress("192.168.1.31"))
        for (name, days) in seen {
            record.note(
                LastSeen.Entry(at(days).wall, from: address),
                of: try device(name, approved: nil).fingerprint)
        }
        return record
    }

    @Test func theFileSaysTheSameAgain() throws {
        var record = try Self.record(since: 0, ["a": 1, "b": 2])
        #expect(try LastSeen(parsing: record.serialized) == record)
        let address = try #require(NetworkAddress("fe80::1%eth0"))
        let device = try Self.device("a", approved: nil).fingerprint
        record.note(LastSeen.Entry(Self.at(3).wall, from: address), of: device)
        #expect(try LastSeen(parsing: record.serialized)[device]?.address == address)
        record.keep { $0 == device }
        #expect(try LastSeen(parsing: record.serialized).times == [device: Self.at(3).wall])
    }

    @Test(arguments: [
        "", "seen=2026-11-21T10:22:03Z", "seen=yesterday\naddress=1.2.3.4",
        "seen=2026-11-21T10:22:03Z\naddress=1.2.3.4:80", "seen=2026-11-21T10:22:03Z\naddress=host",
    ])
    func whatIsDamagedIsRefused(lines: String) {
        let head = "[keyfile]\nformat=1\nsince=2026-11-20T07:00:00Z\n\n"
        let bytes = Array("\(head)[device K7QF-2M9D-X0TW-8RHC]\n\(lines)\n".utf8)
        #expect(throws: KeyFileError.self) { try LastSeen(parsing: bytes) }
        #expect(throws: KeyFileError.self) { try LastSeen(parsing: Array("[keyfile]\nformat=1\n".utf8)) }
        #expect(throws: KeyFileError.self) { try LastSeen(parsing: Array("\(head)[device x]\n".utf8)) }
    }

    /// The later of the approval and what is known of the device decides; a record that began lately knows
    /// nothing of what was before.
    @Test(
        arguments: [
            // since, approved, seen, in days; from which day on it has not been seen for 180 days
            (0.0, 0.0, nil, 180.0), (0, 0, 100, 280), (0, 50, nil, 230), (200, 0, nil, 380),
            (200, 0, 201, 381),
            (0, 300, 100, 480), (0, nil, nil, 180),
        ] as [(Double, Double?, Double?, Double)])
    func whenADeviceIsUnseen(since: Double, approved: Double?, seen: Double?, day: Double) throws {
        let hub = try PairingHub()
        var devices = ApprovedDevices()
        devices.insert(try Self.device("Tablet", approved: approved))
        try hub.restore(ApprovedDevices.fileName, Data(devices.serialized))
        let record = try Self.record(since: since, seen.map { ["Tablet": $0] } ?? [:])
        let prune = PruneDevices(state: hub.state, unseenFor: 180 * 86_400)
        #expect(throws: HubError.noLastSeen) { try prune.candidates(at: Self.at(1_000)) }
        try hub.restore(LastSeen.fileName, Data(record.serialized))
        #expect(try prune.candidates(at: Self.at(day - 0.01)).isEmpty)
        let chosen = try prune.candidates(at: Self.at(day))
        #expect(chosen.map(\.device.name.description) == ["Tablet"])
        // It came in while the owner was asked.
        try hub.restore(
            LastSeen.fileName, Data(try Self.record(since: since, ["Tablet": day]).serialized))
        #expect(try prune.revoke(chosen, now: Self.at(day)).isEmpty)
        try hub.restore(LastSeen.fileName, Data(record.serialized))
        #expect(try prune.revoke(chosen, now: Self.at(day)).count == 1)
        for file in ["approved-devices", "approved-devices.bak"] {
            let text = String(decoding: try #require(hub.content(file)), as: UTF8.self)
            #expect(text.contains("status=revoked"))
        }
        #expect(try prune.candidates(at: Self.at(day)).isEmpty)
    }

    @Test func aHubWritesDownWhoCameInAndFromWhere() async throws {
        let hub = try await HubInTest()
        _ = try await hub.ask("GET /hubpair/v1/device HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try await hub.ask("GET /x HTTP/1.1\r\nHost: h\r\n\r\n", as: .random())
        let path = "\(hub.path)/\(LastSeen.fileName)"
        await hub.server.stop()
        let bytes = Array(try #require(FileManager.default.contents(atPath: path)))
        let record = try LastSeen(parsing: bytes)
        #expect(record.times.count == 1)
        let entry = try #require(record[hub.device.pin.fingerprint])
        #expect(entry.address.description == "127.0.0.1")
        #expect(abs(entry.time.timeIntervalSinceNow) < 60)
        #expect(try AdministerDevices(state: hub.state).lastSeen() == record)
        await hub.upstream.close()
        try? FileManager.default.removeItem(atPath: hub.path)
    }

    @Test func aRecordWithAFaultIsReplacedAndHurtsNobody() async throws {
        let hub = try await HubInTest()
        try ProtectedDirectory(path: hub.path).replace(LastSeen.fileName, with: Array("junk".utf8))
        #expect(try AdministerDevices(state: hub.state).lastSeen().times.isEmpty)
        #expect(throws: UnreadableKeyFile.self) {
            try PruneDevices(state: hub.state, unseenFor: 1).candidates()
        }
        #expect(
            try await hub.ask("GET /hubpair/v1/device HTTP/1.1\r\nHost: h\r\n\r\n").head.contains(" 200 "))
        await hub.server.stop()
        #expect(try AdministerDevices(state: hub.state).lastSeen().times.count == 1)
        await hub.upstream.close()
        try? FileManager.default.removeItem(atPath: hub.path)
    }

    @Test(
        arguments: [
            (ApprovalEnd.unsaid, nil, 0.0, nil), (.unsaid, 5.0, 0, 5.0), (.never, 5, 0, nil),
            (.after(86_400), nil, 0, 1),
            (.after(86_400), 5, 3, 4),
        ] as [(ApprovalEnd, Double?, Double, Double?)])
    func whenAnApprovalEnds(end: ApprovalEnd, present: Double?, now: Double, day: Double?) throws {
        let date = try end.date(besides: present.map { Self.at($0).wall }, at: Self.at(now), latest: nil)
        #expect(date == day.map { Self.at($0).wall })
    }

    @Test func anApprovalWithAnEndNeedsAClockThatIsRight() throws {
        let known = Self.at(10)
        #expect(throws: HubError.clockBehind(now: Self.at(9).wall, known: known.wall)) {
            try ApprovalEnd.after(60).date(besides: nil, at: Self.at(9), latest: known)
        }
        #expect(throws: HubError.endIsOver(Self.at(9).wall)) {
            try ApprovalEnd.at(Self.at(9).wall).date(besides: nil, at: Self.at(11), latest: known)
        }
        #expect(try ApprovalEnd.never.date(besides: nil, at: Self.at(9), latest: known) == nil)
        #expect(
            try ApprovalEnd.at(Self.at(12).wall).date(besides: nil, at: Self.at(11), latest: known) != nil)
    }

    @Test func anApprovalThatEndsStaysOverWhenTheClockIsSetBack() throws {
        let hub = try PairingHub()
        var devices = ApprovedDevices()
        devices.insert(try Self.device("Guest", approved: 0))
        try hub.restore(ApprovedDevices.fileName, Data(devices.serialized))
        let boot = try #require(BootTime(id: "6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f", milliseconds: 1_000_000))
        let later = try #require(BootTime(id: boot.id, milliseconds: 8_300_000))
        let now = Moment(wall: Self.at(1).wall, boot: boot)
        let administer = AdministerDevices(state: hub.state)
        let (guest, changed) = try administer.approve(PeerSelector("Guest"), end: .after(7200), now: now)
        #expect(
            changed && guest.expires == now.wall.addingTimeInterval(7200) && guest.approved == Self.at(0).wall
        )
        // 7,300 seconds later, by the clock that nobody sets; the other one was set back by a day.
        let back = Moment(wall: Self.at(0).wall, boot: later)
        let listed = try #require(administer.list(at: back).first)
        #expect(listed.verdict(at: back) == .expired(since: now.wall.addingTimeInterval(7200)))
        #expect(listed.verdict(at: now) == .approved)
        // Approved for good again.
        let (again, _) = try administer.approve(PeerSelector("Guest"), end: .never, now: now)
        #expect(again.expires == nil && again.status == .approved)
    }
}
