import FoundationEssentials
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// The owner of a hub's files looks at its page.
@Suite struct VisitHubTests {
    @Test func aVisitLeavesNothingButTheJournal() async throws {
        try await HubInTest.run(hasUpstream: false) { hub in
            let administer = AdministerDevices(state: hub.state)
            let before = try administer.list()
            let visit = try VisitHub(state: hub.state)
            let other = try VisitHub(state: hub.state)
            let entered = try administer.list().filter { device in !before.contains(device) }
            #expect(Set(entered.map(\.pin)) == [visit.identity.pin, other.identity.pin])
            for device in entered {
                #expect(device.verdict(at: .now) == .approved && device.knownRole == .owner)
                // It ends by itself, too.
                let left = try #require(device.expires).timeIntervalSinceNow
                #expect(left > VisitHub.longest - 60 && left <= VisitHub.longest)
            }
            try visit.end()
            #expect(try administer.list().map(\.pin) == before.map(\.pin) + [other.identity.pin])
            try other.end()
            try other.end()
            #expect(try administer.list() == before)
            let (entries, _) = try ReadJournal(state: hub.state).run(limit: 10)
            let events = entries.map(\.fact.event)
            #expect(events.suffix(4) == [.approved, .approved, .revoked, .revoked])
        }
    }

    @Test func whoeverWasRevokedMeanwhileIsNotRevokedTwice() async throws {
        try await HubInTest.run(hasUpstream: false) { hub in
            let administer = AdministerDevices(state: hub.state)
            let visit = try VisitHub(state: hub.state)
            _ = try administer.revoke(PeerSelector("\(visit.identity.pin.fingerprint)"))
            try visit.end()
            #expect(try !administer.list().contains { $0.pin == visit.identity.pin })
            let (entries, _) = try ReadJournal(state: hub.state).run(limit: 10)
            let events = entries.map(\.fact.event)
            #expect(events.filter { $0 == .revoked }.count == 1)
        }
    }
}
