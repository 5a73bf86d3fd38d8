import Testing

@testable import Discovery

/// The question for multicast answers, with what is known.
@Suite struct MulticastQuestionTests {
    private static let type = MessageBuilder.name("_hestia", "_tcp", "local")

    @Test func `without known answers it is a question`() throws {
        let question = try #require(
            MulticastQuestion(forServicesOf: "_hestia._tcp", known: [[UInt8]]()))
        #expect(question.bytes == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + Self.type + [0, 12, 0, 1])
    }

    @Test func `a known answer is a PTR record with a pointer to its owner`() throws {
        let question = try #require(
            MulticastQuestion(forServicesOf: "_hestia._tcp", known: [Array("Hub".utf8)]))
        let record: [UInt8] = [0xC0, 12, 0, 12, 0, 1, 0, 0, 0x11, 0x94, 0, 6, 3, 0x48, 0x75, 0x62, 0xC0, 12]
        #expect(
            question.bytes == [0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0] + Self.type + [0, 12, 0, 1] + record)
    }

    @Test func `what it names is read from it again`() throws {
        let names = (1...50).map { Array("Hub \($0) é".utf8) }
        let question = try #require(MulticastQuestion(forServicesOf: "_hestia._tcp", known: names))
        let message = try DNSMessage(parsing: question.bytes)
        let type = try #require(DNSName(serviceType: "_hestia._tcp"))
        #expect(!message.isAnswer && !message.isTruncated && message.records.allSatisfy { $0.name == type })
        let read = message.records.compactMap { record in
            if case .pointer(let name) = record.data { name.instance(of: type) } else { nil }
        }
        #expect(read == names)
    }

    @Test func `there is none if it would need more than one message`() throws {
        func question(_ count: Int, bytes: Int) -> MulticastQuestion? {
            MulticastQuestion(
                forServicesOf: "_hestia._tcp",
                known: repeatElement([UInt8](repeating: 0x61, count: bytes), count: count))
        }
        let most = try #require(question(17, bytes: 63))
        #expect(most.bytes.count == 12 + 24 + 17 * 78)
        #expect(question(18, bytes: 63) == nil)
        #expect(question(1_000_000, bytes: 1) == nil)
        let whole = MulticastQuestion(
            forServicesOf: "_hestia._tcp",
            known: repeatElement([UInt8](repeating: 0x61, count: 63), count: 18), isWhole: true)
        #expect(whole == most, "what does not fit is left out")
        #expect((0...100).allSatisfy { (question($0, bytes: 9)?.bytes.count ?? 0) <= 1_400 })
    }

    @Test func `a name that is no label is left out, and a type that is none asks nothing`() throws {
        let question = try #require(
            MulticastQuestion(
                forServicesOf: "_hestia._tcp", known: [[], [UInt8](repeating: 0x61, count: 64), [0]]))
        #expect(try DNSMessage(parsing: question.bytes).records.count == 1)
        #expect(MulticastQuestion(forServicesOf: "no type", known: [[UInt8]]()) == nil)
    }
}
