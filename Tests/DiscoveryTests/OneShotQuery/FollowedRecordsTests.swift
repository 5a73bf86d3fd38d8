import TestSupport
import Testing

@testable import Discovery

/// What becomes of records after they were heard.
@Suite struct FollowedRecordsTests {
    private static let type = MessageBuilder.name("_hestia", "_tcp", "local")
    private let start = ContinuousClock.now

    /// A record as a message carries it. The time to live is in seconds; 0 is a farewell.
    private enum Piece {
        case pointer(String, UInt32)
        case place(String, host: String, UInt32)
        case text(String)
        /// 10.0.0.x; `isUnique`: with the cache-flush bit.
        case address(UInt8, host: String, UInt32, isUnique: Bool = true)
    }

    private func message(_ pieces: [Piece]) throws -> DNSMessage {
        var message = MessageBuilder(records: UInt16(pieces.count))
        let type = FollowedRecordsTests.type
        func instance(_ name: String) -> [UInt8] { [UInt8(name.utf8.count)] + Array(name.utf8) + type }
        for piece in pieces {
            switch piece {
            case .pointer(let name, let life):
                message.record(type, 12, ttl: life, class: [0, 1], instance(name))
            case .place(let name, let host, let life):
                let data = [0, 0, 0, 0, 0x1F, 0x40] + MessageBuilder.name(host, "local")
                message.record(instance(name), 33, ttl: life, data)
            case .text(let name): message.record(instance(name), 16, [3] + Array("a=1".utf8))
            case .address(let last, let host, let life, let isUnique):
                message.record(
                    MessageBuilder.name(host, "local"), 1, ttl: life, class: [isUnique ? 0x80 : 0, 1],
                    [10, 0, 0, last])
            }
        }
        return try DNSMessage(parsing: message.bytes)
    }

    private func hub(_ name: String, on host: String, life: UInt32 = 120) -> [Piece] {
        [
            .pointer(name, life), .place(name, host: host, life), .text(name),
            .address(5, host: host, life),
        ]
    }

    private func records(maximum: Int = HeardRecords.maximumServices) throws -> HeardRecords {
        HeardRecords(
            type: try #require(DNSName(serviceType: "_hestia._tcp")), families: [.ipv4], follows: true,
            maximum: maximum)
    }

    /// Every second from the first to the last.
    private func renew(
        _ records: inout HeardRecords, _ seconds: ClosedRange<Int>
    ) -> [(second: Int, renewal: HeardRecords.Renewal)] {
        seconds.map { ($0, records.renew(at: start + .seconds($0))) }
    }

    @Test func `what is not heard again is asked for four times, and then it is gone`() throws {
        var records = try records()
        _ = try records.take(message(hub("Hub", on: "h")), over: .ipv4, at: start)
        let all = renew(&records, 1...125)
        #expect(all.filter(\.renewal.asksForServices).map(\.second) == [96, 102, 108, 114])
        let asked = all.flatMap { second, renewal in
            renewal.questions.joined().map { "\(second) \($0.kind)" }
        }
        let kinds = ["srv", "txt", "a"]
        #expect(Set(asked) == Set([96, 102, 108, 114].flatMap { second in kinds.map { "\(second) \($0)" } }))
        let ended = all.filter { !$0.renewal.ended.isEmpty }
        #expect(ended.map(\.second) == [120])
        #expect(
            Set(ended.flatMap(\.renewal.ended))
                == [.service(Array("Hub".utf8), .ipv4), .address([10, 0, 0, 5], host: "h.local")])
        #expect(records.entryCount <= 4, "nothing is left but places in a queue")
    }

    @Test func `what is heard again stays`() throws {
        var records = try records()
        for second in stride(from: 0, to: 600, by: 100) {
            _ = try records.take(
                message(hub("Hub", on: "h")), over: .ipv4, at: start + .seconds(second))
            let all = renew(&records, second + 1...second + 99)
            #expect(all.allSatisfy { $0.renewal.ended.isEmpty })
            #expect(all.filter(\.renewal.asksForServices).count == 1)
        }
    }

    @Test(arguments: [true, false]) func `a farewell counts after a second`(isTakenBack: Bool) throws {
        var records = try records()
        _ = try records.take(message(hub("Hub", on: "h")), over: .ipv4, at: start)
        _ = try records.take(message([.pointer("Hub", 0)]), over: .ipv4, at: start + .seconds(10))
        #expect(records.known(over: .ipv4, at: start + .seconds(10)).isEmpty)
        if isTakenBack {
            let again = try records.take(
                message([.pointer("Hub", 120)]), over: .ipv4, at: start + .milliseconds(10_500)
            ).found
            #expect(again.allSatisfy { !$0.isNews })
        }
        let ended = renew(&records, 11...12).flatMap(\.renewal.ended)
        #expect(ended == (isTakenBack ? [] : [.service(Array("Hub".utf8), .ipv4)]))
    }

    @Test func `a new address takes the place of the old one`() throws {
        var records = try records()
        _ = try records.take(message(hub("Hub", on: "h")), over: .ipv4, at: start)
        // The other one of a host that has two: in one message, or within a second.
        _ = try records.take(
            message([.address(6, host: "h", 120)]), over: .ipv4, at: start + .milliseconds(300))
        #expect(renew(&records, 1...2).flatMap(\.renewal.ended).isEmpty)
        let moved = try records.take(
            message([.address(9, host: "h", 120)]), over: .ipv4, at: start + .seconds(3)
        ).found
        #expect(moved.map(\.addresses) == [[[10, 0, 0, 9]]])
        #expect(
            Set(renew(&records, 4...5).flatMap(\.renewal.ended))
                == Set([5, 6].map { .address([10, 0, 0, $0], host: "h.local") }))
        // Without the bit it comes beside.
        let more = try records.take(
            message([.address(10, host: "h", 120, isUnique: false)]), over: .ipv4, at: start + .seconds(8)
        ).found
        #expect(more.map(\.addresses.count) == [2])
    }

    @Test func `a host whose records live for a second does not keep everybody asking`() throws {
        var records = try records()
        _ = try records.take(message(hub("Hub", on: "h", life: 1)), over: .ipv4, at: start)
        #expect(renew(&records, 1...60).filter(\.renewal.asksForServices).count <= 4)
    }

    /// 3,000 services, ever new ones, some of which say farewell: each that was there ends once.
    @Test func `what is kept is bounded, and what gives way is told`() throws {
        let maximum = 400
        var records = try records(maximum: maximum)
        var present: Set<[UInt8]> = []
        var most = 0
        for number in 0..<100 {
            let names = (0..<30).map { "Hub \(number).\($0)" }
            let now = start + .seconds(number)
            _ = try records.take(message(names.map { .pointer($0, 4_500) }), over: .ipv4, at: now)
            present.formUnion(names.map { Array($0.utf8) })
            if number.isMultiple(of: 3) {
                _ = try records.take(message(names.map { .pointer($0, 0) }), over: .ipv4, at: now)
            }
            for one in records.renew(at: now).ended {
                guard case .service(let label, .ipv4) = one else { continue }
                #expect(present.remove(label) != nil, "once")
            }
            _ = records.pursue(at: now)
            if number == 30 { most = records.entryCount }
        }
        #expect(present.count <= maximum)
        #expect(records.entryCount <= most + maximum)
    }

    /// Random messages and times; what is there must be what the lives of the records say.
    @Test(arguments: 0..<100 as Range<UInt64>) func `random lives end when they should`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var records = try records()
        /// When the pointer and the place of each service end.
        var pointers: [String: Int] = [:]
        var places: [String: Int] = [:]
        var present: Set<[UInt8]> = []
        for second in 0..<400 {
            let now = start + .seconds(second)
            for one in records.renew(at: now).ended {
                if case .service(let label, _) = one { #expect(present.remove(label) != nil) }
            }
            pointers = pointers.filter { $0.value > second && places[$0.key].map { $0 > second } != false }
            places = places.filter { $0.value > second && pointers[$0.key] != nil }
            #expect(present == Set(pointers.keys.map { Array($0.utf8) }), "second \(second)")
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let name = "Hub \(Int.random(in: 0..<5, using: &random))"
            let life = UInt32([0, 60, 75, 120].randomElement(using: &random) ?? 0)
            let end = second + (life == 0 ? 1 : Int(life))
            if Bool.random(using: &random) {
                _ = try records.take(message([.pointer(name, life)]), over: .ipv4, at: now)
                if life > 0 {
                    pointers[name] = end
                    present.insert(Array(name.utf8))
                } else if let old = pointers[name] {
                    pointers[name] = min(old, end)
                }
            } else if pointers[name] != nil {
                _ = try records.take(message([.place(name, host: "h", life)]), over: .ipv4, at: now)
                if life > 0 {
                    places[name] = end
                } else if let old = places[name] {
                    places[name] = min(old, end)
                }
            }
        }
    }
}
