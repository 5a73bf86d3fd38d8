import TestSupport
import Testing

@testable import Discovery

/// What several messages of one link say together.
@Suite struct HeardRecordsTests {
    private static let typeBytes = MessageBuilder.name("_hestia", "_tcp", "local")
    private let start = ContinuousClock.now

    /// A record as a message carries it.
    enum Piece: Hashable, Sendable {
        case pointer(String)
        case service(String, host: String)
        case text(String)
        case four(host: String)
        case six(host: String)
        case noText(String)

        func add(to message: inout MessageBuilder) {
            let type = HeardRecordsTests.typeBytes
            func instance(_ name: String) -> [UInt8] { [UInt8(name.utf8.count)] + Array(name.utf8) + type }
            func host(_ name: String) -> [UInt8] { MessageBuilder.name(name, "local") }
            switch self {
            case .pointer(let name): message.record(type, 12, class: [0, 1], instance(name))
            case .service(let name, let target):
                message.record(instance(name), 33, [0, 0, 0, 0, 0x1F, 0x40] + host(target))
            case .text(let name): message.record(instance(name), 16, [3] + Array("a=1".utf8))
            case .four(let name): message.record(host(name), 1, [10, 0, 0, 5])
            case .six(let name):
                message.record(host(name), 28, [0xFD, 0x77] + [UInt8](repeating: 0, count: 13) + [5])
            // A to OPT, without TXT: only SRV is there.
            case .noText(let name):
                message.record(instance(name), 47, instance(name) + [0, 5, 0, 0, 0, 0, 0x40])
            }
        }
    }

    private func message(_ pieces: [Piece]) throws -> DNSMessage {
        var message = MessageBuilder(records: UInt16(pieces.count))
        for piece in pieces { piece.add(to: &message) }
        return try DNSMessage(parsing: message.bytes)
    }

    private func records(_ families: Set<NetworkAddress.Family> = [.ipv4, .ipv6]) throws -> HeardRecords {
        HeardRecords(type: try #require(DNSName(serviceType: "_hestia._tcp")), families: families)
    }

    private func pieces(of name: String, on host: String) -> [Piece] {
        [.pointer(name), .service(name, host: host), .text(name), .four(host: host), .six(host: host)]
    }

    @Test func `the address of a host counts for all its services`() throws {
        var records = try records()
        #expect(
            try records.take(message([.four(host: "h"), .six(host: "h")]), over: .ipv4, at: start).found
                .isEmpty)
        for number in 1...300 {
            let name = "Hub \(number)"
            let found = try records.take(
                message([.pointer(name), .service(name, host: "H"), .text(name)]), over: .ipv4, at: start
            ).found
            #expect(found.map(\.name) == [Array(name.utf8)])
            #expect(found.map(\.addresses.count) == [2])
        }
        #expect(records.nextTime == nil)
    }

    /// Twelve services on three hosts, their records in any order, in messages of any size, some twice.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `however the records are split, all services are found`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let names = (0..<12).map { "Hub \($0)" }
        var all = names.enumerated().flatMap { pieces(of: $1, on: "h\($0 % 3)") }
        all += all.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        all.shuffle(using: &random)
        var records = try records()
        var found: [[UInt8]: HeardRecords.Found] = [:]
        while !all.isEmpty {
            let count = min(all.count, Int.random(in: 1...9, using: &random))
            for one in try records.take(message(Array(all.prefix(count))), over: .ipv6, at: start).found {
                var said = one
                said.isNews = true
                #expect(one.isNews == (found[one.name] != said))
                found[one.name] = said
            }
            all.removeFirst(count)
        }
        #expect(found.count == names.count)
        #expect(found.values.allSatisfy { $0.addresses.count == 2 && $0.port == 8000 })
        #expect(records.nextTime == nil, "nothing lacks")
    }

    /// Each record is left out once, by chance: it is asked for, and nothing else is.
    @Test(arguments: 0..<100 as Range<UInt64>)
    func `what lacks is asked for until it comes`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var records = try records()
        let names = (0..<20).map { "Hub \($0)" }
        var lost: Set<Piece> = []
        for (number, name) in names.enumerated() {
            let all = pieces(of: name, on: "h\(number)")
            let missing = all.dropFirst().filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            lost.formUnion(missing)
            _ = try records.take(message(all.filter { !missing.contains($0) }), over: .ipv4, at: start)
        }
        var found: Set<[UInt8]> = []
        var now = start
        for _ in 0..<4 where !lost.isEmpty {
            // Nothing lacks but addresses in the other family, which are given up sooner.
            guard let next = records.nextTime else { break }
            now = next
            let asked = records.pursue(at: now).questions
            #expect(asked.allSatisfy { (1...HeardRecords.questionsPerMessage).contains($0.count) })
            let questions = asked.joined()
            #expect(Set(questions).count == questions.count, "each once")
            // Half of the answers are lost, too.
            for question in questions where Bool.random(using: &random) {
                let label = String(decoding: try #require(question.name.labels.first), as: UTF8.self)
                let number = String(label.split(separator: " ").last ?? "")
                let piece: Piece =
                    switch question.kind {
                    case .srv: .service(label, host: "h\(number)")
                    case .txt: .text(label)
                    case .a: .four(host: label)
                    case .aaaa: .six(host: label)
                    case .ptr, .cname, .nsec: .pointer(label)
                    }
                // Without a place its host is not known yet.
                #expect(lost.remove(piece) != nil || piece == .pointer(label), "\(piece) does not lack")
                for one in try records.take(message([piece]), over: .ipv4, at: now).found {
                    found.insert(one.name)
                }
            }
        }
        var rounds = 0
        while let next = records.nextTime, rounds < 20 {
            _ = records.pursue(at: next)
            rounds += 1
        }
        #expect(records.nextTime == nil, "it ends")
    }

    @Test func `a service without a TXT record is found`() throws {
        // Denied.
        var denied = try records()
        let place: [Piece] = [.pointer("Hub"), .service("Hub", host: "h"), .four(host: "h"), .six(host: "h")]
        let found = try denied.take(message(place + [.noText("Hub")]), over: .ipv4, at: start).found
        #expect(found.map(\.txt.entries) == [[]])
        // Not told, whoever asks.
        var silent = try records()
        #expect(try silent.take(message(place), over: .ipv4, at: start).found.isEmpty)
        var later: [HeardRecords.Found] = []
        var asked = 0
        while later.isEmpty, let next = silent.nextTime {
            let (questions, found) = silent.pursue(at: next)
            asked += questions.count
            later += found
        }
        #expect(later.map(\.port) == [8000])
        #expect(asked == HeardRecords.questionsForText)
        // It was only late.
        let corrected = try silent.take(message([.text("Hub")]), over: .ipv4, at: start).found
        #expect(corrected.map(\.isNews) == [true])
        #expect(corrected.first?.txt.entries.count == 1)
    }

    @Test func `a flood takes no more memory and asks no more than it may`() throws {
        var records = try records()
        var asked = 0
        for number in 0..<300 {
            let names = (0..<40).map { Piece.pointer("Flood \(number).\($0)") }
            _ = try records.take(message(names), over: .ipv4, at: start)
            asked += records.pursue(at: start + .seconds(number)).questions.joined().count
        }
        #expect(asked <= HeardRecords.maximumQuestions)
        // A real one is heard all the same.
        let found = try records.take(message(pieces(of: "Hub", on: "h")), over: .ipv4, at: start).found
        #expect(found.map(\.name) == [Array("Hub".utf8)])
    }
}
