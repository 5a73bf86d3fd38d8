import HubService
import Pairing
import Testing

@Suite struct SiteGatesTests {
    private static func pin(_ byte: UInt8) throws -> Pin {
        try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private static func hub(_ byte: UInt8, _ name: String, _ ways: [String]) throws -> SiteHub {
        SiteHub(
            name: try PeerName(name), pin: try pin(byte),
            ways: ways.map { HubWay(address: $0, kind: .home) })
    }

    @Test func gatesOfOneKeyAreOneHub() throws {
        var gates = SiteGates()
        for (gate, hub) in [
            ("AAAAAAAA", try SiteGatesTests.hub(1, "Kitchen", ["10.0.0.1:8000"])),
            ("BBBBBBBB", try SiteGatesTests.hub(2, "Wing", [])),
            ("CCCCCCCC", try SiteGatesTests.hub(1, "Kitchen", ["10.0.0.1:8000", "10.0.0.3:8000"])),
        ] {
            let isNoted = gates.note(gate, SiteGates.Gate(hub))
            #expect(isNoted)
        }
        let read = try SiteGates(parsing: gates.serialized)
        #expect(read == gates)
        #expect(
            read.hubs() == [
                try SiteGatesTests.hub(1, "Kitchen", ["10.0.0.1:8000", "10.0.0.3:8000"]),
                try SiteGatesTests.hub(2, "Wing", []),
            ])
        let wasThere = gates.forget("DDDDDDDD")
        #expect(!wasThere)
        let isGone = gates.forget("CCCCCCCC")
        #expect(isGone)
        #expect(gates.hubs().map(\.ways.count) == [1, 0])
    }

    @Test func thereIsABound() throws {
        var gates = SiteGates()
        for number in 0..<SiteGates.maximumCount {
            let isNoted = gates.note("G\(number)", SiteGates.Gate(try SiteGatesTests.hub(1, "Hub", [])))
            #expect(isNoted)
        }
        let hasRoom = gates.note("one more", SiteGates.Gate(try SiteGatesTests.hub(1, "Hub", [])))
        #expect(!hasRoom)
        let isChanged = gates.note("G7", SiteGates.Gate(try SiteGatesTests.hub(2, "Other", [])))
        #expect(isChanged)
        #expect(throws: Never.self) { try SiteGates(parsing: gates.serialized) }
    }

    @Test(arguments: [
        "[gate A]\nname=x\n", "[gate A]\nname=x\npin=sha256//AA==\n",
        "[gate A]\nname=x\npin=sha256//AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\nways=x\n",
        "[gate A]\nname=x\npin=sha256//AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\nnext=x\n",
        "[hub A]\nname=x\n",
    ])
    func refused(_ text: String) {
        let bytes = Array("[keyfile]\nformat=1\n\(text)".utf8)
        #expect(throws: KeyFileError.self) { try SiteGates(parsing: bytes) }
    }

    @Test func whatIsToldIsRead() throws {
        let hubs = try (0..<70).map { number in
            try SiteGatesTests.hub(
                UInt8(number), "Hub \(number)", (0..<32).map { "host-\($0).example.org:8000" })
        }
        let answer = SiteHub.answer(hubs)
        #expect(answer.count <= SiteHub.maximumByteCount)
        let read = try SiteHub.list(parsing: answer)
        #expect(!read.isEmpty && read == Array(hubs.prefix(read.count)))
        let small = Array(hubs.prefix(2))
        #expect(try SiteHub.list(parsing: SiteHub.answer(small)) == small)
        #expect(SiteHub.mark(of: answer) != SiteHub.mark(of: SiteHub.answer(small)))
        #expect(SiteHub.isMark(SiteHub.mark(of: answer)))
    }

    @Test(arguments: ["", "{}", #"{"hubs":{}}"#, "[]", #"{"hubs":[],"hubs":[]}"#])
    func refusedAnswer(_ text: String) {
        #expect(throws: PairMessageError.self) { try SiteHub.list(parsing: Array(text.utf8)) }
    }

    @Test(arguments: [
        #"{"name":"x"}"#, #"{"name":"","pin":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"}"#,
        #"{"name":"x","pin":"AQ"}"#, "7", "null",
    ])
    func leftOut(_ hub: String) throws {
        let text = #"{"hubs":[\#(hub),{"name":"y","pin":"AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE"}]}"#
        #expect(try SiteHub.list(parsing: Array(text.utf8)).map(\.name.description) == ["y"])
    }
}
