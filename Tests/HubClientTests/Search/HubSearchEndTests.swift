import Discovery
import Pairing
import Testing

@testable import HubClient

// What goes away, and when the search is over.
extension HubSearchTests {
    private func reply(from address: String, _ byte: UInt8, at time: Duration) throws -> HubSearch.Step {
        .proof(
            HubProof(
                address: try #require(NetworkAddress(address)), port: 8000, pin: try pin(byte), name: "Hub",
                id: try pin(byte).fingerprint, source: .udp, isHandshake: false, time: time))
    }

    @Test func aHubThatSaysGoodbyeAndIsGoneDisappears() throws {
        var survey = try survey()
        let hub = try service("Hub", at: "10.0.0.5", id: 1)
        _ = survey.take(.sighting(.resolved(hub)), at: .milliseconds(10))
        _ = survey.take(try reply(from: "10.0.0.5", 1, at: .milliseconds(11)), at: .milliseconds(11))
        _ = survey.take(.tick, at: .milliseconds(30))
        #expect(names(survey.take(.tick, at: .milliseconds(200))) == ["added Hub claimed"])
        // One that is only silent may come back.
        let key = try #require(survey.table.first).hub.key
        _ = survey.take(.answered(key, false), at: .seconds(3))
        _ = survey.take(.tick, at: .milliseconds(3_010))
        #expect(survey.table.map(\.answers) == [false])
        _ = survey.take(.sighting(.gone(hub.instance)), at: .seconds(4))
        _ = survey.take(.tick, at: .milliseconds(4_010))
        let proven = try #require(survey.table.first).hub
        #expect(proven.sources == [.udp])
        _ = survey.take(.answered(proven.key, true), at: .seconds(5))
        #expect(survey.table.count == 1)  // its daemon is gone, and it is not
        var events = survey.take(.answered(proven.key, false), at: .seconds(6))
        events += survey.take(.tick, at: .milliseconds(6_010))
        #expect(names(events).contains("removed Hub"))
        #expect(survey.table.isEmpty)
    }

    @Test func aHubThatMovesLeavesItsAddress() throws {
        var survey = try survey()
        let hub = try service("Hub", at: "10.0.0.5", id: 1)
        _ = survey.take(.sighting(.resolved(hub)), at: .milliseconds(10))
        _ = survey.take(try reply(from: "10.0.0.5", 1, at: .milliseconds(11)), at: .milliseconds(11))
        let old = try #require(NetworkAddress("10.0.0.5"))
        let new = try #require(NetworkAddress("10.0.0.6"))
        let interface = hub.instance.interface
        for sighting in [
            Sighting.address(old, host: hub.host, interface: interface),
            .address(new, host: hub.host, interface: interface),
            .resolved(try service("Hub", at: "10.0.0.6", id: 1)),
            .addressGone(old, host: hub.host, interface: interface),
        ] {
            _ = survey.take(.sighting(sighting), at: .seconds(2))
        }
        _ = survey.take(.tick, at: .milliseconds(2_010))
        #expect(survey.table.map(\.hub.addresses) == [[new]])
    }

    @Test func aDaemonThatIsBusyIsWaitedFor() throws {
        var survey = HubSearch(known: [], networks: Self.networks, isBrowsing: true)
        #expect(!survey.isOver(at: .seconds(9)))
        _ = survey.take(.sighting(.began), at: .milliseconds(3_000))
        _ = survey.take(.sighting(.resolved(try service("Hub", at: "10.0.0.5"))), at: .milliseconds(3_020))
        _ = survey.take(.tick, at: .milliseconds(3_040))
        #expect(!survey.isOver(at: .milliseconds(3_340)))
        #expect(survey.isOver(at: .milliseconds(3_360)))
        #expect(names(survey.finish(at: .milliseconds(3_360))) == ["added Hub claimed"])
    }

    @Test func aDaemonThatDoesNotAnswerIsNamed() throws {
        var survey = HubSearch(known: [], networks: Self.networks, isBrowsing: true)
        #expect(survey.isOver(at: .seconds(10)))
        let words = names(survey.finish(at: .seconds(10)))
        #expect(words == ["avahi-daemon does not answer; hubs may be missing"])
    }

    @Test func nothingIsThereOnlyOnceTheDaemonHasSaidSo() throws {
        var survey = try survey()
        #expect(!survey.isOver(at: .milliseconds(2_000)))
        _ = survey.take(.sighting(.settled), at: .milliseconds(2_100))
        #expect(survey.isOver(at: .milliseconds(2_101)))
    }

    // A responder that has just answered another host answers the repetition of the question.
    @Test func withoutADaemonTheRepetitionIsWaitedFor() throws {
        var survey = try survey()
        #expect(names(survey.take(.embedded("words"), at: .milliseconds(1))) == ["words"])
        _ = survey.take(.sighting(.resolved(try service("Hub", at: "10.0.0.5"))), at: .milliseconds(100))
        #expect(!survey.isOver(at: .milliseconds(900)))
        _ = survey.take(.sighting(.settled), at: .milliseconds(1_000))
        #expect(!survey.isOver(at: .milliseconds(1_400)))
        #expect(survey.isOver(at: .milliseconds(1_401)))
    }
}
