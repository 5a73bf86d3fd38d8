import Testing

@testable import Discovery

/// A DNS message, written by hand.
struct MessageBuilder {
    var bytes: [UInt8]

    init(id: UInt16 = 7, flags: UInt16 = 0x8400, questions: UInt16 = 0, records: UInt16) {
        bytes = []
        for value in [id, flags, questions, records, 0, 0] {
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
    }

    static func name(_ labels: String...) -> [UInt8] {
        labels.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    mutating func record(
        _ name: [UInt8], _ type: UInt8, ttl: UInt32 = 10, class: [UInt8] = [0x80, 1], _ data: [UInt8]
    ) {
        bytes +=
            name + [0, type] + `class` + (0..<4).map { UInt8(truncatingIfNeeded: ttl >> (24 - 8 * $0)) }
            + [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    }
}

@Suite struct DNSMessageTests {
    static let type = DNSName(serviceType: "_hestia._tcp")
    static let typeBytes = MessageBuilder.name("_hestia", "_tcp", "local")

    /// As a responder answers: PTR, then SRV, TXT and addresses, with pointers into the first name.
    static let answer: [UInt8] = {
        var message = MessageBuilder(records: 5)
        let start = UInt8(message.bytes.count)
        let dataStart = start + UInt8(typeBytes.count) + 10
        message.record(typeBytes, 12, [3] + Array("Hub".utf8) + [0xC0, start])
        let instance: [UInt8] = [0xC0, dataStart]
        message.record(instance, 33, [0, 0, 0, 0, 0x1F, 0x40, 4] + Array("host".utf8) + [0xC0, start + 13])
        message.record(instance, 16, [3] + Array("a=1".utf8) + [0])
        message.record(MessageBuilder.name("HOST", "local"), 1, [10, 0, 0, 5])
        message.record(
            MessageBuilder.name("host", "local"), 28, [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1])
        return message.bytes
    }()

    @Test func readsAnAnswer() throws {
        let message = try DNSMessage(parsing: Self.answer)
        #expect(message.id == 7)
        #expect(message.isAnswer)
        #expect(!message.isTruncated)
        #expect(message.records.count == 5)
        let hints = HeardRecords.hints(in: message, of: try #require(Self.type))
        let hint = try #require(hints.first)
        #expect(hints.count == 1)
        #expect(hint.name == Array("Hub".utf8))
        #expect(hint.host == "host.local")
        #expect(hint.port == 8000)
        #expect(hint.addresses == [[10, 0, 0, 5], [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]])
        #expect(hint.txt.text("a") == "1")
    }

    // A large TXT record comes in a message of its own: without it nothing is known of the hub's id.
    @Test func aServiceWithoutItsTXTRecordIsNoHint() throws {
        var message = MessageBuilder(records: 3)
        let instance = [3] + Array("Hub".utf8) + Self.typeBytes
        message.record(Self.typeBytes, 12, instance)
        message.record(instance, 33, [0, 0, 0, 0, 0x1F, 0x40] + MessageBuilder.name("host", "local"))
        message.record(MessageBuilder.name("host", "local"), 1, [10, 0, 0, 5])
        let type = try #require(Self.type)
        #expect(try HeardRecords.hints(in: DNSMessage(parsing: message.bytes), of: type).isEmpty)
        message.bytes[7] = 4
        message.record(instance, 16, [0])
        #expect(try HeardRecords.hints(in: DNSMessage(parsing: message.bytes), of: type).count == 1)
    }

    /// Every shorter message is refused, and every changed byte is at least read without a trap.
    @Test func survivesEveryCutAndEveryByte() throws {
        let type = try #require(Self.type)
        for count in 0..<Self.answer.count {
            #expect(throws: DNSMessageError.self) {
                try DNSMessage(parsing: Array(Self.answer.prefix(count)))
            }
        }
        for index in Self.answer.indices {
            for value: UInt8 in [0, 1, 0x3F, 0x40, 0x80, 0xC0, 0xFF] {
                var bytes = Self.answer
                bytes[index] = value
                if let message = try? DNSMessage(parsing: bytes) {
                    _ = HeardRecords.hints(in: message, of: type)
                }
            }
        }
    }

    @Test(arguments: [
        ("to itself", [0xC0, 12] as [UInt8], DNSMessageError.badName),
        ("forward", [0xC0, 40], .badName),
        ("in a circle", [1, 0x61, 0xC0, 12], .badName),
        ("reserved label type", [0x41, 0x61, 0], .badName),
        ("half a pointer", [0xC0], .tooShort),
        ("label past the end", [63, 0x61], .tooShort),
        ("256 bytes", [UInt8](repeating: 63, count: 1) + [UInt8](repeating: 0x61, count: 63), .tooShort),
    ])
    func refusesBadNames(what: String, name: [UInt8], error: DNSMessageError) {
        let bytes = MessageBuilder(records: 1).bytes + name
        #expect(throws: error, "\(what)") { try DNSMessage(parsing: bytes) }
    }

    @Test func refusesNamesThatAreTooLong() {
        let label = [UInt8(63)] + [UInt8](repeating: 0x61, count: 63)
        let long = label + label + label + label + [0]
        var message = MessageBuilder(records: 1)
        message.record(long, 1, [1, 2, 3, 4])
        #expect(throws: DNSMessageError.badName) { try DNSMessage(parsing: message.bytes) }
    }

    @Test func refusesDataOfTheWrongLength() {
        for (type, data) in [
            (RecordType.a, [1, 2, 3]), (RecordType.a, [1, 2, 3, 4, 5]), (RecordType.aaaa, [1, 2, 3, 4]),
            (RecordType.srv, [0, 0, 0, 0, 0, 1, 0, 9]), (RecordType.txt, [5, 1]), (RecordType.ptr, [0, 0]),
        ] as [(RecordType, [UInt8])] {
            var message = MessageBuilder(records: 1)
            message.record(Self.typeBytes, type.rawValue, data)
            #expect(throws: DNSMessageError.self, "type \(type)") { try DNSMessage(parsing: message.bytes) }
        }
        #expect(throws: DNSMessageError.tooManyRecords) {
            try DNSMessage(parsing: MessageBuilder(records: 513).bytes)
        }
        #expect(throws: DNSMessageError.tooLarge(9_001)) {
            try DNSMessage(parsing: [UInt8](repeating: 0, count: 9_001))
        }
        #expect(throws: DNSMessageError.tooManyRecords) {
            try DNSMessage(parsing: MessageBuilder(records: 4_370).bytes, within: .unicast)
        }
        #expect(throws: DNSMessageError.tooLarge(65_536)) {
            try DNSMessage(parsing: [UInt8](repeating: 0, count: 65_536), within: .unicast)
        }
    }

    @Test func skipsWhatItDoesNotKnow() throws {
        var message = MessageBuilder(records: 3)
        message.record(Self.typeBytes, 47, [1, 2, 3])
        message.record(Self.typeBytes, 1, class: [0, 3], [1])
        message.record(Self.typeBytes, 1, [1, 2, 3, 4])
        #expect(try DNSMessage(parsing: message.bytes).records.count == 1)
    }

    @Test func aQuestionIsNoAnswerAndAGoodbyeNoHint() throws {
        let type = try #require(Self.type)
        let question = DNSMessage.question(forServicesOf: type, id: 0x1234)
        #expect(question.prefix(6) == [0x12, 0x34, 0, 0, 0, 1])
        #expect(Array(question.suffix(4)) == [0, 12, 0x80, 1])
        #expect(try DNSMessage(parsing: question).id == 0x1234)
        #expect(try !DNSMessage(parsing: question).isAnswer)
        #expect(DNSName(serviceType: "no type") == nil)

        var bytes = Self.answer
        bytes[3] = 3  // NXDOMAIN
        #expect(try HeardRecords.hints(in: DNSMessage(parsing: bytes), of: type).isEmpty)
        bytes = Self.answer
        bytes[12 + Self.typeBytes.count + 7] = 0  // the PTR record's time to live
        #expect(try HeardRecords.hints(in: DNSMessage(parsing: bytes), of: type).isEmpty)
        #expect(try HeardRecords.names(in: DNSMessage(parsing: bytes), of: type).isEmpty)
        #expect(try HeardRecords.names(in: DNSMessage(parsing: question), of: type).isEmpty)
    }

    @Test func namesNeedNothingButThePointersAndAreBounded() throws {
        let type = try #require(Self.type)
        let hub = try HeardRecords.names(in: DNSMessage(parsing: Self.answer), of: type)
        #expect(hub == [Array("Hub".utf8)])
        var message = MessageBuilder(records: 100)
        for number in 0..<100 {
            let label = Array("Hub \(number / 2)".utf8)
            message.record(Self.typeBytes, 12, [UInt8(label.count)] + label + Self.typeBytes)
        }
        let names = try HeardRecords.names(in: DNSMessage(parsing: message.bytes), of: type)
        #expect(names == (0..<50).map { Array("Hub \($0)".utf8) }, "each once")
        // As many as fit into a message: each is a record, and those are bounded.
        message = MessageBuilder(records: 500)
        let start = UInt8(message.bytes.count)
        for number in 0..<500 {
            let label = Array(String(number, radix: 36).utf8)
            let owner = number == 0 ? Self.typeBytes : [0xC0, start]
            message.record(owner, 12, [UInt8(label.count)] + label + [0xC0, start])
        }
        let most = try HeardRecords.names(in: DNSMessage(parsing: message.bytes), of: type)
        #expect(most.count == 500)
    }

    @Test func namesAreWrittenAsAvahiWritesThem() {
        let name = DNSName(labels: [Array("a.b\\c d-_é".utf8), Array("local".utf8)])
        #expect(name.text == #"a\.b\\c\032d-_\195\169.local"#)
        #expect(DNSName(labels: [Array("LOCAL".utf8)]) == DNSName(labels: [Array("local".utf8)]))
        #expect(DNSName(labels: [[1]]) != DNSName(labels: [[1], [1]]))
    }
}
