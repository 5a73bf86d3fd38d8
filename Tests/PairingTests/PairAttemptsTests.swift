import FoundationEssentials
import Pairing
import Testing

/// The device's file of attempts.
@Suite struct PairAttemptsTests {
    private let now = Date(timeIntervalSince1970: 1_795_000_000)

    private func attempt(at time: Date, name: String = "Anna's tablet") throws -> PairAttempts.Attempt {
        PairAttempts.Attempt(
            ticket: TicketSecret.random().ticketID, name: try PeerName(name), nonce: .random(), begun: time)
    }

    @Test func whatIsWrittenIsRead() throws {
        var attempts = PairAttempts()
        let one = try attempt(at: now)
        let two = try attempt(at: now, name: "ü\\ \u{1F600}")
        attempts.begin(one)
        attempts.begin(two)
        let read = try PairAttempts(parsing: attempts.serialized)
        #expect(read.attempts == [one, two])
        #expect(read[one.ticket] == one)
        var rest = read
        rest.end(one.ticket)
        #expect(try PairAttempts(parsing: rest.serialized).attempts == [two])
    }

    @Test func anotherAttemptWithTheSameCodeTakesItsPlace() throws {
        var attempts = PairAttempts()
        let one = try attempt(at: now)
        let again = PairAttempts.Attempt(
            ticket: one.ticket, name: try PeerName("Shed"), nonce: .random(), begun: now)
        attempts.begin(one)
        attempts.begin(again)
        #expect(try PairAttempts(parsing: attempts.serialized).attempts == [again])
    }

    @Test func oldOnesGo() throws {
        var attempts = PairAttempts()
        attempts.begin(try attempt(at: now))
        // A clock that was set back must not keep them for ever.
        attempts.begin(try attempt(at: now.addingTimeInterval(3 * 86_400)))
        #expect(attempts.attempts.count == 1)
        attempts.begin(try attempt(at: now))
        #expect(attempts.attempts.count == 1)
        for _ in 0..<100 { attempts.begin(try attempt(at: now)) }
        #expect(attempts.attempts.count == 64)
    }

    @Test(arguments: [
        ("[device K7QF-2M9D-X0TW-8RHC]\nname=a\n", "another kind of group"),
        (
            "[attempt 7M2KQ0V3XG5T]\nname=a\nnonce=AAAAAAAAAAAAAAAAAAAAAA==\nbegun=2026-11-21T10:22:03Z\n",
            "ticket"
        ),
        ("[attempt 0000000000000]\nname=a\nnonce=AAAA\nbegun=2026-11-21T10:22:03Z\n", "nonce"),
        ("[attempt 0000000000000]\nnonce=AAAAAAAAAAAAAAAAAAAAAA==\nbegun=2026-11-21T10:22:03Z\n", "no name"),
        ("[attempt 0000000000000]\nname=a\nnonce=AAAAAAAAAAAAAAAAAAAAAA==\n", "no time"),
        (
            "[attempt 0000000000000]\nname= \nnonce=AAAAAAAAAAAAAAAAAAAAAA==\nbegun=2026-11-21T10:22:03Z\n",
            "name"
        ),
    ])
    func faultsAreRefused(text: String, fault: String) {
        #expect(throws: KeyFileError.self) {
            try PairAttempts(parsing: Array(("[keyfile]\nformat=1\n" + text).utf8))
        }
    }
}
