import Crypto
import FoundationEssentials
import Glibc
import Pairing
import PinnedTLS
import QRCodes
import Testing

@testable import HubService

/// A state directory of the test's own, gone when the test ends.
private final class ScratchState {
    let state: HubState
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path() + "hubpair-hub-" + UUID().uuidString
        state = HubState(option: path, environment: [:], isRoot: false, home: "/")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func setUp(_ wishes: SetUpHub.Wishes = .init()) throws -> (hub: Hub, outcome: SetUpHub.Outcome) {
        try SetUpHub(wishes, defaultName: try PeerName("Test"), state: state).run()
    }

    func text(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
}

@Suite struct SetUpHubTests {
    @Test(arguments: [HubSettings.fileName, ApprovedDevices.fileName, HubState.certificateFileName])
    func anInterruptedSetUpIsTakenUpWithTheSameKey(last: String) throws {
        let scratch = try ScratchState()
        let (hub, outcome) = try scratch.setUp()
        #expect(outcome == .made)
        // As if it had stopped before this file, and so before the settings too.
        try scratch.remove(HubSettings.fileName)
        if last != HubSettings.fileName { try scratch.remove(last) }
        let again = try scratch.setUp()
        #expect(again.outcome == .made && again.hub.pin == hub.pin)
        #expect(scratch.text(last) != nil)
    }

    @Test func aCertificateThatIsGoneOrOfAnotherKeyIsMadeAgain() throws {
        let scratch = try ScratchState()
        let (hub, _) = try scratch.setUp()
        let other = try TLSIdentity.random().certificatePEM()
        for content in [nil, "", "junk", other] {
            try scratch.remove(HubState.certificateFileName)
            if let content {
                try ProtectedDirectory(path: scratch.path)
                    .create(HubState.certificateFileName, with: Array(content.utf8))
            }
            #expect(try scratch.setUp() == (hub, .mended([.certificate])))
            #expect(try scratch.setUp() == (hub, .present))
        }
    }

    @Test func codesThatAreGoneAreMadeAgainBySetUpAlone() throws {
        let scratch = try ScratchState()
        let (hub, _) = try scratch.setUp()
        try scratch.remove(Tickets.fileName)
        let error = HubError.missingFile(path: "\(scratch.path)/tickets", hasGoodBackup: false)
        #expect(throws: error) {
            try IssueCode(.once, lifetime: 600, state: scratch.state, now: Date()).run(
                addressHint: { _ in nil }, draw: { _, _ in }, handOut: {})
        }
        #expect(error.recoverySuggestion?.hasSuffix(": hubpair setup --state \(scratch.path)") == true)
        #expect(try scratch.setUp() == (hub, .mended([.tickets])))
        #expect(try scratch.setUp() == (hub, .present))
        // With a fault they are not.
        try ProtectedDirectory(path: scratch.path).replace(Tickets.fileName, with: Array("torn".utf8))
        #expect(throws: UnreadableKeyFile.self) { try scratch.setUp() }
        #expect(scratch.text(Tickets.fileName) == "torn")
    }

    @Test func aKeyfileThatIsGoneIsNotReplacedByAnEmptyOne() throws {
        let scratch = try ScratchState()
        let name = ApprovedDevices.fileName
        _ = try scratch.setUp()
        try scratch.remove(name)
        let error = HubError.missingFile(path: "\(scratch.path)/\(name)", hasGoodBackup: false)
        #expect(error.recoverySuggestion?.contains("cp ") == false)
        #expect(throws: error) { try scratch.setUp() }
        #expect(scratch.text(name) == nil)
    }

    @Test func aLostKeyIsNeverReplaced() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        try scratch.remove(HubState.keyFileName)
        let error = HubError.missingKey(path: "\(scratch.path)/hub-key.pem")
        #expect(throws: error) { try scratch.setUp() }
        #expect(scratch.text(HubState.keyFileName) == nil)

        // Not even if the settings are gone too, as long as devices trust it.
        try scratch.remove(HubSettings.fileName)
        var devices = ApprovedDevices()
        let pin = Pin(P256.Signing.PrivateKey().publicKey)
        devices.insert(
            ApprovedDevice(name: try PeerName("x"), pin: pin, status: .approved, expires: nil, role: nil))
        try ProtectedDirectory(path: scratch.path).replace(ApprovedDevices.fileName, with: devices.serialized)
        #expect(throws: error) { try scratch.setUp() }
    }

    @Test func aKeyThatIsNoneIsNotReplaced() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        try ProtectedDirectory(path: scratch.path).replace(HubState.keyFileName, with: Array("junk".utf8))
        #expect(throws: HubError.unreadableKey(path: "\(scratch.path)/hub-key.pem")) { try scratch.setUp() }
        #expect(scratch.text(HubState.keyFileName) == "junk")
    }

    @Test(arguments: [
        ("o", [:], false, "o"), (nil, ["HUBPAIR_STATE": "/e", "XDG_STATE_HOME": "/x"], true, "/e"),
        (nil, ["XDG_STATE_HOME": "/x"], true, "/var/lib/hubpair"),
        (nil, ["XDG_STATE_HOME": "/x"], false, "/x/hubpair"),
        (nil, ["XDG_STATE_HOME": "x"], false, "/home/me/.local/state/hubpair"),
        (nil, ["HUBPAIR_STATE": ""], false, "/home/me/.local/state/hubpair"),
    ])
    func stateDirectory(option: String?, environment: [String: String], isRoot: Bool, path: String) {
        #expect(
            HubState(option: option, environment: environment, isRoot: isRoot, home: "/home/me").path == path)
    }
}

@Suite struct IssueCodeTests {
    static let now = Date(timeIntervalSince1970: 1_795_256_523)

    private func issue(_ kind: PairingCode.Kind, _ lifetime: Double?, _ state: HubState, at now: Date = now)
        throws
        -> PairingCode
    {
        try IssueCode(kind, lifetime: lifetime, state: state, now: now, boot: nil).run(
            addressHint: { _ in nil }, draw: { _, _ in }, handOut: {}
        ).codes[0]
    }

    private func tickets(_ scratch: ScratchState) throws -> [Ticket] {
        try Tickets(parsing: Array(try #require(scratch.text("tickets")).utf8)).tickets
    }

    @Test func theTicketIsKeptWithoutTheSecret() throws {
        let scratch = try ScratchState()
        let (hub, _) = try scratch.setUp()
        let code = try issue(.once, 600, scratch.state)
        #expect(code.hub == hub.pin && code.expires == Self.now.addingTimeInterval(600))
        #expect(try tickets(scratch) == [Ticket(of: code, issued: Moment(wall: Self.now))])

        // Not in any of the ways in which it might be written.
        let secret = code.secret.bytes
        let texts = [
            secret.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
            Data(secret).base64EncodedString(),
            CrockfordBase32.encode(secret), TypedCode(secret: code.secret).text, code.text,
        ]
        let forms = [secret] + texts.flatMap { [Array($0.utf8), Array($0.lowercased().utf8)] }
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.path) {
            let content = Array(FileManager.default.contents(atPath: "\(scratch.path)/\(name)") ?? Data())
            for form in forms { #expect(content.firstRange(of: form.dropLast(2)) == nil, "\(name)") }
        }
    }

    @Test func aLabelReplacesTheLabelBeforeItAndNoOnceCode() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        let once = try issue(.once, 600, scratch.state)
        _ = try issue(.label, nil, scratch.state)
        let label = try issue(.label, 86_400, scratch.state)
        #expect(try tickets(scratch).map(\.id) == [once.secret.ticketID, label.secret.ticketID])
    }

    @Test(arguments: [(600.0 + 86_399, 2), (600.0 + 86_400, 1)])
    func aTicketIsForgottenADayAfterItsExpiry(later: Double, count: Int) throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        _ = try issue(.once, 600, scratch.state)
        _ = try issue(.once, 600, scratch.state, at: Self.now.addingTimeInterval(later))
        #expect(try tickets(scratch).count == count)
    }

    @Test(arguments: [0, -1, 0.5, 3_153_600_001, .infinity, .nan])
    func aLifetimeOutOfReachIsRefused(lifetime: Double) throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        #expect(throws: HubError.badLifetime) { try issue(.once, lifetime, scratch.state) }
    }

    @Test func aSheetOfCodesHasATicketForEachAndNoneIfNobodyGotIt() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        func issue(_ kind: PairingCode.Kind, count: Int, handOut: () throws -> Void) throws -> [PairingCode] {
            try IssueCode(kind, count: count, lifetime: 600, state: scratch.state, now: Self.now).run(
                addressHint: { _ in nil }, draw: { _, _ in }, handOut: handOut
            ).codes
        }
        #expect(throws: RenderError.self) {
            try issue(.once, count: 3) { throw RenderError.unreadable("PDF") }
        }
        #expect(try tickets(scratch).isEmpty)
        let codes = try issue(.once, count: 3) {}
        #expect(Set(codes.map(\.secret.ticketID)).count == 3)
        #expect(try tickets(scratch).map(\.id) == codes.map(\.secret.ticketID))
        #expect(try issue(.label, count: 3) {}.count == 1)
    }

    @Test func aDrawingThatFailsLeavesNoTicket() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        #expect(throws: RenderError.self) {
            try IssueCode(.once, lifetime: 600, state: scratch.state, now: Self.now, boot: nil).run(
                addressHint: { _ in nil }, draw: { _, _ in throw RenderError.unreadable("PNG") }, handOut: {})
        }
        #expect(try tickets(scratch).isEmpty)
    }

    @Test func aLabelThatNobodyGotLeavesTheOneBefore() throws {
        let scratch = try ScratchState()
        _ = try scratch.setUp()
        let label = try issue(.label, nil, scratch.state)
        #expect(throws: RenderError.self) {
            try IssueCode(.label, lifetime: nil, state: scratch.state, now: Self.now, boot: nil).run(
                addressHint: { _ in nil }, draw: { _, _ in }, handOut: { throw RenderError.unreadable("PNG") }
            )
        }
        #expect(try tickets(scratch) == [Ticket(of: label, issued: Moment(wall: Self.now))])
    }
}
