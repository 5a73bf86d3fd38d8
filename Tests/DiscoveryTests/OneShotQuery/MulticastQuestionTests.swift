import Testing

@testable import Discovery

/// The question for multicast answers, with what is known.
@Suite struct MulticastQuestionTests {
    private static let type = MessageBuilder.name("_hestia", "_tcp", "local")
    private let hestia = ServiceType.hestia.name(in: .local)

    private func ask(_ known: some Sequence<[UInt8]>, isWhole: Bool = false) -> [UInt8]? {
        DNSMessage.multicastQuestion(forServicesOf: hestia, known: known, isWhole: isWhole)
    }

    @Test func `without known answers it is a question`() throws {
        let question = try #require(ask([[UInt8]]()))
        #expect(question == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.type + [0, 12, 0, 1])
    }

    @Test func `a known answer is a PTR record with a pointer to its owner`() throws {
        let question = try #require(ask([Array("Hub".utf8)]))
        let record: [UInt8] = [0xC0, 12, 0, 12, 0, 1, 0, 0, 0x11, 0x94, 0, 6, 3, 0x48, 0x75, 0x62, 0xC0, 12]
        #expect(
            question == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0] + Self.type + [0, 12, 0, 1] + record)
    }

    @Test func `what it names is read from it again`() throws {
        let names = (1...50).map { Array("Hub \($0) é".utf8) }
        let message = try DNSMessage(parsing: #require(ask(names)))
        #expect(!message.isAnswer && !message.isTruncated)
        #expect(message.records.allSatisfy { $0.name == hestia })
        let read = message.records.compactMap { record in
            if case .pointer(let name) = record.data { name.instance(of: hestia) } else { nil }
        }
        #expect(read == names)
    }

    @Test func `there is none if it would need more than one message`() throws {
        func question(_ count: Int, bytes: Int, isWhole: Bool = false) -> [UInt8]? {
            ask(
                repeatElement([UInt8](repeating: 0x61, count: bytes), count: count), isWhole: isWhole)
        }
        let most = try #require(question(17, bytes: 63))
        #expect(most.count == 12 + 24 + 17 * 78)
        #expect(question(18, bytes: 63) == nil)
        #expect(question(1_000_000, bytes: 1) == nil)
        #expect(question(18, bytes: 63, isWhole: true) == most, "what does not fit is left out")
        #expect((0...100).allSatisfy { (question($0, bytes: 9)?.count ?? 0) <= 1_400 })
    }

    @Test func `a name that is no label is left out`() throws {
        let question = try #require(ask([[], [UInt8](repeating: 0x61, count: 64), [0]]))
        #expect(try DNSMessage(parsing: question).records.count == 1)
    }
}
