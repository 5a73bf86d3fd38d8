import FoundationEssentials
import Testing

@testable import Pairing

/// Pairing from outside: off, unless a code was made for it, and then whatever strangers do.
@Suite struct AwayPairingTests {
    private var hub = PaperHub()

    private mutating func issue(isForAway: Bool) throws -> TicketSecret {
        let secret = TicketSecret.random()
        let code = try PairingCode(
            kind: .once, expires: PaperHub.at(600).wall, secret: secret, hub: hub.pin)
        let ticket = Ticket(
            of: code, issued: PaperHub.at(0), output: nil, place: nil, role: nil, stay: .unsaid,
            isForAway: isForAway)
        hub.tickets.issue(ticket, at: PaperHub.at(0))
        hub.tickets = try Tickets(parsing: hub.tickets.serialized)
        return secret
    }

    private func verdict(
        _ secret: TicketSecret, isRelayed: Bool, wrong: Bool = false, from source: SourcePrefix
    ) throws -> PairVerdict {
        let device = PaperHub.device("Tablet")
        let attempt = PairAttempt(
            secret: secret, name: try PeerName("Tablet"), nonce: try PaperHub.nonce(1), device: device)
        return PairPolicy(
            hub: hub.pin, tickets: hub.tickets, devices: hub.devices, attempts: hub.attempts
        ).judge(
            attempt.request(to: wrong ? device : hub.pin), from: device, source: source,
            isRelayed: isRelayed, hubNonce: .random(), now: PaperHub.at(1))
    }

    private func isUsed(_ verdict: PairVerdict) -> Bool {
        if case .use(_, .approved) = verdict { true } else { false }
    }

    @Test mutating func aCodeForHomeIsNoneByARelay() throws {
        let secret = try issue(isForAway: false)
        let source = try PaperHub.source(1)
        #expect(isUsed(try verdict(secret, isRelayed: false, from: source)))
        #expect(try verdict(secret, isRelayed: true, from: source) == .refused(.home, counts: .nothing))
        // Who does not have it learns nothing of it, and cannot use its tries up.
        let guess = try verdict(secret, isRelayed: true, wrong: true, from: source)
        #expect(guess == .refused(.unknown, counts: .source))
    }

    @Test mutating func aCodeForAwayIsGoodWhateverStrangersHaveFailed() throws {
        let (away, home) = (try issue(isForAway: true), try issue(isForAway: false))
        let source = try PaperHub.source(1)
        for _ in 0..<FailedAttempts.sourceLimit {
            hub.attempts.record(source, ticket: nil, at: PaperHub.at(0))
        }
        #expect(isUsed(try verdict(away, isRelayed: true, from: source)))
        #expect(isUsed(try verdict(away, isRelayed: false, from: source)))
        #expect(
            try verdict(away, isRelayed: false, wrong: true, from: source)
                == .refused(.source, counts: .nothing))
        #expect(try verdict(home, isRelayed: false, from: source) == .refused(.source, counts: .nothing))
    }

    @Test(arguments: ["192.0.2.7", "fd77::1", "fe80::1%eth0"])
    func aRelaysWordIsNoNeighbour(text: String) throws {
        let address = try #require(NetworkAddress(text))
        let relayed = SourcePrefix(relayed: address)
        #expect(relayed != SourcePrefix(address))
        #expect(SourcePrefix(relayed.description) == relayed)
    }
}
