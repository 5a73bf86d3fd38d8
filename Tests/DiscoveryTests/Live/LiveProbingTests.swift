import Crypto
import Glibc
import Synchronization
import Testing

@testable import Discovery

extension LiveBrowsing {
    /// Prober and responder over the lab's networks, IPv4 and IPv6.
    @Suite struct Probing {
        let key = P256.Signing.PrivateKey()

        private func hub(_ name: String = "Kitchen hub") throws -> ProbeResponder {
            _ = try Lab.directory()
            return try ProbeResponder(name: PeerName(name), port: 8443, key: key)
        }

        @Test func everyAddressOfAHubAnswers() async throws {
            try await running(hub()) { _ in
                let prober = HubProber()
                // lan0, lan1 and lo, each over both families.
                let replies = try await collect(prober) { $0.count >= 6 }
                #expect(Set(replies.map(\.reply.pin)) == [Pin(key.publicKey)])
                #expect(Set(replies.map(\.reply.name.description)) == ["Kitchen hub"])
                #expect(Set(replies.map(\.reply.port)) == [8443])
                #expect(!replies.contains { $0.reply.isPairingOpen })
                let addresses = Set(replies.map(\.address.description))
                #expect(addresses.isSuperset(of: ["127.0.0.1", "::1", "192.168.77.1", "192.168.78.1"]))
                let linkLocal = replies.filter(\.address.isLinkLocal).compactMap(\.address.scope)
                #expect(Set(linkLocal) == ["lan0", "lan1"])
                #expect(prober.counts.refused.isEmpty)
                #expect(prober.counts.accepted >= 6)
            }
        }

        @Test func aHubOnAnotherHostAnswersOverBothFamilies() async throws {
            let other = try SecondHost()
            let responder = try other.within { try hub() }
            try await running(responder) { _ in
                let start = ContinuousClock.now
                let replies = try await collect(HubProber()) { $0.count >= 2 }
                let took = ContinuousClock.now - start
                #expect(Set(replies.map(\.interface.name)) == ["lan2"])
                let four = try #require(replies.first { $0.address.family == .ipv4 })
                let six = try #require(replies.first { $0.address.family == .ipv6 })
                #expect(four.address.description == "192.168.79.2")
                #expect(six.address.isLinkLocal)
                #expect(six.address.scope == "lan2")
                #expect(four.elapsed > .zero && four.elapsed <= took)
            }
        }

        @Test func theFlagFollowsThePairing() async throws {
            try await running(hub()) { responder in
                await responder.setPairingOpen(true)
                let open = try await collect(HubProber()) { !$0.isEmpty }
                #expect(open.allSatisfy { $0.reply.isPairingOpen })
                await responder.setPairingOpen(false)
                // Not earlier than the limit on replies permits.
                let closed = try await collect(HubProber()) { !$0.isEmpty }
                #expect(!closed.contains { $0.reply.isPairingOpen })
            }
        }

        @Test func aNoticeMakesAWatcherAskAgain() async throws {
            var prober = HubProber(hearsNotices: true)
            #expect(prober.noticeInterval == .seconds(5))
            prober.noticeInterval = .milliseconds(900)
            let waiting = Task { [prober] in try await collect(prober) { !$0.isEmpty } }
            // The burst is over before the hub is there: only its notice can bring it.
            while prober.counts.sent < 3 * UDPLinks.current().targets(port: 8_000).count {
                try await Task.sleep(for: .milliseconds(20))
            }
            let replies = try await running(hub("Late hub")) { _ in try await waiting.value }
            #expect(Set(replies.map(\.reply.name.description)) == ["Late hub"])
            #expect(try #require(replies.first).elapsed >= prober.noticeInterval)
        }

        @Test func aChangeOfTheNetworkIsNoticed() async throws {
            let events = Events()
            try await running(hub(), report: { events.add($0) }) { _ in
                let other = try SecondHost()
                defer { withExtendedLifetime(other) {} }
                try await events.wait { $0.contains(.noticed(.networkChanged)) }
            }
            #expect(events.all.first == .listening(port: 8000, [.ipv4, .ipv6]))
            #expect(events.all.dropFirst().first == .noticed(.started))
        }

        @Test func aBusyPortIsAnErrorAndAListenerIsNone() async throws {
            try await running(hub()) { _ in
                let second = Task { try await hub("Second").run() }
                let limit = Task {
                    try await Task.sleep(for: .seconds(200))
                    second.cancel()
                }
                await #expect(throws: DiscoveryError.portInUse(8000)) { try await second.value }
                limit.cancel()
                // A watcher on the same machine shares the port, before the hub and after it.
                let replies = try await collect(HubProber(hearsNotices: true)) { !$0.isEmpty }
                #expect(!replies.isEmpty)
            }
            let prober = HubProber(hearsNotices: true)
            let watching = Task { try await collect(prober) { !$0.isEmpty } }
            while prober.counts.sent == 0 { try await Task.sleep(for: .milliseconds(5)) }
            _ = try await running(hub()) { _ in try await watching.value }
        }

        /// Waits until the hub has looked at so many datagrams, 200 seconds at most: a reply may come before
        /// the last of them.
        private func wait(for responder: ProbeResponder, toSee count: Int) async throws {
            for _ in 0..<20_000 {
                let counts = responder.counts
                if counts.accepted + counts.dropped.values.reduce(0, +) >= count { return }
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        @Test func junkIsDroppedAndCounted() async throws {
            try await running(hub()) { responder in
                let stranger = try Stranger()
                let probe = try #require(DatagramVectors.all.accepted.first { $0.name == "probe" }).bytes
                try stranger.send([0x58], to: 8000)
                try stranger.send(Array(probe.dropLast()), to: 8000)
                try stranger.send(probe + [0], to: 8000)
                try stranger.send(Array(probe.dropLast()) + [1], to: 8000)
                try stranger.send([UInt8](repeating: 0x48, count: 9_000), to: 8000)
                for _ in 1...3 { try stranger.send(probe, to: 8000) }
                let reply = try #require(stranger.receive())
                #expect(try ProbeReply(verifying: reply).pin == Pin(key.publicKey))
                try await wait(for: responder, toSee: 8)
                #expect(responder.counts.accepted == 1)
                #expect(
                    responder.counts.dropped == [
                        .wrongMagic: 2, .tooShort: 1, .tooLong: 1, .malformed: 1, .repeated: 2,
                    ])
                // Five more nonces at once: the second reply of this second, and no other.
                for number in 1...5 {
                    try stranger.send(
                        Array(probe.prefix(19)) + [UInt8(number)] + probe.dropFirst(20), to: 8000)
                }
                _ = try #require(stranger.receive())
                try await wait(for: responder, toSee: 13)
                #expect(responder.counts.accepted == 2)
                #expect(responder.counts.dropped[.overLimit] == 4)
            }
        }

        @Test func aLyingHubIsDroppedAndCounted() async throws {
            // A stranger in the hub's place: it hears the probe on the hub's port and answers with what it
            // likes.
            let liar = try Stranger(port: 8000)
            let prober = HubProber()
            let searching = Task { try await collect(prober) { !$0.isEmpty } }
            let heard = try #require(liar.receive())
            let probe = try Probe(parsing: heard)
            func reply(to probe: Probe) throws -> [UInt8] {
                try ProbeReply.bytes(
                    to: probe, name: PeerName("Hub"), port: 1, isPairingOpen: false, key: key)
            }
            var generator = SystemRandomNumberGenerator()
            let good = try reply(to: probe)
            var forged = good
            forged[good.count - 1] ^= 1
            for bytes in try [
                Array("HTTP/1.1 200 OK".utf8), Array(good.dropLast()), good + [0],
                reply(to: Probe(using: &generator)), forged,
            ] {
                try liar.answer(bytes)
            }
            try liar.answer(good)
            try liar.answer(good)
            let replies = try await searching.value
            #expect(replies.count == 1)
            #expect(replies.first?.address.description == "127.0.0.1")
            for reason in [ProbeDrop.wrongMagic, .tooShort, .tooLong, .wrongNonce, .badSignature] {
                #expect(prober.counts.dropped[reason] == 1, "\(reason)")
            }
        }

        /// 200 hubs answer one probe at the same moment: none is lost.
        @Test func twoHundredRepliesAtOnceAreAllHeard() async throws {
            let crowd = try Stranger(port: 8000)
            let prober = HubProber()
            let keys = (0..<200).map { _ in P256.Signing.PrivateKey() }
            let searching = Task { try await collect(prober) { Set($0.map(\.reply.pin)).count >= 200 } }
            let probe = try Probe(parsing: #require(crowd.receive()))
            let replies = try keys.enumerated().map { number, key in
                try ProbeReply.bytes(
                    to: probe, name: PeerName("Hub \(number)"), port: 8000, isPairingOpen: false, key: key)
            }
            for (number, reply) in replies.enumerated() {
                try crowd.answer(reply, from: [127, 0, UInt8(1 + number / 200), UInt8(1 + number % 200)])
            }
            let pins = Set(try await searching.value.map(\.reply.pin))
            #expect(pins == Set(keys.map { Pin($0.publicKey) }))
        }
    }
}

/// All replies until `done` says that it is enough, or for 200 seconds.
func collect(
    _ prober: HubProber, until done: @escaping @Sendable ([VerifiedReply]) -> Bool
) async throws -> [VerifiedReply] {
    let search = Task {
        var seen: [VerifiedReply] = []
        for try await reply in prober.replies {
            seen.append(reply)
            if done(seen) { break }
        }
        return seen
    }
    let limit = Task {
        try await Task.sleep(for: .seconds(200))
        search.cancel()
    }
    defer { limit.cancel() }
    return try await search.value
}

/// Runs `body` while a hub answers, and waits for the hub's end.
func running<Result>(
    _ responder: ProbeResponder, report: @escaping @Sendable (ProbeResponder.Event) -> Void = { _ in },
    _ body: (ProbeResponder) async throws -> Result
) async throws -> Result {
    let events = Events()
    let task = Task {
        try await responder.run { event in
            events.add(event)
            report(event)
        }
    }
    do {
        try await events.wait { $0.contains(.noticed(.started)) }
        let result = try await body(responder)
        task.cancel()
        try await task.value
        return result
    } catch {
        task.cancel()
        _ = await task.result
        throw error
    }
}

/// What a responder or publisher reported.
final class EventLog<Event: Sendable>: Sendable {
    private let events = Mutex<[Event]>([])

    var all: [Event] { events.withLock { $0 } }

    func add(_ event: Event) { events.withLock { $0.append(event) } }

    /// Waits until the events are enough, 200 seconds at most.
    func wait(until done: ([Event]) -> Bool) async throws {
        for _ in 0..<20_000 where !done(all) { try await Task.sleep(for: .milliseconds(10)) }
        guard done(all) else { throw Lab.Failure(description: "only these events came: \(all)") }
    }
}

typealias Events = EventLog<ProbeResponder.Event>
