import FoundationEssentials
import Pairing
import Testing

@testable import HubService

@Suite struct OpenCodesTests {
    private static let boot = "6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f"
    private static let otherBoot = "00000000-3c5b-4f0e-9d0e-2b1f3c4d5e6f"

    /// `seconds` after the code was made by both clocks; `wall` is what the wall clock is off by.
    private static func at(_ seconds: Double, wall: Double = 0, boot: String = boot) -> Moment {
        Moment(
            wall: Date(timeIntervalSince1970: 1_795_256_523 + seconds + wall),
            boot: BootTime(id: boot, milliseconds: Int64((1_000 + seconds) * 1000)))
    }

    private let tickets: Tickets
    private let code: PairingCode

    init() throws {
        code = try PairingCode(
            kind: .once, expires: Self.at(600).wall, secret: .random(),
            hub: Pin(subjectPublicKeyInfo: Data("hub".utf8)), addressHint: nil)
        var tickets = Tickets()
        tickets.issue(Ticket(of: code, issued: Self.at(0)), at: Self.at(0))
        self.tickets = tickets
    }

    private func look(
        _ now: Moment, failures: Int = 0, latest: Date? = nil
    ) throws -> OpenCodes {
        var attempts = FailedAttempts()
        let source = try #require(NetworkAddress("192.0.2.7").map { SourcePrefix($0) })
        for _ in 0..<failures { attempts.record(source, ticket: code.secret.ticketID, at: Self.at(0)) }
        return OpenCodes(tickets, attempts: attempts, latest: latest, at: now)
    }

    @Test(arguments: [0, 1e9, -1e9])
    func theBootClockDecides(wall: Double) throws {
        let early = try look(Self.at(1, wall: wall))
        #expect(early.isOpen && early.nextLook == OpenCodes.longest)
        let late = try look(Self.at(599, wall: wall))
        #expect(late.isOpen && late.nextLook == 1.01)
        let over = try look(Self.at(600, wall: wall))
        #expect(!over.isOpen && over.nextLook == nil)
    }

    @Test func aVoidCodeOpensNothing() throws {
        #expect(try look(Self.at(1), failures: 4).isOpen)
        let void = try look(Self.at(1), failures: 5)
        #expect(!void.isOpen && void.nextLook == nil)
    }

    @Test func afterARestartTheWallClockDecides() throws {
        #expect(try look(Self.at(599, boot: Self.otherBoot)).isOpen)
        #expect(try !look(Self.at(600, boot: Self.otherBoot)).isOpen)
        // Behind: closed, and looked at again, as the clock may be set right.
        let behind = try look(Self.at(-1, boot: Self.otherBoot))
        #expect(!behind.isOpen && behind.nextLook == OpenCodes.longest)
        #expect(try !look(Self.at(300, boot: Self.otherBoot), latest: Self.at(400).wall).isOpen)
    }

    @Test func whatThisHubSays() async throws {
        let hub = try PairingHub()
        let none = OpenCodes.look(Tickets(), in: hub.state, at: .now)
        #expect(!none.isOpen && none.nextLook == nil)
        _ = try hub.code(.label)
        _ = try hub.code()
        let directory = try ProtectedDirectory(path: hub.path)
        let tickets = try #require(try HubState.tickets(in: directory))
        #expect(OpenCodes.look(tickets, in: hub.state, at: .now).isOpen)
        try directory.replace(FailedAttempts.fileName, with: Array("junk".utf8))
        #expect(!OpenCodes.look(tickets, in: hub.state, at: .now).isOpen)
    }
}
