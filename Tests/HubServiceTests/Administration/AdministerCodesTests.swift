import Addresses
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

@Suite struct AdministerCodesTests {
    private let hub: PairingHub
    private let administer: AdministerCodes

    init() throws {
        hub = try PairingHub()
        administer = AdministerCodes(state: hub.state)
    }

    private func issue(
        _ count: Int = 1, _ kind: PairingCode.Kind = .once, to output: CodeOutput? = .terminal
    ) throws -> [TicketID] {
        try IssueCode(
            kind, count: count, lifetime: kind == .once ? 600 : nil, state: hub.state, now: Date()
        ).run(
            addressHint: { _ in nil }, output: { output }, draw: { _, _ in }, handOut: {}
        ).codes.map(\.secret.ticketID)
    }

    private func names() throws -> [String] { try administer.list().map(\.ticket.id.description) }

    @Test func aSheetHasANameOfItsOwn() throws {
        let one = try issue()
        let sheet = try issue(24, to: .file("/home/anna/labels.pdf"))
        let codes = try administer.list()
        #expect(codes.map(\.ticket.id) == one + sheet)
        #expect(codes[0].ticket.place == nil && codes[0].ticket.output == .terminal)
        #expect(codes.dropFirst().map(\.ticket.place?.position) == Array(1...24))
        let name = try #require(codes[5].ticket.place?.sheet)
        #expect(Set(codes.dropFirst().map(\.ticket.place?.sheet)) == [name])
        let outcome = try administer.void([CodeSelector(name.description)])
        #expect(outcome.map(\.codes.count) == [24])
        #expect(try administer.list().map(\.ticket.id) == one)
    }

    @Test func whatIsTakenBackIsGoneFromBothVersions() throws {
        let ids = try issue() + issue()
        _ = try administer.void([CodeSelector(ids[0].description)])
        for file in ["tickets", "tickets.bak"] {
            let text = String(decoding: try #require(hub.content(file)), as: UTF8.self)
            #expect(!text.contains(ids[0].description) && text.contains(ids[1].description))
        }
    }

    @Test func oneNameThatIsWrongChangesNothing() throws {
        let ids = try issue() + issue()
        let before = hub.content("tickets")
        #expect(throws: CodeSelectorError.unknown("0000000000000")) {
            try administer.void([CodeSelector(ids[0].description), CodeSelector("0000000000000")])
        }
        #expect(hub.content("tickets") == before)
    }

    @Test(arguments: ["", " ", "-", "U", "ü", "../..", String(repeating: "0", count: 14), "0 OR 1=1"])
    func whatIsNoNameNamesNothing(text: String) throws {
        _ = try issue()
        #expect(throws: CodeSelectorError.unknown(text)) { try administer.void([CodeSelector(text)]) }
    }

    @Test func beginningsInAnyWriting() throws {
        let id = try #require(issue().first)
        let text = id.description
        for written in [
            text, text.lowercased(), String(text.prefix(8)), String(text.prefix(1)), IssuedCode.name(of: id),
            text.replacing("0", with: "o").replacing("1", with: "l"), " " + text,
        ] {
            guard case .code(let code) = try CodeSelector(written).match(in: administer.list()) else {
                Issue.record("\(written) names no code")
                continue
            }
            #expect(code.ticket.id == id)
        }
    }

    @Test func aSharedBeginningNamesNone() throws {
        // There are 32 first characters.
        _ = try issue(64)
        let codes = try administer.list()
        let groups = Dictionary(grouping: codes) { $0.ticket.id.description.prefix(1) }
        let shared = try #require(groups.first { $0.value.count > 1 })
        let error = #expect(throws: CodeSelectorError.self) {
            try administer.void([CodeSelector(String(shared.key))])
        }
        guard case .ambiguous(_, let names) = error else { throw KeyFileError.torn }
        #expect(Set(names).isSuperset(of: shared.value.map(\.ticket.id.description)))
        #expect(try administer.list().count == 64)
    }

    @Test func aCodeThatWasUsedIsLeftAndNamesItsDevice() async throws {
        let secret = try hub.code()
        let attempt = try hub.attempt(secret, "Tablet")
        let source = try #require(NetworkAddress("192.0.2.7"))
        let body = attempt.request(to: hub.hub.pin).serialized
        let answer = await hub.pairing().answer(body, devicePin: attempt.device, source: source)
        #expect(answer.status == 200)
        let code = try #require(administer.list().first)
        #expect(code.status == .used && code.uses.map(\.name.description) == ["Tablet"])
        let error = CodeSelectorError.used(code)
        #expect(throws: error) { try administer.void([CodeSelector(code.name)]) }
        #expect(
            error.description == "the code \(code.name) was used by Tablet (\(attempt.device.fingerprint))")
        #expect(try administer.voidAll(keepsLabel: false).codes.isEmpty)
        // The device may ask again for its answer.
        let again = await hub.pairing().answer(body, devicePin: attempt.device, source: source)
        #expect(again.status == 200)
    }

    @Test func aHubThatServesRefusesAtOnceWhatIsTakenBack() async throws {
        let pairing = hub.pairing()
        let secret = try hub.code()
        let attempt = try hub.attempt(secret, "Tablet")
        let source = try #require(NetworkAddress("192.0.2.7"))
        // It knows the file by now.
        _ = await pairing.answer(
            try hub.attempt(hub.code(), "Other").request(to: hub.hub.pin).serialized,
            devicePin: Pin(subjectPublicKeyInfo: Data("Other".utf8)), source: source)
        _ = try administer.void([CodeSelector(secret.ticketID.description)])
        let answer = await pairing.answer(
            attempt.request(to: hub.hub.pin).serialized, devicePin: attempt.device, source: source)
        #expect(answer.status == 404)
    }

    @Test func allOfThemAndAllButTheLabel() throws {
        let label = try issue(1, .label)
        let others = try issue() + issue(3)
        #expect(try administer.voidAll(keepsLabel: true).codes.map(\.ticket.id) == others)
        #expect(try administer.list().map(\.ticket.id) == label)
        #expect(try administer.voidAll(keepsLabel: false).codes.map(\.ticket.id) == label)
        #expect(try administer.voidAll(keepsLabel: false).codes.isEmpty)
    }

    @Test func aHubRemembersSoManyCodesAndNoMore() throws {
        _ = try issue(9_000)
        let before = hub.content("tickets")
        #expect(throws: HubError.tooManyCodes(10_001)) { try issue(1_001) }
        #expect(hub.content("tickets") == before)
        _ = try administer.voidAll(keepsLabel: false)
        #expect(try issue().count == 1)
    }
}
