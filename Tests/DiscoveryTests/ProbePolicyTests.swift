import Crypto
import TestSupport
import Testing

@testable import Discovery

/// What is admitted and what is dropped, by a clock that the tests hold.
@Suite struct ProbePolicyTests {
    let key = P256.Signing.PrivateKey()

    private func probe() -> Probe {
        var generator = SystemRandomNumberGenerator()
        return Probe(using: &generator)
    }

    private func address(_ text: String) throws -> NetworkAddress { try #require(NetworkAddress(text)) }

    private func reply(to probe: Probe, name: String = "Hub", isOpen: Bool = false) throws -> [UInt8] {
        try ProbeReply.bytes(to: probe, name: PeerName(name), port: 8000, isPairingOpen: isOpen, key: key)
    }

    // The hub's side.

    @Test func aSourceGetsTwoRepliesInAnySecond() throws {
        let source = try address("192.168.1.5")
        var limits = ProbeLimits()
        var admitted: [Int] = []
        for time in stride(from: 0, to: 3_000, by: 100)
        where limits.judge(probe(), from: source, at: .milliseconds(time)) == nil {
            admitted.append(time)
        }
        #expect(admitted == [0, 100, 1_000, 1_100, 2_000, 2_100])
        #expect(limits.judge(probe(), from: source, at: .milliseconds(2_999)) == .overLimit)
    }

    @Test func aNonceIsAnsweredOnceToASource() throws {
        let (one, other) = try (address("192.168.1.5"), address("fe80::5%eth0"))
        var limits = ProbeLimits()
        let first = probe()
        #expect(limits.judge(first, from: one, at: .zero) == nil)
        #expect(limits.judge(first, from: one, at: .milliseconds(1)) == .repeated)
        #expect(limits.judge(first, from: other, at: .milliseconds(1)) == nil)
        // What was not answered does not count.
        #expect(limits.judge(probe(), from: one, at: .milliseconds(2)) == nil)
        #expect(limits.judge(first, from: one, at: .seconds(1)) == nil)
    }

    @Test func allSourcesGetTwentyAndNoneIsRememberedLonger() throws {
        var limits = ProbeLimits()
        func admitted(at time: Duration) -> Int {
            (0..<10_000).count { number in
                let source = NetworkAddress(bytes: [10, 0, UInt8(number / 256), UInt8(number % 256)])
                return source.map { limits.judge(probe(), from: $0, at: time) == nil } ?? false
            }
        }
        #expect(admitted(at: .zero) == 20)
        #expect(admitted(at: .milliseconds(999)) == 0)
        #expect(admitted(at: .seconds(1)) == 20)
        #expect(Mirror(reflecting: limits).children.first.map { ($0.value as? [Any])?.count } == 20)
    }

    @Test func theSameAddressOnTwoLinksIsTwoSources() throws {
        var limits = ProbeLimits()
        for link in ["eth0", "eth1"] {
            for _ in 1...2 {
                #expect(limits.judge(probe(), from: try address("fe80::1%\(link)"), at: .zero) == nil)
            }
        }
    }

    // The device's side.

    @Test func aReplyToOurProbeIsVerified() throws {
        var screen = ReplyScreen()
        let (ours, source) = (probe(), try address("192.168.1.20"))
        screen.expect(ours)
        let bytes = try reply(to: ours)
        guard case .verified(let good) = screen.judge(bytes, length: bytes.count, from: source, at: .zero)
        else {
            Issue.record("not verified")
            return
        }
        #expect(good.pin == Pin(key.publicKey))
    }

    @Test func everyFaultHasItsName() throws {
        let (ours, source) = (probe(), try address("192.168.1.20"))
        let good = try reply(to: ours)
        var badSignature = good
        badSignature[good.count - 1] ^= 1
        var badPort = good
        (badPort[21], badPort[22]) = (0, 0)
        var badName = good
        badName[24] = 0x0A
        let oversized = good + [UInt8](repeating: 0, count: 100)
        let cases: [(bytes: [UInt8], source: NetworkAddress?, drop: ProbeDrop)] = try [
            ([], source, .wrongMagic), (Array("HPA2".utf8) + good.dropFirst(4), source, .wrongMagic),
            (ours.bytes, source, .wrongMagic), (Array(good.prefix(4)), source, .tooShort),
            (Array(good.prefix(121)), source, .tooShort), (Array(good.dropLast()), source, .tooShort),
            (good + [0], source, .tooLong), (oversized, source, .tooLong), (good, nil, .offLink),
            (reply(to: probe()), source, .wrongNonce), (badPort, source, .malformed),
            (badName, source, .malformed), (badSignature, source, .badSignature),
        ]
        for (number, entry) in cases.enumerated() {
            var screen = ReplyScreen()
            screen.expect(ours)
            let verdict = screen.judge(
                entry.bytes, length: entry.bytes.count, from: entry.source, at: .zero)
            #expect(verdict == .dropped(entry.drop), "case \(number)")
        }
        // The kernel cut it: the bytes would be good, the datagram was longer.
        var screen = ReplyScreen()
        screen.expect(ours)
        #expect(screen.judge(good, length: 60_000, from: source, at: .zero) == .dropped(.tooLong))
    }

    @Test func whatWasHereBeforeIsReplayedFromWhereverItComes() throws {
        var screen = ReplyScreen()
        let (ours, source, other) = (probe(), try address("192.168.1.20"), try address("192.168.1.66"))
        screen.expect(ours)
        let bytes = try reply(to: ours)
        _ = screen.judge(bytes, length: bytes.count, from: source, at: .zero)
        #expect(screen.judge(bytes, length: bytes.count, from: source, at: .zero) == .dropped(.replayed))
        #expect(screen.judge(bytes, length: bytes.count, from: other, at: .zero) == .dropped(.replayed))
        // After the search it is nothing at all.
        screen.begin()
        screen.expect(probe())
        #expect(screen.judge(bytes, length: bytes.count, from: source, at: .zero) == .dropped(.wrongNonce))
    }

    @Test func whatIsKnownIsNotVerifiedAgainButNewsAre() throws {
        var screen = ReplyScreen()
        let (one, two, source) = (probe(), probe(), try address("192.168.1.20"))
        for probe in [one, two] { screen.expect(probe) }
        func judge(_ bytes: [UInt8], from source: NetworkAddress) -> ReplyScreen.Verdict {
            screen.judge(bytes, length: bytes.count, from: source, at: .zero)
        }
        func isVerified(_ verdict: ReplyScreen.Verdict) -> Bool {
            if case .verified = verdict { true } else { false }
        }
        #expect(isVerified(judge(try reply(to: one), from: source)))
        #expect(judge(try reply(to: two), from: source) == .dropped(.repeated))
        #expect(isVerified(judge(try reply(to: two), from: try address("192.168.1.21"))))
        #expect(isVerified(judge(try reply(to: two, isOpen: true), from: source)))
    }

    @Test func aFloodCostsFewVerifications() throws {
        var screen = ReplyScreen()
        let ours = probe()
        screen.expect(ours)
        let good = try reply(to: ours)
        var junk = good
        junk[junk.count - 1] ^= 1
        let evil = try address("192.168.1.66")
        var verdicts: [ReplyScreen.Verdict: Int] = [:]
        for _ in 0..<1_000 {
            verdicts[screen.judge(junk, length: junk.count, from: evil, at: .zero), default: 0] += 1
        }
        #expect(verdicts == [.dropped(.badSignature): 8, .dropped(.overLimit): 992])
        // The hub is heard beside it, and the flood again as the seconds pass.
        #expect(
            screen.judge(good, length: good.count, from: try address("192.168.1.20"), at: .zero)
                == .verified(try ProbeReply(verifying: good)))
        verdicts = [:]
        for _ in 0..<1_000 {
            verdicts[screen.judge(junk, length: junk.count, from: evil, at: .seconds(1)), default: 0] += 1
        }
        #expect(verdicts[.dropped(.badSignature)] == 8)
    }

    @Test func aFloodFromForgedSourcesIsBounded() throws {
        var screen = ReplyScreen()
        let ours = probe()
        screen.expect(ours)
        var junk = try reply(to: ours)
        junk[30] ^= 1
        junk[60] = 4  // whatever the name was: cheap to refuse, and it counts all the same
        var looked = 0
        for number in 0..<5_000 {
            let source = try #require(
                NetworkAddress(bytes: [10, 0, UInt8(number / 256), UInt8(number % 256)]))
            if screen.judge(junk, length: junk.count, from: source, at: .zero) != .dropped(.overLimit) {
                looked += 1
            }
        }
        // All of IPv4's share, and what is for all: not the share of IPv6.
        #expect(looked == 768)
        let other = try address("fe80::1%eth0")
        let good = try reply(to: ours)
        #expect(
            screen.judge(good, length: good.count, from: other, at: .zero)
                == .verified(try ProbeReply(verifying: good)))
    }

    /// A host that signs with a key of its own, from ever new addresses, uses nothing up for good.
    @Test func manyVerifiedRepliesShutNobodyOut() throws {
        var screen = ReplyScreen()
        let ours = probe()
        screen.expect(ours)
        let count = 4_500
        for number in 0..<count {
            let source = try #require(
                NetworkAddress(bytes: [10, 0, UInt8(number / 256), UInt8(number % 256)]))
            let bytes = try reply(to: ours)
            let verdict = screen.judge(
                bytes, length: bytes.count, from: source, at: .milliseconds(3) * number)
            guard case .verified = verdict else {
                Issue.record("reply \(number): \(verdict)")
                return
            }
        }
        let good = try reply(to: ours)
        let hub = try address("192.168.1.20")
        let now = Duration.milliseconds(3) * count
        #expect(
            screen.judge(good, length: good.count, from: hub, at: now)
                == .verified(try ProbeReply(verifying: good)))
        #expect(screen.judge(good, length: good.count, from: hub, at: now) == .dropped(.replayed))
    }

    /// Junk from every other address of a /24, and from random addresses of IPv6, as fast as it comes: a hub
    /// is heard in each burst, whenever it answers, and the work stays within its bound.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func aFloodFromAWholeNetworkHidesNoHub(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        var screen = ReplyScreen()
        let hub = try address("192.168.1.20")
        var (looked, now) = (0, Duration.zero)
        let (bursts, perBurst, step) = (4, 12_000, Duration.microseconds(416))
        for burst in 0..<bursts {
            screen.begin()
            let ours = probe()
            screen.expect(ours)
            let good = try reply(to: ours)
            var junk = good
            junk[junk.count - 1] ^= 1
            junk[27] = 4  // no compressed key begins so: cheap to refuse, and it counts all the same
            let moment = Int.random(in: 0..<perBurst, using: &generator)
            for number in 0..<perBurst {
                now += step
                if number == moment {
                    let verdict = screen.judge(good, length: good.count, from: hub, at: now)
                    #expect(
                        verdict == .verified(try ProbeReply(verifying: good)),
                        "burst \(burst), datagram \(number)")
                }
                let last = UInt8.random(in: 1...253, using: &generator)
                let bytes: [UInt8] =
                    Bool.random(using: &generator)
                    ? [192, 168, 1, last < 20 ? last : last + 1]
                    : [0xFD] + (1...15).map { _ in .random(in: 0...255, using: &generator) }
                let source = try #require(NetworkAddress(bytes: bytes))
                if screen.judge(junk, length: junk.count, from: source, at: now) == .dropped(.malformed) {
                    looked += 1
                }
            }
        }
        let seconds = Int(now.components.seconds) + 1
        #expect((1_000...1_024 + 512 * seconds).contains(looked), "\(looked) in \(seconds) s")
    }

    @Test func rateLimits() {
        var limit = RateLimit(perSecond: 10, burst: 3)
        func admitted(at milliseconds: Int) -> Int {
            (0..<100).count { _ in limit.admit(at: .milliseconds(milliseconds)) }
        }
        #expect(admitted(at: 0) == 3)
        #expect(admitted(at: 99) == 0)
        #expect(admitted(at: 100) == 1)
        #expect(!limit.isIdle(at: .milliseconds(399)))
        #expect(limit.isIdle(at: .milliseconds(400)))
        #expect(admitted(at: 100_000) == 3)
    }
}
