import FoundationEssentials
import Testing

@testable import Pairing

/// What the file `tickets` says of where codes went.
@Suite struct CodeNotesTests {
    /// A file as version 0.1 writes it: `ticket` is the group, with the keys of all versions.
    private static func file(_ more: String = "", kind: String = "once") -> [UInt8] {
        Array(
            """
            # The pairing codes that are out, without their secrets; written by hubpair.
            [keyfile]
            format=1

            [ticket 7M2KQ0V3XG5TA]
            kind=\(kind)
            proof-key=AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=
            issued=2026-11-21T10:22:03Z
            boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456
            expires=2026-11-21T10:32:03Z
            \(more)

            """.utf8)
    }

    @Test func aFileOfVersion01IsReadAndStaysAsItWas() throws {
        let bytes = Self.file()
        let tickets = try Tickets(parsing: bytes)
        let ticket = try #require(tickets.tickets.first)
        #expect(ticket.output == nil && ticket.place == nil)
        #expect(tickets.serialized == bytes)
    }

    @Test(arguments: [
        ("output=terminal", CodeOutput.terminal as CodeOutput?), ("output=-", .standardOutput),
        ("output=/home/anna/code.png", .file("/home/anna/code.png")),
        ("output=\\s/x", nil), ("output=code.png", nil), ("output=", nil),
        ("output=Terminal", nil),
    ])
    func outputs(line: String, output: CodeOutput?) throws {
        guard let output else {
            #expect(throws: KeyFileError.self) { try Tickets(parsing: Self.file(line)) }
            return
        }
        #expect(try Tickets(parsing: Self.file(line)).tickets.first?.output == output)
    }

    @Test(arguments: [
        ("sheet=4F7Q2M9DX0TW8\nposition=3/24", true), ("sheet=4F7Q2M9DX0TW8\nposition=1/1", true),
        ("sheet=4F7Q2M9DX0TW8\nposition=9801/9801", true), ("sheet=4F7Q2M9DX0TW8", false),
        ("position=3/24", false), ("sheet=4F7Q2M9DX0TW8\nposition=0/24", false),
        ("sheet=4F7Q2M9DX0TW8\nposition=25/24", false), ("sheet=4F7Q2M9DX0TW8\nposition=1/9802", false),
        ("sheet=4F7Q2M9DX0TW8\nposition=+1/2", false), ("sheet=4F7Q2M9DX0TW8\nposition=1", false),
        ("sheet=4F7Q2M9DX0TW8\nposition=1/2/3", false), ("sheet=4F7Q\nposition=3/24", false),
        ("sheet=4f7q2m9dx0tw8\nposition=3/24", false),
    ])
    func places(lines: String, isGood: Bool) throws {
        let tickets = try? Tickets(parsing: Self.file(lines))
        #expect((tickets != nil) == isGood)
    }

    /// Paths are the user's: none of them may make a file that cannot be read again.
    @Test(arguments: [
        "/home/anna/code.png", "/a b/ c ", "/tab\there", "/line\nend", "/\u{1}\u{7F}\u{85}", "/ü/😀.png",
        "/back\\slash", "/" + String(repeating: "x", count: 4_095),
        "/" + String(repeating: "directory/", count: 100) + "code.png",
        "/" + String(repeating: "\u{1B}", count: 255),
    ])
    func everyPathSurvives(path: String) throws {
        let output = CodeOutput(path: path)
        var hub = PaperHub()
        let secret = TicketSecret.random()
        let code = try PairingCode(kind: .label, expires: nil, secret: secret, hub: hub.pin)
        hub.tickets.issue(Ticket(of: code, issued: PaperHub.at(0), output: output), at: PaperHub.at(0))
        let again = try Tickets(parsing: hub.tickets.serialized)
        #expect(again.tickets.first?.output == output && again.tickets == hub.tickets.tickets)
        guard case .file(let text) = output else { throw KeyFileError.torn }
        #expect(text.utf8.count <= 520 && text.hasPrefix("/"))
    }

    @Test func aRewriteKeepsWhatCodesAreFor() throws {
        var hub = PaperHub()
        let sheet = TicketID.random()
        for position in 1...3 {
            let code = try PairingCode(
                kind: .once, expires: PaperHub.at(600).wall, secret: .random(), hub: hub.pin)
            let ticket = Ticket(
                of: code, issued: PaperHub.at(0), output: .file("/a/b.pdf"),
                place: SheetPlace(sheet: sheet, position: position, count: 3))
            hub.tickets.issue(ticket, at: PaperHub.at(0))
        }
        var again = try Tickets(parsing: hub.tickets.serialized)
        #expect(again.tickets.map(\.place?.position) == [1, 2, 3])
        #expect(again.tickets.allSatisfy { $0.place?.sheet == sheet && $0.output == .file("/a/b.pdf") })
        again.void([again.tickets[1].id])
        #expect(try Tickets(parsing: again.serialized).tickets.map(\.place?.position) == [1, 3])
    }
}
