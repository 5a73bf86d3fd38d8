import Crypto
import FoundationEssentials
import Pairing
import Testing

@testable import HubService

/// Challenges and sessions of browsers, with the time as a parameter.
@Suite struct SessionTableTests {
    private let hour: UInt64 = 3_600_000

    private func device(_ name: String, approved: Double = 1_000) throws -> ApprovedDevice {
        ApprovedDevice(
            name: try PeerName(name), pin: Pin(subjectPublicKeyInfo: Data(name.utf8)), status: .approved,
            approved: Date(timeIntervalSince1970: approved))
    }

    @Test func aChallengeIsForOneDeviceAndAMinute() throws {
        let challenges = SessionChallenges()
        let (anna, ben) = (try device("Anna").pin, try device("Ben").pin)
        let challenge = challenges.make(for: anna, now: hour)
        #expect(challenge.count == SessionRequest.challengeByteCount)
        #expect(challenge != challenges.make(for: anna, now: hour))
        #expect(challenges.isFresh(challenge, for: anna, now: hour))
        #expect(challenges.isFresh(challenge, for: anna, now: hour + 59_999))
        #expect(!challenges.isFresh(challenge, for: anna, now: hour + 60_000))
        #expect(!challenges.isFresh(challenge, for: anna, now: hour - 1))
        #expect(!challenges.isFresh(challenge, for: ben, now: hour))
        #expect(!SessionChallenges().isFresh(challenge, for: anna, now: hour), "of another start")
        for index in challenge.indices {
            var changed = challenge
            changed[index] ^= 1
            #expect(!challenges.isFresh(changed, for: anna, now: hour))
        }
        #expect(!challenges.isFresh([], for: anna, now: hour))
        #expect(!challenges.isFresh(challenge + [0], for: anna, now: hour))
    }

    @Test func aChallengeWorksOnce() throws {
        var table = SessionTable()
        let (anna, ben) = (try device("Anna").pin, try device("Ben").pin)
        func spend(_ challenge: [UInt8], of pin: Pin, now: UInt64) -> Bool {
            table.spend(challenge, of: pin, now: now)
        }
        #expect(spend([1], of: anna, now: 0))
        #expect(!spend([1], of: anna, now: 59_999))
        #expect(spend([2], of: anna, now: 0))
        for number in 2..<UInt8(SessionTable.maximumSpent) { #expect(spend([3, number], of: anna, now: 0)) }
        #expect(!spend([4], of: anna, now: 0), "what is kept has an end")
        #expect(spend([4], of: ben, now: 0), "and is nobody else's")
        #expect(spend([4], of: anna, now: 60_000))
    }

    @Test func aSessionHasAnEnd() throws {
        var table = SessionTable()
        let anna = try device("Anna")
        table.begin([1], of: anna, now: 0, lifetime: 600)
        #expect(table.device(of: [1], now: 599)?.pin == anna.pin)
        #expect(table.device(of: [1], now: 600) == nil)
        #expect(table.device(of: [2], now: 0) == nil)
        #expect(table.isLive(anna, now: 599))
        #expect(!table.isLive(anna, now: 600))
        table.keep(now: 600) { _ in true }
        #expect(table.count == 0)
    }

    @Test func theOldestOfADeviceGoes() throws {
        var table = SessionTable()
        let (anna, ben) = (try device("Anna"), try device("Ben"))
        table.begin([99], of: ben, now: 0, lifetime: 600)
        for number in 0..<UInt8(SessionTable.maximumPerDevice + 1) {
            table.begin([number], of: anna, now: UInt64(number), lifetime: 600)
        }
        #expect(table.device(of: [0], now: 10) == nil)
        #expect(table.device(of: [1], now: 10)?.pin == anna.pin)
        #expect(table.device(of: [99], now: 10)?.pin == ben.pin)
        #expect(table.count == SessionTable.maximumPerDevice + 1)
    }

    /// The keyfile has whole seconds: what is read of it again is the same approval.
    @Test func aSessionOutlivesAReadingOfTheKeyfile() throws {
        var table = SessionTable()
        let (now, read) = (try device("Anna", approved: 1_000.6), try device("Anna"))
        table.begin([1], of: now, now: 0, lifetime: 600)
        #expect(table.device(of: [1], now: 0)?.approved == read.approvedSecond && table.isLive(read, now: 0))
        table.begin([2], of: read, now: 0, lifetime: 600)
        #expect(table.count == 2)
    }

    @Test func aSessionDiesWithItsApproval() throws {
        var table = SessionTable()
        let (before, after) = (try device("Anna"), try device("Anna", approved: 2_000))
        table.begin([1], of: before, now: 0, lifetime: 600)
        #expect(table.device(of: [1], now: 0)?.approved == before.approvedSecond)
        #expect(!table.isLive(after, now: 0))
        table.begin([2], of: after, now: 0, lifetime: 600)
        #expect(table.device(of: [1], now: 0) == nil)
        table.end(after.pin)
        #expect(table.device(of: [2], now: 0) == nil)
        table.begin([3], of: after, now: 0, lifetime: 600)
        table.keep(now: 0) { _ in false }
        #expect(table.device(of: [3], now: 0) == nil && table.count == 0)
    }
}
