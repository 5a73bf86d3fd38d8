import FoundationEssentials
import Testing

@testable import Pairing

@Suite struct PairPolicyTests {
    @Test func aOnceCodeLetsInOneDevice() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        #expect(try hub.ask(code, "a", at: PaperHub.at(1)) == "approved")
        #expect(try hub.ask(code, "a", at: PaperHub.at(2)) == "again approved")
        #expect(try hub.ask(code, "b", at: PaperHub.at(3)) == "ticket_used")
        #expect(try hub.ask(code, "a", nonce: 2, at: PaperHub.at(4)) == "ticket_used")
        #expect(try hub.ask(code, "a", name: "A", at: PaperHub.at(5)) == "ticket_used")
        // Past the expiry, within 10 minutes of the burn; and then no more.
        #expect(try hub.ask(code, "a", at: PaperHub.at(600.9)) == "again approved")
        #expect(try hub.ask(code, "a", at: PaperHub.at(601)) == "ticket_used")
        #expect(hub.devices.verdict(for: PaperHub.device("a"), at: PaperHub.at(9).wall) == .approved)
        #expect(hub.devices.device(PaperHub.device("b")) == nil)
    }

    @Test func aRetryGetsTheSameNonceAndChangesNothing() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        _ = try hub.ask(code, "a", at: PaperHub.at(1))
        let before = (hub.tickets.serialized, hub.devices.serialized, hub.attempts.serialized)
        #expect(try hub.ask(code, "a", from: 7, at: PaperHub.at(2)) == "again approved")
        #expect(before == (hub.tickets.serialized, hub.devices.serialized, hub.attempts.serialized))
        #expect(hub.tickets.uses.count == 1)
    }

    @Test func theFirstReasonIsTheAnswer() throws {
        // Each row takes one reason away; what is left stands in the design's order.
        var hub = PaperHub()
        let unknown = TicketSecret.random()
        let dead = try hub.issue(.once, lifetime: 1)
        for number in 0..<5 { _ = try hub.ask(dead, "x", wrong: true, from: number, at: PaperHub.at(0.1)) }
        for _ in 0..<20 { _ = try hub.ask(unknown, "x", from: 99, at: PaperHub.at(0.1)) }
        let used = try hub.issue(.once, lifetime: 1)
        _ = try hub.ask(used, "owner", at: PaperHub.at(0.2))
        let label = try hub.issue(.label, lifetime: 1)
        _ = try hub.ask(try hub.issue(.once, lifetime: 1), "revoked", at: PaperHub.at(0.2))
        try hub.set(.revoked, "revoked")
        let late = PaperHub.at(5)
        #expect(try hub.ask(unknown, "x", from: 99, at: late) == "too_many_attempts")
        #expect(try hub.ask(used, "owner", from: 99, at: late) == "too_many_attempts")
        #expect(try hub.ask(unknown, "x", from: 50, at: late) == "ticket_unknown")
        #expect(try hub.ask(dead, "x", wrong: true, from: 50, at: late) == "too_many_attempts")
        #expect(try hub.ask(dead, "x", from: 50, at: late) == "too_many_attempts")
        #expect(try hub.ask(used, "x", wrong: true, from: 50, at: late) == "bad_proof")
        #expect(try hub.ask(label, "revoked", wrong: true, from: 50, at: late) == "bad_proof")
        #expect(try hub.ask(used, "x", from: 50, at: late) == "ticket_used")
        #expect(try hub.ask(label, "revoked", from: 50, at: late) == "not_approved")
        #expect(try hub.ask(label, "x", from: 50, at: late) == "ticket_expired")
        #expect(try hub.ask(try hub.issue(.once, lifetime: 1), "x", from: 50, at: late) == "ticket_expired")
    }

    @Test func fiveWrongProofsKillAOnceCodeAndNoLabel() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        let other = try hub.issue(.once, lifetime: 600)
        let label = try hub.issue(.label, lifetime: nil)
        for number in 0..<5 {
            #expect(try hub.ask(code, "x", wrong: true, from: number, at: PaperHub.at(1)) == "bad_proof")
            #expect(try hub.ask(label, "x", wrong: true, from: number, at: PaperHub.at(1)) == "bad_proof")
        }
        #expect(try hub.ask(code, "a", from: 60, at: PaperHub.at(2)) == "too_many_attempts")
        #expect(try hub.ask(label, "a", from: 60, at: PaperHub.at(2)) == "pending")
        #expect(try hub.ask(other, "b", from: 60, at: PaperHub.at(2)) == "approved")
        #expect(try hub.attempts.failures(of: PaperHub.source(60), at: PaperHub.at(2)) == 0)
    }

    @Test func fourWrongProofsDoNot() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        for _ in 0..<4 { _ = try hub.ask(code, "x", wrong: true, at: PaperHub.at(1)) }
        #expect(try hub.ask(code, "a", at: PaperHub.at(2)) == "approved")
    }

    @Test func twentyFailuresStopASourceForTenMinutes() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 6_000)
        for number in 0..<20 {
            #expect(try hub.ask(.random(), "x", at: PaperHub.at(Double(number))) == "ticket_unknown")
        }
        #expect(try hub.ask(.random(), "x", at: PaperHub.at(21)) == "too_many_attempts")
        #expect(try hub.ask(code, "x", at: PaperHub.at(599.9)) == "too_many_attempts")
        // The owner's own pairing, from elsewhere.
        #expect(try hub.ask(code, "a", from: 2, at: PaperHub.at(22)) == "approved")
        // The first failure is 10 minutes old.
        #expect(try hub.ask(.random(), "x", at: PaperHub.at(600)) == "ticket_unknown")
        #expect(try hub.ask(.random(), "x", at: PaperHub.at(600)) == "too_many_attempts")
    }

    @Test func junkFromManySourcesNeitherShutsOutNorResets() throws {
        var attempts = FailedAttempts()
        let now = PaperHub.at(0)
        for _ in 0..<20 { try attempts.record(PaperHub.source(1), ticket: nil, at: now) }
        for number in 2..<1_300 {
            let later = PaperHub.at(Double(number) / 100)
            try attempts.record(PaperHub.source(number), ticket: nil, at: later)
            #expect(attempts.sourceCount <= 1_024)
        }
        let later = PaperHub.at(60)
        #expect(try attempts.failures(of: PaperHub.source(1), at: later) == 20)
        #expect(try attempts.failures(of: PaperHub.source(1_000_000), at: later) == 0)
        #expect(try FailedAttempts(parsing: attempts.serialized).sourceCount == 1_024)
        #expect(attempts.serialized.count < 400_000)
        // They are forgotten with their time.
        try attempts.record(PaperHub.source(7), ticket: nil, at: PaperHub.at(700))
        #expect(attempts.sourceCount == 1)
    }

    @Test(
        arguments: [
            ([192, 0, 2, 7], nil, "ipv4 192.0.2.7"),
            ([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 7], nil, "ipv4 192.0.2.7"),
            ([0xFD, 0x77] + [UInt8](repeating: 1, count: 14), nil, "ipv6 fd77:0101:0101:0101"),
            ([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), "eth0", "ipv6 fe80:0000:0000:0000%eth0"),
            ([0xFE, 0x80] + [UInt8](repeating: 0, count: 14), "a]b", "ipv6 fe80:0000:0000:0000"),
        ] as [([UInt8], String?, String)])
    func sources(address: [UInt8], scope: String?, text: String) throws {
        let source = try #require(NetworkAddress(bytes: address, scope: scope).map { SourcePrefix($0) })
        #expect(source.description == text && SourcePrefix(text) == source)
        #expect(NetworkAddress(bytes: address.dropLast()) == nil)
    }

    @Test func aLabelOnlyLetsAsk() throws {
        var hub = PaperHub()
        let label = try hub.issue(.label, lifetime: nil)
        #expect(try hub.ask(label, "a", at: PaperHub.at(1)) == "pending")
        #expect(try hub.ask(label, "a", at: PaperHub.at(2)) == "again pending")
        #expect(try hub.ask(label, "a", nonce: 2, at: PaperHub.at(2)) == "ticket_used")
        try hub.set(.approved, "a")
        #expect(try hub.ask(label, "a", at: PaperHub.at(3)) == "again approved")
        try hub.set(.revoked, "a")
        #expect(try hub.ask(label, "a", at: PaperHub.at(4)) == "not_approved")
        #expect(try hub.ask(label, "a", nonce: 3, at: PaperHub.at(700)) == "not_approved")
        // Only a code for one device brings it back.
        #expect(try hub.ask(try hub.issue(.once, lifetime: 6_000), "a", at: PaperHub.at(701)) == "approved")
    }

    @Test func fiveQuestionsInTenMinutes() throws {
        var hub = PaperHub()
        let label = try hub.issue(.label, lifetime: nil)
        for number in 0..<5 {
            #expect(
                try hub.ask(label, "d\(number)", from: number, at: PaperHub.at(Double(number))) == "pending")
        }
        #expect(try hub.ask(label, "d5", from: 9, at: PaperHub.at(10)) == "too_many_attempts")
        #expect(try hub.ask(label, "d0", from: 9, at: PaperHub.at(10)) == "again pending")
        // A question lives 10 minutes: the first has lapsed, and its device is gone from the keyfile.
        #expect(hub.devices.device(PaperHub.device("d0"))?.isForgotten(at: PaperHub.at(599.9)) == false)
        #expect(hub.devices.device(PaperHub.device("d0"))?.isForgotten(at: PaperHub.at(600)) == true)
        #expect(try hub.ask(label, "d5", from: 9, at: PaperHub.at(600)) == "pending")
        #expect(hub.devices.device(PaperHub.device("d0")) == nil && hub.devices.devices.count == 5)
        #expect(try hub.ask(label, "d0", from: 9, at: PaperHub.at(600.5)) == "too_many_attempts")
    }

    @Test func anApprovedDeviceThatAsksStaysSo() throws {
        var hub = PaperHub()
        _ = try hub.ask(try hub.issue(.once, lifetime: 600), "a", at: PaperHub.at(1))
        let label = try hub.issue(.label, lifetime: nil)
        #expect(try hub.ask(label, "a", at: PaperHub.at(2)) == "approved")
        #expect(hub.devices.device(PaperHub.device("a"))?.status == .approved)
    }

    @Test func aRevokedDeviceIsNotBroughtBackByItsOldCode() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        _ = try hub.ask(code, "a", at: PaperHub.at(1))
        try hub.set(.revoked, "a")
        #expect(try hub.ask(code, "a", at: PaperHub.at(2)) == "not_approved")
        #expect(hub.devices.complete(hub.tickets) == [])
        #expect(hub.devices.device(PaperHub.device("a"))?.status == .revoked)
    }

    @Test(arguments: [
        // (issued at, asked at, verdict)
        (PaperHub.at(0), PaperHub.at(599, wall: 1e9), "approved"),  // the clock was set forward
        (PaperHub.at(0), PaperHub.at(600, wall: -1e9), "ticket_expired"),  // or back
        (PaperHub.at(0, wall: -1.7e9), PaperHub.at(300), "approved"),  // 1973, until the network told better
        (PaperHub.at(0), PaperHub.at(599, boot: PaperHub.otherBoot), "approved"),
        (PaperHub.at(0), PaperHub.at(600, boot: PaperHub.otherBoot), "ticket_expired"),
        (PaperHub.at(0), Moment(wall: PaperHub.at(600).wall), "ticket_expired"),
        // A restart, and the clock behind: before the code was made.
        (PaperHub.at(0), PaperHub.at(3_600, wall: -3_601, boot: PaperHub.otherBoot), "ticket_expired"),
        (PaperHub.at(0), PaperHub.at(3_600, wall: -3_600, boot: PaperHub.otherBoot), "approved"),
        (PaperHub.at(0), Moment(wall: PaperHub.at(-1).wall), "ticket_expired"),
        (PaperHub.at(0), PaperHub.at(1, wall: -3_600), "approved"),
    ])
    func clocksThatJump(issued: Moment, asked: Moment, verdict: String) throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600, at: issued)
        #expect(try hub.ask(code, "a", at: asked) == verdict)
    }

    /// What else the hub wrote down 2,000 s after the code was made, and the verdict on the code after a
    /// restart with a clock that says `asked` s after it was made. The code lives 600 s.
    @Test(arguments: [
        ("nothing", 300, "approved"), ("nothing", 600, "ticket_expired"), ("issue", 300, "ticket_expired"),
        ("use", 300, "ticket_expired"), ("approval", 300, "ticket_expired"), ("ask", 300, "ticket_expired"),
        ("failure", 300, "ticket_expired"), ("failures", 300, "ticket_expired"),
    ])
    func aClockBehindAfterARestart(event: String, asked: Double, verdict: String) throws {
        var hub = PaperHub()
        let late = PaperHub.at(2_000)
        let code = try hub.issue(.once, lifetime: 600)
        let label = try hub.issue(.label, lifetime: nil)
        let restarted = { (seconds: Double) in PaperHub.at(seconds, boot: PaperHub.otherBoot) }
        switch event {
        case "issue": _ = try hub.issue(.once, lifetime: 60, at: late)
        case "use": _ = try hub.ask(try hub.issue(.once, lifetime: 6_000), "other", at: late)
        case "approval":
            hub.devices.insert(
                ApprovedDevice(
                    name: try PeerName("other"), pin: PaperHub.device("other"), status: .approved,
                    approved: late.wall))
        case "ask": _ = try hub.ask(label, "other", at: late)
        case "failure": _ = try hub.ask(.random(), "other", at: late)
        case "failures":
            _ = try hub.ask(.random(), "other", at: late)
            // Another failure, by the clock that is behind, does not wipe out the one before.
            _ = try hub.ask(.random(), "other", at: restarted(200))
        default: break
        }
        #expect(try hub.ask(code, "a", from: 2, at: restarted(asked)) == verdict)
        // A device with the label, or with a code that is made now, is not shut out.
        #expect(try hub.ask(label, "b", from: 2, at: restarted(asked)) == "pending")
        let fresh = try hub.issue(.once, lifetime: 600, at: restarted(asked))
        #expect(try hub.ask(fresh, "c", from: 2, at: restarted(asked + 500)) == "approved")
    }

    @Test func aCodeOutlivesTheNextAcrossAJump() throws {
        // Made in 1973, the clock then set: printing another code must not throw the first away.
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600, at: PaperHub.at(0, wall: -1.7e9))
        _ = try hub.issue(.once, lifetime: 600, at: PaperHub.at(10))
        #expect(try hub.ask(code, "a", at: PaperHub.at(20)) == "approved")
        #expect(try hub.ask(code, "a", at: PaperHub.at(619, wall: 1e9)) == "again approved")
    }

    @Test func aSourceIsNotStoppedUntilTheClockCatchesUp() throws {
        var attempts = FailedAttempts()
        for _ in 0..<20 { try attempts.record(PaperHub.source(1), ticket: nil, at: PaperHub.at(0)) }
        // A restart, and the wall clock a year back.
        attempts = try FailedAttempts(parsing: attempts.serialized)
        attempts.rebase(to: PaperHub.at(5, wall: -3.2e7, boot: PaperHub.otherBoot))
        #expect(
            try attempts.failures(of: PaperHub.source(1), at: PaperHub.at(6, boot: PaperHub.otherBoot)) == 20)
        #expect(
            try attempts.failures(of: PaperHub.source(1), at: PaperHub.at(606, boot: PaperHub.otherBoot)) == 0
        )
        // And forward: what is long ago is long ago.
        attempts.rebase(to: PaperHub.at(5, wall: 3.2e7))
        #expect(try attempts.failures(of: PaperHub.source(1), at: PaperHub.at(6)) == 0)
    }

    @Test func whatACrashCutShortIsCompletedOnce() throws {
        var hub = PaperHub()
        let code = try hub.issue(.once, lifetime: 600)
        let before = hub.devices
        _ = try hub.ask(code, "a", at: PaperHub.at(1))
        let after = hub.devices
        hub.devices = before  // as if the second write had not come
        #expect(hub.devices.complete(hub.tickets) == [PaperHub.device("a")])
        #expect(hub.devices == after)
        // Taken out by hand: it does not come back.
        let text = String(decoding: hub.devices.serialized, as: UTF8.self)
        let head = text.prefix(upTo: try #require(text.firstRange(of: "[device")).lowerBound)
        var emptied = try ApprovedDevices(parsing: Array(head.utf8))
        #expect(emptied.complete(hub.tickets) == [] && emptied.devices.isEmpty)
    }
}
