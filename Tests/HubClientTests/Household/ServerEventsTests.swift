import Testing

@testable import HubClient

/// The reader of server-sent events.
@Suite struct ServerEventsTests {
    private static func events(_ text: String, pieces: Int = .max) throws -> [ServerEvents.Event] {
        var reader = ServerEvents()
        var events: [ServerEvents.Event] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            events += try reader.take(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(min(pieces, rest.count))
        }
        return events
    }

    private static func event(_ type: String, _ data: String, _ id: String?) -> ServerEvents.Event {
        ServerEvents.Event(type: type, data: Array(data.utf8), id: id)
    }

    @Test(arguments: [1, 2, 3, 7, 1_000])
    func fieldsCommentsAndLineEnds(pieces: Int) throws {
        let text = """
            \u{FEFF}: a comment
            id: 5f-1
            event: state
            data: {"a":1}

            data:one
            data:  two

            id: 5f-2

            event: lost

            retry: 10
            unknown: x
            data

            data: cut off

            """
        let expected = [
            ServerEventsTests.event("state", "{\"a\":1}", "5f-1"),
            ServerEventsTests.event("message", "one\n two", "5f-1"),
            ServerEventsTests.event("message", "", "5f-2"),
        ]
        #expect(try ServerEventsTests.events(text, pieces: pieces).prefix(3) == expected[...])
        for end in ["\r\n", "\r"] {
            let other = text.replacing("\n", with: end)
            #expect(try ServerEventsTests.events(other, pieces: pieces).prefix(3) == expected[...])
        }
    }

    /// What has no empty line behind it is not told.
    @Test func anUnfinishedEventIsNone() throws {
        #expect(try ServerEventsTests.events("id: 1\ndata: x\n") == [])
    }

    @Test func aLineWithoutEndIsRefused() throws {
        var reader = ServerEvents()
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        #expect(throws: ServerEvents.TooLong.self) {
            for _ in 0...16 { _ = try reader.take(piece) }
        }
    }

    /// Generated streams in generated pieces give what was written.
    @Test(arguments: 0..<50)
    func generatedStreams(seed: UInt64) throws {
        var random = SeededGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15 &+ 1)
        var text = ""
        var expected: [ServerEvents.Event] = []
        var last: String?
        for number in 0..<Int.random(in: 1...40, using: &random) {
            let end = ["\n", "\r\n"].randomElement(using: &random) ?? "\n"
            if Bool.random(using: &random) { text += ":keep open\(end)\(end)" }
            var type = "message"
            if Bool.random(using: &random) {
                type = ["state", "reset"].randomElement(using: &random) ?? "state"
                text += "event: \(type)\(end)"
            }
            if Bool.random(using: &random) {
                last = "tag-\(number)"
                text += "id:\(last ?? "")\(end)"
            }
            let count = Int.random(in: 0...3, using: &random)
            let lines = (0..<count).map { _ in ["", " x", "ü{}", ":"].randomElement(using: &random) ?? "" }
            for line in lines { text += "data: \(line)\(end)" }
            text += end
            guard count > 0 else { continue }
            expected.append(ServerEventsTests.event(type, lines.joined(separator: "\n"), last))
        }
        let pieces = Int.random(in: 1...64, using: &random)
        #expect(try ServerEventsTests.events(text, pieces: pieces) == expected)
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014).
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
