import Addresses
import FoundationEssentials
import Pairing
import Synchronization
import Testing

@testable import HubService

/// A hub that is set up in a directory in memory, gone when the test ends.
final class PairingHub: Sendable {
    let path: String
    let state: HubState
    let hub: Hub

    init() throws {
        // Thousands of fsyncs on a disk would take minutes; what they are for is tested elsewhere.
        let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm/" : "/tmp/"
        path = base + "hubpair-pair-" + UUID().uuidString
        state = HubState(option: path, environment: [:], isRoot: false, home: "/")
        hub = try SetUpHub(.init(), defaultName: try PeerName("Kitchen"), state: state).run().hub
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func pairing(clock: @escaping @Sendable () -> Moment = { .now }) -> PairDevice {
        PairDevice(state: state, hub: hub, register: DeviceRegister(state: state), clock: clock)
    }

    func code(_ kind: PairingCode.Kind = .once) throws -> TicketSecret {
        let codes = try IssueCode(kind, lifetime: kind == .once ? 600 : nil, state: state, now: Date()).run(
            addressHint: { _ in nil }, draw: { _, _ in }, handOut: {}
        ).codes
        return try #require(codes.first).secret
    }

    func attempt(_ secret: TicketSecret, _ device: String) throws -> PairAttempt {
        PairAttempt(
            secret: secret, name: try PeerName(device), nonce: .random(),
            device: Pin(subjectPublicKeyInfo: Data(device.utf8)))
    }

    func content(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(path)/\(name)") }

    func restore(_ name: String, _ content: Data?) throws {
        try ProtectedDirectory(path: path).replace(name, with: Array(try #require(content)))
    }

    func status(of attempt: PairAttempt) throws -> ApprovedDevice.Status? {
        try AdministerDevices(state: state).list().first { $0.pin == attempt.device }?.status
    }
}

extension PairDevice {
    fileprivate func send(
        _ attempt: PairAttempt, to hub: Hub, from address: String = "192.0.2.7"
    ) async throws -> PairingAnswer {
        let source = try #require(NetworkAddress(address))
        let answer = await answer(
            attempt.request(to: hub.pin).serialized, devicePin: attempt.device, source: source)
        if answer.status < 300 { try attempt.verify(try PairReply(parsing: answer.body), from: hub.pin) }
        return answer
    }
}

@Suite struct PairDeviceTests {
    @Test func aDevicePairsAndAsksAgain() async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        let answer = try await pairing.send(attempt, to: hub.hub)
        #expect(answer.status == 200)
        #expect(answer.event == "device \"Tablet\" (\(attempt.device.fingerprint)) approved")
        // Another process, after a restart, and from elsewhere: the same to the byte.
        #expect(try await hub.pairing().send(attempt, to: hub.hub, from: "fd77::1").body == answer.body)
        // Nothing has changed, and the log is not to be filled.
        #expect(try await pairing.send(attempt, to: hub.hub).event == nil)
        #expect(try hub.status(of: attempt) == .approved)
        let other = try await pairing.send(try hub.attempt(attempt.secret, "Eve"), to: hub.hub)
        #expect(other.status == 409 && other.event?.hasPrefix("refused 192.0.2.7: ticket_used") == true)
    }

    @Test func whatNeedsNoFile() async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        let request = try hub.attempt(.random(), "x").request(to: hub.hub.pin).serialized
        let source = try #require(NetworkAddress("192.0.2.7"))
        let large = [UInt8](repeating: 0x20, count: 4_097)
        let pin = hub.hub.pin
        #expect(await pairing.answer(large, devicePin: nil, source: source).status == 401)
        #expect(await pairing.answer(large, devicePin: pin, source: source).status == 413)
        #expect(await pairing.answer([], devicePin: pin, source: source).status == 400)
        for _ in 0..<30 { _ = await pairing.answer(Array("{}".utf8), devicePin: pin, source: source) }
        #expect(await pairing.answer(request, devicePin: pin, source: source).status == 404)
    }

    @Test func limitsSurviveARestart() async throws {
        let hub = try PairingHub()
        let code = try hub.code()
        for _ in 0..<20 {
            #expect(try await hub.pairing().send(try hub.attempt(.random(), "x"), to: hub.hub).status == 404)
        }
        #expect(try await hub.pairing().send(try hub.attempt(code, "x"), to: hub.hub).status == 429)
        #expect(
            try await hub.pairing().send(try hub.attempt(code, "a"), to: hub.hub, from: "192.0.2.8").status
                == 200)
    }

    @Test func theOwnerDecidesInAnotherProcess() async throws {
        let hub = try PairingHub()
        let register = DeviceRegister(state: hub.state)
        let pairing = PairDevice(state: hub.state, hub: hub.hub, register: register)
        let owner = AdministerDevices(state: hub.state)
        let attempt = try hub.attempt(try hub.code(.label), "Tablet")
        #expect(try register.verdict(for: attempt.device, at: Date()) == .unknown)
        #expect(try await pairing.send(attempt, to: hub.hub).status == 202)
        #expect(try register.verdict(for: attempt.device, at: Date()) == .pending)
        #expect(try owner.list().first?.asked != nil)
        _ = try owner.approve(PeerSelector("\(attempt.device.fingerprint)"))
        #expect(try register.verdict(for: attempt.device, at: Date()) == .approved)
        #expect(try await pairing.send(attempt, to: hub.hub).status == 200)
        _ = try owner.revoke(PeerSelector("Tablet"))
        #expect(try register.verdict(for: attempt.device, at: Date()) == .revoked)
        #expect(try await pairing.send(attempt, to: hub.hub).status == 403)
    }

    /// A stranger asks under an approved device's name: the log says so, and the name approves neither.
    @Test func aNameThatLooksTheSameIsMarked() async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        let owner = AdministerDevices(state: hub.state)
        let anna = try hub.attempt(try hub.code(), "Anna's phone")
        _ = try await pairing.send(anna, to: hub.hub)
        let label = try hub.code(.label)
        for name in ["Anna's phone", "Аnna’s PHONE"] {
            let stranger = PairAttempt(
                secret: label, name: try PeerName(name), nonce: .random(),
                device: Pin(subjectPublicKeyInfo: Data("stranger \(name)".utf8)))
            let fingerprint = stranger.device.fingerprint
            #expect(
                try await pairing.send(stranger, to: hub.hub).event
                    == "device \"\(name)\" (\(fingerprint)), whose name looks like that of the approved "
                    + "device \(anna.device.fingerprint), asks for approval: "
                    + "hubpair devices approve \(fingerprint)"
            )
            let known = name == "Anna's phone" ? [anna.device.fingerprint] : []
            #expect(throws: HubError.asksByName(name: name, asking: [fingerprint], known: known)) {
                try owner.approve(PeerSelector(name))
            }
            #expect(try hub.status(of: stranger) == .pending)
        }
    }

    /// A device of version 0.1 under a name that is no longer taken; the answer's word stays.
    @Test func aNameWithAnInvisibleCharacterIsRefused() async throws {
        let hub = try PairingHub()
        let attempt = PairAttempt(
            secret: try hub.code(), name: try PeerName(known: "An\u{200B}na"), nonce: .random(),
            device: Pin(subjectPublicKeyInfo: Data("old".utf8)))
        let source = try #require(NetworkAddress("192.0.2.7"))
        let answer = await hub.pairing().answer(
            attempt.request(to: hub.hub.pin).serialized, devicePin: attempt.device, source: source)
        let refusal = try PairRefusal(parsing: answer.body)
        #expect(answer.status == 400 && refusal.code == .nameInvalid)
        #expect(refusal.message == "the name holds the invisible character U+200B")
        #expect(try hub.status(of: attempt) == nil)
    }

    @Test func aQuestionLapses() async throws {
        let hub = try PairingHub()
        let attempt = try hub.attempt(try hub.code(.label), "Tablet")
        let now = Moment.now
        #expect(try await hub.pairing(clock: { now }).send(attempt, to: hub.hub).status == 202)
        let boot = now.boot.flatMap { BootTime(id: $0.id, milliseconds: $0.milliseconds + 600_000) }
        let later = Moment(wall: now.wall.addingTimeInterval(600), boot: boot)
        let owner = AdministerDevices(state: hub.state)
        #expect(try owner.list(at: now).count == 1 && owner.list(at: later).isEmpty)
        #expect(throws: HubError.askLapsed(name: "Tablet")) {
            try owner.approve(PeerSelector("Tablet"), now: later)
        }
    }

    // A crash between the two writes leaves the burn without the approval; the keyfile of before stands for
    // it.
    @Test(arguments: [true, false])
    func aBurnIsCompleted(atStart: Bool) async throws {
        let hub = try PairingHub()
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        let before = hub.content("approved-devices")
        let body = try await hub.pairing().send(attempt, to: hub.hub).body
        try hub.restore("approved-devices", before)
        let pairing = hub.pairing()
        if atStart {
            try await pairing.recover()
            #expect(
                try ApprovedDevices(parsing: Array(try #require(hub.content("approved-devices")))).devices
                    .count == 1)
        }
        #expect(try await pairing.send(attempt, to: hub.hub).body == body)
        #expect(try hub.status(of: attempt) == .approved)
    }

    @Test(arguments: [false, true])
    func aDeviceRevokedAfterTheBurnStaysOut(wasRevokedBefore: Bool) async throws {
        let hub = try PairingHub()
        let owner = AdministerDevices(state: hub.state)
        if wasRevokedBefore {
            #expect(
                try await hub.pairing().send(try hub.attempt(try hub.code(), "Tablet"), to: hub.hub).status
                    == 200)
            _ = try owner.revoke(PeerSelector("Tablet"))
        }
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        let before = hub.content("approved-devices")
        _ = try await hub.pairing().send(attempt, to: hub.hub)
        try hub.restore("approved-devices", before)
        // The owner sees what the burn means, and says no.
        #expect(try hub.status(of: attempt) == .approved)
        #expect(try owner.revoke(PeerSelector("Tablet")).changed)
        let pairing = hub.pairing()
        try await pairing.recover()
        #expect(try hub.status(of: attempt) == .revoked)
        #expect(try await pairing.send(attempt, to: hub.hub).status == 403)
        #expect(try await pairing.send(try hub.attempt(try hub.code(), "Tablet"), to: hub.hub).status == 200)
    }

    @Test func ticketsFromABackupBringNobodyBack() async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        #expect(try await pairing.send(try hub.attempt(try hub.code(), "One"), to: hub.hub).status == 200)
        let backup = hub.content("tickets")
        #expect(try await pairing.send(try hub.attempt(try hub.code(), "Two"), to: hub.hub).status == 200)
        _ = try AdministerDevices(state: hub.state).revoke(PeerSelector("One"))
        try hub.restore("tickets", backup)
        try await hub.pairing().recover()
        #expect(try AdministerDevices(state: hub.state).list().map(\.status) == [.revoked, .approved])
    }

    @Test(arguments: [Tickets.fileName, ApprovedDevices.fileName, FailedAttempts.fileName])
    func whatCannotBeWrittenIsNotApproved(name: String) async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        let wrong = try hub.attempt(.random(), "Tablet")
        let obstacle = "\(hub.path)/.\(name).new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        let isCount = name == FailedAttempts.fileName
        let answer = try await pairing.send(isCount ? wrong : attempt, to: hub.hub)
        #expect(answer.status == 503)
        #expect(try PairRefusal(parsing: answer.body).code == .unavailable)
        #expect(answer.event?.contains("cannot pair: cannot remove \(obstacle): Is a directory") == true)
        let devices = try ApprovedDevices(parsing: Array(try #require(hub.content("approved-devices"))))
        #expect(devices.devices.isEmpty)
        try FileManager.default.removeItem(atPath: obstacle)
        // The same code, sent again, is as good as before.
        #expect(try await pairing.send(attempt, to: hub.hub).status == 200)
        #expect(try hub.status(of: attempt) == .approved)
    }

    @Test func failuresCountEvenIfTheyCannotBeWritten() async throws {
        let hub = try PairingHub()
        let pairing = hub.pairing()
        let obstacle = "\(hub.path)/.\(FailedAttempts.fileName).new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        for _ in 0..<20 {
            #expect(try await pairing.send(try hub.attempt(.random(), "x"), to: hub.hub).status == 503)
        }
        #expect(try await pairing.send(try hub.attempt(try hub.code(), "x"), to: hub.hub).status == 429)
    }

    @Test func aTornKeyfileClosesTheDoor() async throws {
        let hub = try PairingHub()
        let register = DeviceRegister(state: hub.state)
        let pairing = PairDevice(state: hub.state, hub: hub.hub, register: register)
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        #expect(try await pairing.send(attempt, to: hub.hub).status == 200)
        let whole = hub.content("approved-devices")
        try hub.restore("approved-devices", whole?.dropLast(3))
        #expect(throws: UnreadableKeyFile.self) { try register.verdict(for: attempt.device, at: Date()) }
        #expect(try await pairing.send(attempt, to: hub.hub).status == 503)
        try hub.restore("approved-devices", whole)
        #expect(try register.verdict(for: attempt.device, at: Date()) == .approved)
        #expect(try await pairing.send(attempt, to: hub.hub).status == 200)
    }

    @Test func ofTwoThatRaceForACodeExactlyOneWins() async throws {
        for _ in 0..<20 {
            let hub = try PairingHub()
            // Each has files, lock and memory of its own, as two processes have.
            let desks = [hub.pairing(), hub.pairing()]
            for run in 0..<10 {
                let code = try hub.code()
                let attempts = try (0..<2).map { try hub.attempt(code, "\(run)-\($0)") }
                async let one = desks[run % 2].send(attempts[0], to: hub.hub)
                async let two = desks[1 - run % 2].send(attempts[1], to: hub.hub, from: "192.0.2.8")
                let statuses = try await [one.status, two.status]
                #expect(statuses.sorted() == [200, 409])
                let winner = attempts[statuses[0] == 200 ? 0 : 1]
                #expect(try await desks[0].send(winner, to: hub.hub, from: "192.0.2.9").status == 200)
            }
            let devices = try AdministerDevices(state: hub.state).list()
            #expect(devices.count == 10 && devices.allSatisfy { $0.status == .approved })
        }
    }

    @Test func aCodeInAPagerDoesNotStopPairing() async throws {
        let hub = try PairingHub()
        let attempt = try hub.attempt(try hub.code(), "Tablet")
        _ = try IssueCode(.once, lifetime: 600, state: hub.state, now: Date()).run(
            addressHint: { _ in nil }, draw: { _, _ in },
            handOut: { try ProtectedDirectory(path: hub.path).withLock { _ in } })
        #expect(try await hub.pairing().send(attempt, to: hub.hub).status == 200)
    }
}
