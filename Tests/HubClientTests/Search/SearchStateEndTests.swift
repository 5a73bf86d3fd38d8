import Discovery
import Pairing
import Testing

@testable import HubClient

// What goes away, and when the search is over.
extension SearchStateTests {
    private func reply(from address: String, _ byte: UInt8, at time: Duration) throws -> SearchState.Step {
        .proven(
            HubProof(
                address: try #require(NetworkAddress(address)), port: 8000, pin: try pin(byte), name: "Hub",
                id: try pin(byte).fingerprint, source: .udp, isHandshake: false, time: time))
    }

    @Test func aHubThatSaysGoodbyeAndIsGoneDisappears() throws {
        var state = try state(connects: true)
        let hub = try service("Hub", at: "10.0.0.5", id: 1)
        _ = state.hear(.resolved(hub), at: .milliseconds(10))
        _ = state.take(try reply(from: "10.0.0.5", 1, at: .milliseconds(11)), at: .milliseconds(11))
        #expect(names(state.take(.tick, at: .milliseconds(30))) == ["added Hub claimed"])
        #expect(names(state.take(.tick, at: .milliseconds(200))).isEmpty)
        // One that is only silent may come back.
        let place = try #require(HubAddress("10.0.0.5:8000"))
        _ = state.take(.reached(place, isOpen: false), at: .seconds(3))
        _ = state.take(.tick, at: .milliseconds(3_010))
        #expect(state.table.map(\.answers) == [false])
        _ = state.hear(.gone(hub.instance), at: .seconds(4))
        _ = state.take(.tick, at: .milliseconds(4_010))
        let proven = try #require(state.table.first).hub
        #expect(proven.sources == [.udp])
        _ = state.take(.reached(place, isOpen: true), at: .seconds(5))
        #expect(state.table.count == 1)  // its daemon is gone, and it is not
        var events = state.take(.reached(place, isOpen: false), at: .seconds(6))
        events += state.take(.tick, at: .milliseconds(6_010))
        #expect(names(events).contains("removed Hub"))
        #expect(state.table.isEmpty)
    }

    @Test func aRowSaysWhetherItsHubAnswers() throws {
        var state = try state(connects: true)
        let places = try ["10.0.0.5:8000", "[fd77::5]:8000"].map { try #require(HubAddress($0)) }
        for address in ["10.0.0.5", "fd77::5"] {
            _ = state.hear(.resolved(try service("Hub", at: address)), at: .milliseconds(10))
        }
        _ = state.take(.tick, at: .milliseconds(12))
        #expect(Set(state.takeTrials(at: .milliseconds(12))) == Set(places))
        #expect(state.takeTrials(at: .milliseconds(13)).isEmpty)
        // It is not told before that is known, nor is the search over.
        #expect(names(state.take(.tick, at: .milliseconds(900))).isEmpty)
        #expect(!state.isOver(at: .milliseconds(900)))
        #expect(state.waits(at: .milliseconds(900)).map(\.what) == ["hubs to accept a connection: Hub"])
        var other = state
        _ = state.take(.reached(places[0], isOpen: false), at: .milliseconds(901))
        #expect(names(state.take(.tick, at: .milliseconds(930))).isEmpty)
        _ = state.take(.reached(places[1], isOpen: false), at: .milliseconds(1_000))
        #expect(names(state.take(.tick, at: .milliseconds(1_030))) == ["added Hub claimed"])
        #expect(state.table.map(\.answers) == [false])
        // That is no news of others, which would have to be waited for.
        #expect(state.takeTrials(at: .milliseconds(1_030)).isEmpty)
        #expect(state.isOver(at: .milliseconds(1_030)))
        // One address is enough.
        _ = other.take(.reached(places[1], isOpen: true), at: .milliseconds(901))
        #expect(names(other.take(.tick, at: .milliseconds(930))) == ["added Hub claimed"])
        #expect(other.table.map(\.answers) == [true])
        #expect(other.takeTrials(at: .milliseconds(930)).isEmpty)
        #expect(other.isOver(at: .milliseconds(930)))
    }

    @Test func aProofIsAskedForAgainAfterAMinute() throws {
        var state = try state(known: [1], watches: true, connects: true)
        let hub = try service("Kitchen hub", at: "10.0.0.5", id: 1)
        let place = try #require(HubAddress("10.0.0.5:8000"))
        _ = state.hear(.resolved(hub), at: .milliseconds(10))
        let address = hub.address
        func handshake(_ byte: UInt8, at time: Duration) throws -> SearchState.Step {
            .proven(
                HubProof(
                    address: address, port: 8000, pin: try pin(byte), name: "", id: nil, source: nil,
                    isHandshake: true, time: time))
        }
        _ = state.take(try handshake(1, at: .milliseconds(20)), at: .milliseconds(20))
        _ = state.take(.tick, at: .milliseconds(40))
        #expect(state.table.map(\.standing) == [.verified])
        _ = state.takeQuestions()
        _ = state.take(.tick, at: .seconds(59))
        #expect(state.takeQuestions().isEmpty)
        // It proves it again.
        _ = state.take(.tick, at: .seconds(61))
        #expect(state.takeQuestions() == [place])
        _ = state.take(try handshake(1, at: .seconds(61)), at: .seconds(61))
        _ = state.take(.tick, at: .seconds(62))
        #expect(state.table.map(\.standing) == [.verified])
        #expect(state.takeQuestions().isEmpty)
        // It does not.
        _ = state.take(.tick, at: .seconds(122))
        #expect(state.takeQuestions() == [place])
        _ = state.take(.noProof(place), at: .seconds(123))
        _ = state.take(.tick, at: .milliseconds(123_010))
        #expect(state.table.map(\.standing) == [.claimed])
        #expect(state.table.map(\.hub.pin) == [nil])
    }

    // On a network with IPv6 alone a hub announces its ULA, and answers probes from its link-local address.
    @Test func aHubThatAnswersFromALinkLocalAddressIsOneRow() throws {
        var state = try state()
        let hub = try service("Hub", at: "fd77::5", id: 1)
        _ = state.take(try reply(from: "fe80::5%eth0", 1, at: .milliseconds(3)), at: .milliseconds(3))
        _ = state.hear(.resolved(hub), at: .milliseconds(4))
        _ = state.take(.tick, at: .milliseconds(10))
        #expect(state.takeQuestions().map(\.description) == ["[fd77::5]:8000"])
        #expect(names(state.take(.tick, at: .milliseconds(300))).isEmpty, "neither is told before its key")
        let address = try #require(NetworkAddress("fd77::5"))
        let proof = HubProof(
            address: address, port: 8000, pin: try pin(1), name: "", id: nil, source: nil, isHandshake: true,
            time: .milliseconds(310))
        _ = state.take(.proven(proof), at: .milliseconds(310))
        #expect(names(state.take(.tick, at: .milliseconds(700))) == ["added Hub claimed"])
        #expect(state.table.map(\.hub.addresses.first) == [address])
        // Another key: it only says so, and the hub is the other one.
        var other = try self.state()
        _ = other.hear(.resolved(hub), at: .milliseconds(3))
        _ = other.take(try reply(from: "fe80::5%eth0", 1, at: .milliseconds(4)), at: .milliseconds(4))
        _ = other.take(.tick, at: .milliseconds(10))
        let lie = HubProof(
            address: address, port: 8000, pin: try pin(2), name: "", id: nil, source: nil, isHandshake: true,
            time: .milliseconds(20))
        _ = other.take(.proven(lie), at: .milliseconds(20))
        _ = other.take(.tick, at: .milliseconds(400))
        #expect(other.table.count == 2)
    }

    @Test func aHubThatMovesLeavesItsAddress() throws {
        var state = try state()
        let hub = try service("Hub", at: "10.0.0.5", id: 1)
        _ = state.hear(.resolved(hub), at: .milliseconds(10))
        _ = state.take(try reply(from: "10.0.0.5", 1, at: .milliseconds(11)), at: .milliseconds(11))
        let old = try #require(NetworkAddress("10.0.0.5"))
        let new = try #require(NetworkAddress("10.0.0.6"))
        let interface = hub.instance.interface
        for sighting in [
            Heard.address(old, host: hub.host, interface: interface),
            .address(new, host: hub.host, interface: interface),
            .resolved(try service("Hub", at: "10.0.0.6", id: 1)),
            .addressGone(old, host: hub.host, interface: interface),
        ] {
            _ = state.hear(sighting, at: .seconds(2))
        }
        _ = state.take(.tick, at: .milliseconds(2_010))
        #expect(state.table.map(\.hub.addresses) == [[new]])
    }

    @Test func aDaemonThatHangsIsWaitedForOnlyWhileThereIsNothingElse() throws {
        let new = SearchState(known: [], networks: Self.networks, browses: [.multicast(.hestia)])
        var (empty, search) = (new, new)
        _ = empty.hear(.hanging, at: .seconds(1))
        #expect(!empty.isOver(at: .seconds(9)))
        let hub = try service("Hub", at: "10.0.0.5")
        _ = search.hear(.hinted(hub), at: .milliseconds(5))
        _ = search.take(.tick, at: .milliseconds(30))
        #expect(!search.isOver(at: .milliseconds(990)))
        _ = search.hear(.hanging, at: .seconds(1))
        _ = search.hear(.resolved(hub), at: .seconds(1))
        _ = search.take(.tick, at: .milliseconds(1_010))
        #expect(search.isOver(at: .milliseconds(1_300)))
        let words = names(search.finish(at: .milliseconds(1_300)))
        #expect(words == ["avahi-daemon does not answer; hubs may be missing"])
    }

    @Test func whatIsHeldBackIsNotWaitedForWhereAllAnswerDirectly() throws {
        let hub = try service("Hub", at: "10.0.0.5")
        let other = try service("Other", at: "10.0.0.6")
        for (isDirect, end) in [(true, 1_000), (false, 1_601)] {
            var search = try state()
            _ = search.hear(.withoutDaemon, at: .zero)
            for sighting in [.began, .direct(hub), .resolved(hub), .settled] as [Heard] {
                _ = search.hear(sighting, at: .milliseconds(1))
            }
            if isDirect { _ = search.hear(.direct(other), at: .milliseconds(2)) }
            _ = search.hear(.resolved(other), at: .milliseconds(3))
            _ = search.take(.tick, at: .milliseconds(20))
            #expect(search.isOver(at: .milliseconds(end)))
            #expect(search.isOver(at: .milliseconds(1_599)) == isDirect)
        }
    }

    @Test func aDaemonThatIsBusyIsWaitedFor() throws {
        var state = SearchState(known: [], networks: Self.networks, browses: [.multicast(.hestia)])
        #expect(!state.isOver(at: .seconds(9)))
        _ = state.hear(.began, at: .milliseconds(3_000))
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .milliseconds(3_020))
        #expect(names(state.take(.tick, at: .milliseconds(3_040))) == ["added Hub claimed"])
        #expect(!state.isOver(at: .milliseconds(3_340)))
        #expect(state.isOver(at: .milliseconds(3_360)))
        #expect(names(state.finish(at: .milliseconds(3_360))).isEmpty)
    }

    @Test func aDaemonThatDoesNotAnswerIsNamed() throws {
        var state = SearchState(known: [], networks: Self.networks, browses: [.multicast(.hestia)])
        #expect(state.isOver(at: .seconds(10)))
        let words = names(state.finish(at: .seconds(10)))
        #expect(words == ["avahi-daemon does not answer; hubs may be missing"])
    }

    @Test func aBusyMachineIsWaitedForAndNamed() throws {
        var state = SearchState(known: [], networks: Self.networks, browses: [.multicast(.hestia)])
        _ = state.hear(.began, at: .zero)
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .milliseconds(20))
        _ = state.take(.tick, at: .milliseconds(300))
        _ = state.take(.stalled(.milliseconds(600)), at: .milliseconds(900))
        #expect(!state.isOver(at: .milliseconds(940)))
        #expect(state.isOver(at: .milliseconds(960)))
        #expect(names(state.finish(at: .milliseconds(960))).isEmpty)

        // With a sign that something is missing.
        let busy =
            "this machine is busy: hubpair could not run for 600 ms of the search; "
            + "hubs may be missing: try again"
        let address = try #require(NetworkAddress("10.0.0.5"))
        _ = state.hear(.lossy(address), at: .milliseconds(961))
        #expect(!state.isOver(at: .milliseconds(1_990)))
        #expect(state.isOver(at: .milliseconds(2_010)))
        #expect(names(state.finish(at: .milliseconds(2_010))) == [busy])
        // Half a second of a minute says nothing.
        #expect(names(state.finish(at: .seconds(60))).isEmpty)
        // Nothing was found at all.
        state = try self.state()
        _ = state.take(.stalled(.milliseconds(600)), at: .milliseconds(900))
        #expect(names(state.finish(at: .seconds(4))) == [busy])
    }

    @Test func whatIsStillUnderWayAtTheEndIsSaid() throws {
        let words = "the search ended before all had answered; hubs may be missing: try again"
        var state = try self.state()
        _ = state.hear(.pending(1), at: .milliseconds(20))
        #expect(!state.isOver(at: .milliseconds(9_990)))
        #expect(state.isOver(at: .seconds(10)))
        #expect(names(state.finish(at: .seconds(10))) == [words])
        _ = state.take(.stalled(.seconds(3)), at: .seconds(10))
        #expect(!state.isOver(at: .milliseconds(12_990)))
        #expect(state.isOver(at: .seconds(13)))
        _ = state.take(.stalled(.seconds(90)), at: .seconds(29))
        #expect(!state.isOver(at: .milliseconds(29_990)))
        #expect(state.isOver(at: .seconds(30)))
        // A sweep that --timeout cut off.
        state = try self.state()
        _ = state.take(.swept(done: 3, total: 9), at: .milliseconds(20))
        #expect(names(state.finish(at: .seconds(2))) == [words])
        // News at the last moment is no answer that is missing.
        state = try self.state()
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .milliseconds(11_990))
        #expect(names(state.finish(at: .seconds(12))) == ["added Hub claimed"])
    }

    @Test func whatMulticastHasNotConfirmedIsSaid() throws {
        func words(_ name: String) -> String {
            "multicast DNS has not confirmed \(name), found by a direct question; hubs may be missing: "
                + "'hubpair doctor' looks for the cause"
        }
        let hub = try service("Hub", at: "10.0.0.5")
        var state = try self.state()
        _ = state.hear(.settled, at: .milliseconds(4))
        _ = state.hear(.hinted(hub), at: .milliseconds(5))
        #expect(names(state.finish(at: .milliseconds(1_390))) == ["added Hub claimed"])  // too soon to say
        #expect(state.isOver(at: .milliseconds(1_400)))
        #expect(names(state.finish(at: .milliseconds(1_400))) == [words("Hub")])
        // Its row goes with the hint, and the warning stays.
        _ = state.take(.tick, at: .seconds(11))
        #expect(state.table.isEmpty)
        #expect(names(state.finish(at: .seconds(12))) == [words("Hub")])
        // Until it is confirmed, in one family.
        _ = state.hear(.resolved(hub), at: .seconds(13))
        _ = state.hear(.hinted(try service("Hub", at: "fe80::5%eth0")), at: .seconds(13))
        #expect(!names(state.finish(at: .seconds(15))).contains(words("Hub")))
    }

    @Test func aSlowAnswerDelaysTheEnd() throws {
        var state = try self.state()
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .milliseconds(20))
        _ = state.hear(.slow(.milliseconds(180)), at: .milliseconds(200))
        _ = state.take(.tick, at: .milliseconds(300))
        #expect(!state.isOver(at: .milliseconds(419)))
        #expect(state.isOver(at: .milliseconds(420)))
    }

    @Test func nothingIsThereOnlyOnceTheDaemonHasSaidSo() throws {
        var state = try state()
        #expect(!state.isOver(at: .milliseconds(2_000)))
        _ = state.hear(.settled, at: .milliseconds(2_100))
        #expect(state.isOver(at: .milliseconds(2_101)))
    }

    private func state(after steps: [(Int, Heard)], tickAt time: Duration) throws -> SearchState {
        var state = try state()
        for (time, sighting) in steps { _ = state.hear(sighting, at: .milliseconds(time)) }
        _ = state.take(.tick, at: time)
        return state
    }

    // Hubs that answer one-shot queries at once, and a browse that agrees with them: the search need not
    // last.
    @Test func whereAllHaveAnsweredAtOnceItEndsEarly() throws {
        func search(_ steps: [(Int, Heard)]) throws -> SearchState {
            try state(after: steps, tickAt: .milliseconds(185))
        }
        let (one, two) = (try service("One", at: "10.0.0.5"), try service("Two", at: "10.0.0.6"))
        let own = try service("Own", at: "10.0.0.1")
        let agreed: [(Int, Heard)] = [
            (3, .direct(one)), (3, .hinted(one)), (20, .resolved(one)), (170, .prompt),
        ]
        #expect(try search(agreed).isOver(at: .milliseconds(190)))
        #expect(try !search(agreed).isOver(at: .milliseconds(189)))
        #expect(try search(agreed + [(30, .resolved(own))]).isOver(at: .milliseconds(190)))
        // Not yet: no verdict, a hub that does not answer such queries, one that the browse does not see, a
        // loss.
        #expect(try !search(Array(agreed.dropLast())).isOver(at: .milliseconds(349)))
        #expect(try !search(agreed + [(30, .resolved(two))]).isOver(at: .milliseconds(349)))
        // One that its host has said only to the browse: a direct answer holds six hubs of a host.
        let shared = ResolvedService(
            instance: two.instance, host: one.host.uppercased(), port: 8001, address: one.address,
            txt: two.txt)
        #expect(try search(agreed + [(30, .resolved(shared))]).isOver(at: .milliseconds(190)))
        #expect(try !search(agreed + [(30, .hinted(two))]).isOver(at: .milliseconds(1_399)))
        #expect(try search(agreed + [(30, .hinted(two))]).isOver(at: .milliseconds(1_400)))
        let address = try #require(NetworkAddress("10.0.0.5"))
        let lossy = try search(agreed + [(180, .lossy(address))])
        #expect(!lossy.isOver(at: .milliseconds(1_399)))
        #expect(
            try !search(agreed + [(30, .hinted(two)), (180, .lossy(address))]).isOver(
                at: .milliseconds(3_399)))
        #expect(
            lossy.waits(at: .milliseconds(700)).map(\.what) == [
                "the answer to the repeated question (RFC 6762 § 5.2), as a packet was lost: "
                    + "10.0.0.5 answered one question and not the other"
            ])
    }

    // The same where the daemon knew more hubs than one message can name, and all of them have answered.
    @Test func whereAllThatTheDaemonKnewHaveAnsweredItEndsEarlier() throws {
        func search(_ steps: [(Int, Heard)]) throws -> SearchState {
            try state(after: steps, tickAt: .milliseconds(89))
        }
        let (one, two) = (try service("One", at: "10.0.0.5"), try service("Two", at: "10.0.0.6"))
        let confirmed: [(Int, Heard)] = [
            (3, .direct(one)), (3, .hinted(one)), (20, .resolved(one)), (85, .confirmed),
        ]
        #expect(try search(confirmed).isOver(at: .milliseconds(90)))
        #expect(try !search(confirmed).isOver(at: .milliseconds(89)))
        // Not yet: a hub that has not answered directly, one whose address is still to come, a loss, a daemon
        // that is gone.
        #expect(try !search(confirmed + [(30, .resolved(two))]).isOver(at: .milliseconds(349)))
        #expect(try !search(confirmed + [(86, .pending(1))]).isOver(at: .milliseconds(1_000)))
        let address = try #require(NetworkAddress("10.0.0.5"))
        #expect(try !search(confirmed + [(86, .lossy(address))]).isOver(at: .milliseconds(1_399)))
        let interrupted = confirmed + [(86, .interrupted(.daemonLost)), (87, .resumed)]
        #expect(try !search(interrupted).isOver(at: .milliseconds(436)))
    }

    // Only this machine's own hubs, and nobody answers the one-shot queries: who else might be here?
    @Test func whereNobodyElseIsItEndsEarly() throws {
        func search(_ steps: [(Int, Heard)]) throws -> SearchState {
            try state(after: steps, tickAt: .milliseconds(220))
        }
        let (own, other) = (try service("Own", at: "10.0.0.1"), try service("Other", at: "10.0.0.5"))
        let alone: [(Int, Heard)] = [(20, .resolved(own)), (170, .silent)]
        #expect(try search(alone).isOver(at: .milliseconds(225)))
        #expect(try !search(alone).isOver(at: .milliseconds(224)))
        // Not yet: no verdict, a hub elsewhere, with or without an answer to the one-shot query, a loss,
        // nothing found.
        #expect(try !search([alone[0]]).isOver(at: .milliseconds(349)))
        #expect(try !search(alone + [(190, .resolved(other))]).isOver(at: .milliseconds(439)))
        #expect(try !search(alone + [(190, .hinted(other))]).isOver(at: .milliseconds(1_399)))
        #expect(
            try !search(alone + [(190, .hinted(other)), (200, .resolved(other))]).isOver(
                at: .milliseconds(439)))
        let address = try #require(NetworkAddress("10.0.0.5"))
        #expect(try !search(alone + [(200, .lossy(address))]).isOver(at: .milliseconds(1_399)))
        #expect(try !search([alone[1]]).isOver(at: .milliseconds(1_399)))
    }

    /// A search without multicast and probes ends with its last answer.
    @Test func silenceIsNotWaitedForWhereNobodyIsSilent() throws {
        var state = SearchState(
            known: [], networks: Self.networks, browses: [.domain(try SearchDomain("example.org"))],
            isProbing: false)
        _ = state.hear(.began, at: .zero)
        _ = state.hear(.pending(2), at: .milliseconds(1))
        #expect(!state.isOver(at: .milliseconds(2_000)))
        #expect(
            state.waits(at: .milliseconds(2_000)).map(\.what) == [
                "answers of the name servers: example.org"
            ])
        _ = state.hear(.pending(0), at: .milliseconds(2_001))
        _ = state.hear(.settled, at: .milliseconds(2_001))
        #expect(state.isOver(at: .milliseconds(2_001)))
        let swept = SearchState(known: [], networks: Self.networks, browses: [], isProbing: false)
        #expect(swept.isOver(at: .zero))
    }

    /// Name servers that answer late are waited for longer than hosts, and not forever.
    @Test func aSlowLineDoesNotCutADomainShort() throws {
        func search(_ sightings: [Heard]) throws -> SearchState {
            var state = SearchState(
                known: [], networks: Self.networks, browses: [.domain(try SearchDomain("example.org"))],
                isProbing: false)
            for sighting in [.began, .pending(2)] + sightings {
                _ = state.hear(sighting, at: .milliseconds(1))
            }
            return state
        }
        #expect(try !search([]).isOver(at: .milliseconds(59_999)))
        // While hubs come it goes on, for ten minutes at most.
        func goesOn(after time: Duration) throws -> Bool {
            var state = try search([])
            _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: time)
            return !state.isOver(at: time + .milliseconds(59_999)) && state.isOver(at: time + .seconds(60))
        }
        #expect(try goesOn(after: .seconds(59)))
        #expect(try !goesOn(after: .seconds(541)))
        #expect(try search([]).waits(at: .milliseconds(59_999)).count == 1)
        #expect(try search([]).isOver(at: .seconds(60)))
        #expect(try search([]).waits(at: .seconds(60)).isEmpty)
        var late = try search([])
        #expect(names(late.finish(at: .seconds(60))).count == 1)
        #expect(try search([.pending(0), .settled]).isOver(at: .milliseconds(1)))
        // What the last answer brings is told, and not missed, though it is in no table yet.
        var full = try search([])
        for name in ["Hub", "Other"] {
            _ = full.hear(.resolved(try service(name, at: "10.0.0.5")), at: .seconds(30))
        }
        #expect(full.isStale)
        for sighting in [.pending(0), .settled] as [Heard] { _ = full.hear(sighting, at: .seconds(30)) }
        #expect(full.isOver(at: .seconds(30)))
        let told = names(full.finish(at: .seconds(30))).sorted()
        #expect(told == ["added Hub claimed", "added Other claimed"])
    }

    // A responder that has just answered another host holds its next answer back for a second.
    @Test func withoutADaemonAnswersThatAreHeldBackAreWaitedFor() throws {
        var state = try state()
        let words = "no avahi-daemon answers on D-Bus; this process speaks multicast DNS itself"
        #expect(names(state.hear(.withoutDaemon, at: .milliseconds(1))) == [words])
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .milliseconds(100))
        #expect(!state.isOver(at: .milliseconds(900)))
        _ = state.hear(.settled, at: .milliseconds(1_000))
        #expect(!state.isOver(at: .milliseconds(1_600)))
        #expect(state.isOver(at: .milliseconds(1_601)))
    }
}
