import Addresses
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

/// A file is torn, and the owner does what the hint says: no revoked device is back, and no code is good
/// twice.
@Suite struct TornFileTests {
    /// Cuts the file, and runs the command in the hint; `hubpair setup` with it.
    private func tearAndMend(_ name: String, of hub: PairingHub) async throws -> String {
        let whole = try #require(hub.content(name))
        try whole.dropLast(3).write(to: URL(filePath: "\(hub.path)/\(name)"))
        let hint: String
        do {
            let source = try #require(NetworkAddress("192.0.2.99"))
            let attempt = try hub.attempt(.random(), "Eve")
            let answer = await hub.pairing().answer(
                attempt.request(to: hub.hub.pin).serialized, devicePin: attempt.device, source: source)
            #expect(answer.status == 503)
            let event = try #require(answer.event)
            hint = String(event[(try #require(event.firstRange(of: " ("))).upperBound...])
        }
        // Only the files count here: the words of the hint choose what is done.
        let path = "\(hub.path)/\(name)"
        let files = FileManager.default
        if hint.contains("cp -p \(path).bak \(path)") {
            try files.removeItem(atPath: path)
            try files.copyItem(atPath: path + ".bak", toPath: path)
        } else if hint.contains("mv \(path) \(path).broken") {
            try files.moveItem(atPath: path, toPath: path + ".broken")
        }
        if hint.contains("hubpair setup --state \(hub.path)") {
            _ = try SetUpHub(.init(), defaultName: try PeerName("Kitchen"), state: hub.state).run()
        }
        return hint
    }

    private func send(_ attempt: PairAttempt, to hub: PairingHub, wrong: Bool = false) async throws -> Int {
        let source = try #require(NetworkAddress("192.0.2.7"))
        let pin = wrong ? Pin(subjectPublicKeyInfo: Data("another".utf8)) : hub.hub.pin
        return await hub.pairing().answer(
            attempt.request(to: pin).serialized, devicePin: attempt.device, source: source
        ).status
    }

    @Test func aBurntCodeStaysBurnt() async throws {
        let hub = try PairingHub()
        let code = try hub.code()
        #expect(try await send(try hub.attempt(code, "Tablet"), to: hub) == 200)
        let hint = try await tearAndMend(Tickets.fileName, of: hub)
        #expect(!hint.contains(".bak") && hint.contains("print new ones, the label too"))
        #expect(try await send(try hub.attempt(code, "Eve"), to: hub) == 404)
        #expect(try await send(try hub.attempt(try hub.code(), "Phone"), to: hub) == 200)
    }

    @Test func aRevokedDeviceStaysOut() async throws {
        let hub = try PairingHub()
        let lost = try hub.attempt(try hub.code(), "Lost phone")
        #expect(try await send(lost, to: hub) == 200)
        _ = try AdministerDevices(state: hub.state).revoke(PeerSelector("Lost phone"))
        let hint = try await tearAndMend(ApprovedDevices.fileName, of: hub)
        #expect(hint.contains("look over 'hubpair devices'"))
        #expect(try hub.status(of: lost) == .revoked)
        #expect(try await send(lost, to: hub) == 403)
    }

    @Test func aCodeThatIsVoidStaysSo() async throws {
        let hub = try PairingHub()
        let code = try hub.code()
        for _ in 0..<5 {
            #expect(try await send(try hub.attempt(code, "Eve"), to: hub, wrong: true) == 403)
        }
        _ = try await tearAndMend(FailedAttempts.fileName, of: hub)
        #expect(try await send(try hub.attempt(code, "Eve"), to: hub) == 429)
    }

    @Test(arguments: [
        ("d/tickets", false, true, "hubpair setup --state d"),
        (
            "/a b/tickets", true, false,
            "mv '/a b/tickets' '/a b/tickets.broken' && hubpair setup --state '/a b'"
        ),
        ("/tickets", true, true, "hubpair setup --state /"),
        ("d/attempts", true, false, "cp -p d/attempts.bak d/attempts"),
        ("d/attempts", false, false, "mv d/attempts d/attempts.broken"),
        ("d/known-hubs", true, false, "look over 'hubpair hubs' then"),
        ("d/scenes", true, false, "cp -p d/scenes.bak d/scenes (that undoes the last change)"),
        ("d/approved-devices", false, true, "the version before is not there"),
    ])
    func hints(path: String, hasGoodBackup: Bool, isGone: Bool, words: String) {
        let hint = FileRecovery.hint(path, hasGoodBackup: hasGoodBackup, isGone: isGone)
        #expect(hint.contains(words))
        #expect(
            hint.contains("mend it by hand") == !(isGone || path.hasSuffix("tickets") || hint.contains("mv")))
    }
}
