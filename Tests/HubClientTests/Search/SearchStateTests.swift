import Addresses
import Discovery
import Pairing
import TestSupport
import Testing

@testable import HubClient

/// The search as a pure value: steps and times in, events and questions out.
@Suite struct SearchStateTests {
    static let networks =
        NetworkAddress("10.0.0.1").map {
            [LocalNetwork(interface: "eth0", address: $0, prefixLength: 24)]
        } ?? []

    func pin(_ byte: UInt8) throws -> Pin {
        try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
    }

    func state(
        known: [UInt8] = [], isBrowsing: Bool = true, watches: Bool = false, connects: Bool = false
    ) throws -> SearchState {
        let hubs = try known.map {
            KnownHub(name: try PeerName("Kitchen hub"), pin: try pin($0), address: nil, paired: nil)
        }
        var state = SearchState(
            known: hubs, networks: Self.networks,
            browses: isBrowsing ? [.multicast(.hestia)] : [], watches: watches, connects: connects)
        _ = state.hear(.began, at: .zero)
        return state
    }

    func service(
        _ name: String, at address: String, id: UInt8? = nil, index: UInt32 = 2
    ) throws -> ResolvedService {
        let address = try #require(NetworkAddress(address))
        let txt = try id.map { ["id=\(try pin($0).fingerprint)"] } ?? []
        return ResolvedService(
            instance: ServiceInstance(
                nameBytes: name.utf8, interface: NetworkInterface(index: index, name: "eth0"),
                family: address.family),
            host: "\(name).local", port: 8000, address: address,
            txt: TXTRecord(strings: txt.map { Array($0.utf8) }))
    }

    func names(_ events: [SearchState.Event]) -> [String] {
        events.compactMap { event in
            switch event {
            case .added(let hub): "added \(hub.hub.name) \(hub.standing)"
            case .changed(let hub): "changed \(hub.hub.name) \(hub.standing)"
            case .removed(let hub): "removed \(hub.hub.name)"
            case .unusable(let text), .incomplete(let text), .note(let text): text
            case .table, .progress, .wait, .over: nil
            }
        }
    }

    /// One host announces more than the table takes of one, and all of them go again.
    @Test(arguments: 0..<20 as Range<UInt64>) func whatWasSaidIsSaidToBeGone(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var state = try state(watches: true)
        let count = HubListing.maximumServicesPerAddress + 144
        let services = try (0..<count).map { number in
            let hub = try self.service("Hub \(number)", at: "10.0.0.5")
            return ResolvedService(
                instance: hub.instance, host: "come.local", port: 8000, address: hub.address, txt: hub.txt)
        }
        var said: Set<String> = []
        var time = Duration.zero
        func note(_ events: [SearchState.Event]) {
            for event in events {
                switch event {
                case .added(let hub): #expect(said.insert(hub.hub.name).inserted)
                case .removed(let hub): #expect(said.remove(hub.hub.name) != nil)
                default: break
                }
            }
        }
        for service in services {
            time += .milliseconds(1)
            note(state.hear(.resolved(service), at: time))
        }
        time += .seconds(1)
        note(state.take(.tick, at: time))
        #expect(said.count == HubListing.maximumServicesPerAddress)
        for service in services.shuffled(using: &random) {
            note(state.hear(.gone(service.instance), at: time))
            if Int.random(in: 0..<20, using: &random) == 0 { time += .milliseconds(20) }
        }
        for _ in 0..<3 {
            time += .seconds(1)
            note(state.take(.tick, at: time))
        }
        #expect(said.isEmpty)
    }

    @Test func aRowIsSaidOnceItIsQuiet() throws {
        var state = try state(watches: true)
        let four = try service("Hub", at: "10.0.0.5")
        #expect(names(state.hear(.resolved(four), at: .milliseconds(10))).isEmpty)
        #expect(names(state.take(.tick, at: .milliseconds(12))).isEmpty)
        // Another address: it waits again.
        _ = state.hear(.resolved(try service("Hub", at: "fe80::5%eth0")), at: .milliseconds(100))
        #expect(names(state.take(.tick, at: .milliseconds(161))).isEmpty)
        #expect(names(state.take(.tick, at: .milliseconds(312))) == ["added Hub claimed"])
        #expect(names(state.take(.tick, at: .milliseconds(512))).isEmpty)
        // It changes, and goes.
        _ = state.hear(.gone(four.instance), at: .milliseconds(600))
        _ = state.take(.tick, at: .milliseconds(601))
        #expect(names(state.take(.tick, at: .milliseconds(760))) == ["changed Hub claimed"])
        let last = try service("Hub", at: "fe80::5%eth0").instance
        #expect(names(state.hear(.gone(last), at: .milliseconds(800))) == ["removed Hub"])
        #expect(state.table.isEmpty)
    }

    @Test func aHintIsSaidAtOnce() throws {
        var state = try state()
        let hinted = try service("Hub", at: "10.0.0.5")
        _ = state.hear(.hinted(hinted), at: .milliseconds(2))
        let other = try #require(NetworkAddress("fe80::5%eth0"))
        _ = state.hear(
            .address(other, host: "Hub.local", interface: hinted.instance.interface), at: .milliseconds(2))
        _ = state.take(.tick, at: .milliseconds(3))
        #expect(names(state.take(.tick, at: .milliseconds(8))) == ["added Hub claimed"])
        // The browse confirms it: no news.
        _ = state.hear(.resolved(hinted), at: .milliseconds(120))
        #expect(names(state.take(.tick, at: .milliseconds(300))).isEmpty)
        #expect(state.table.first?.hub.addresses.map(\.description) == ["10.0.0.5", "fe80::5%eth0"])
    }

    // Of this computer's own family it may have none. Where every change is a line, more is waited for.
    @Test(arguments: [(false, 20), (true, 150)])
    func aRowWithOneFamilyIsSaidOnceItIsOfUse(watches: Bool, settling: Int) throws {
        var state = try state(watches: watches)
        _ = state.hear(.resolved(try service("Hub", at: "fd77::5")), at: .milliseconds(10))
        #expect(names(state.take(.tick, at: .milliseconds(9 + settling))).isEmpty)
        #expect(names(state.take(.tick, at: .milliseconds(10 + settling))) == ["added Hub claimed"])
    }

    @Test func aHintThatNobodyConfirmsIsWaitedForAndExpires() throws {
        var state = try state()
        _ = state.hear(.hinted(try service("Hub", at: "10.0.0.5")), at: .milliseconds(2))
        _ = state.take(.tick, at: .milliseconds(60))
        _ = state.take(.tick, at: .milliseconds(120))
        #expect(!state.isOver(at: .milliseconds(1_399)))
        #expect(state.isOver(at: .milliseconds(1_401)))
        #expect(names(state.take(.tick, at: .seconds(11))) == ["removed Hub"])
    }

    @Test func whoSaysToBeAPairedHubIsAskedForItsKey() throws {
        var state = try state(known: [1])
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5", id: 1)), at: .zero)
        _ = state.hear(.resolved(try service("Evil", at: "10.0.0.6", id: 1)), at: .zero)
        _ = state.hear(.resolved(try service("Nobody", at: "10.0.0.7", id: 1)), at: .zero)
        _ = state.hear(.resolved(try service("Stranger", at: "10.0.0.8", id: 2)), at: .zero)
        _ = state.take(.tick, at: .milliseconds(1))
        #expect(
            Set(state.takeQuestions().map(\.description)) == [
                "10.0.0.5:8000", "10.0.0.6:8000", "10.0.0.7:8000",
            ])
        #expect(state.takeQuestions().isEmpty)
        // Nothing is said of them, and nothing is over, before they have answered.
        #expect(names(state.take(.tick, at: .milliseconds(400))) == ["added Stranger claimed"])
        #expect(!state.isOver(at: .milliseconds(900)))
        for (address, key) in [("10.0.0.5", 1), ("10.0.0.6", 2)] as [(String, UInt8)] {
            let proof = HubProof(
                address: try #require(NetworkAddress(address)), port: 8000, pin: try pin(key), name: "",
                id: nil,
                source: nil, isHandshake: true, time: .milliseconds(400))
            _ = state.take(.proven(proof), at: .milliseconds(500))
        }
        let nobody = try #require(HubAddress("10.0.0.7:8000"))
        _ = state.take(.noProof(nobody), at: .milliseconds(500))
        let events = state.take(.tick, at: .milliseconds(501)) + state.take(.tick, at: .milliseconds(700))
        #expect(
            Set(names(events))
                == ["added Hub verified", "added Evil impostor", "added Nobody claimed"])
        #expect(state.table.map(\.hub.name) == ["Evil", "Hub", "Nobody", "Stranger"])
        #expect(state.table.map(\.isPaired) == [false, true, true, false])
        #expect(state.isOver(at: .milliseconds(900)))
    }

    @Test func aPairedHubsNameWithAnotherIDIsAnImpostor() throws {
        var state = try state(known: [1])
        for (number, name) in ["kitchen  hub", "Kit\u{200B}chen hub ", "Кitсhеn hub", "Kitchen hubs"]
            .enumerated()
        {
            _ = state.hear(.resolved(try service(name, at: "10.0.0.\(number + 5)", id: 3)), at: .zero)
        }
        _ = state.hear(.resolved(try service("Kitchen hub", at: "10.0.0.9")), at: .zero)
        _ = state.finish(at: .milliseconds(1))
        #expect(state.table.map(\.standing) == [.impostor, .impostor, .impostor, .claimed, .claimed])
    }

    private func udpProof(_ address: String) throws -> SearchState.Step {
        .proven(
            HubProof(
                address: try #require(NetworkAddress(address)), port: 8000, pin: try pin(1), name: "Hub",
                id: try pin(1).fingerprint, source: .udp, isHandshake: false, time: .zero))
    }

    @Test func aRowThatWasFoundByUDPFirstHasChanged() throws {
        var state = try state(watches: true)
        _ = state.take(try udpProof("10.0.0.5"), at: .zero)
        _ = state.take(.tick, at: .milliseconds(1))
        // It is about to be heard by mDNS, too.
        #expect(names(state.take(.tick, at: .milliseconds(60))).isEmpty)
        #expect(names(state.take(.tick, at: .milliseconds(151))) == ["added Hub claimed"])
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5", id: 1)), at: .milliseconds(170))
        #expect(names(state.take(.tick, at: .milliseconds(171))).isEmpty)
        #expect(names(state.take(.tick, at: .milliseconds(350))) == ["changed Hub claimed"])
        #expect(state.table.map(\.hub.sources) == [[.mdns, .udp]])
    }

    @Test func withoutMulticastDNSAReplyIsNotHeld() throws {
        var state = try state(isBrowsing: false)
        _ = state.take(try udpProof("10.0.0.5"), at: .zero)
        _ = state.take(.tick, at: .milliseconds(1))
        #expect(names(state.take(.tick, at: .milliseconds(60))) == ["added Hub claimed"])
    }

    /// Without watching, a hub is reported once, and again at the end if it has another address by then.
    @Test(arguments: [
        ("10.0.0.5", [] as [String]), ("fe80::9%eth0", []), ("10.0.0.6", ["changed Hub claimed"]),
        ("fd77::9", ["changed Hub claimed"]),
    ])
    func aChangeIsSaidOnceAtTheEndIfItMatters(address: String, said: [String]) throws {
        var state = try state()
        let hinted = try service("Hub", at: "10.0.0.5", id: 1)
        _ = state.hear(.hinted(hinted), at: .milliseconds(2))
        _ = state.take(.tick, at: .milliseconds(3))
        #expect(names(state.take(.tick, at: .milliseconds(60))) == ["added Hub claimed"])
        _ = state.hear(.resolved(hinted), at: .milliseconds(100))
        _ = state.take(try udpProof("10.0.0.5"), at: .milliseconds(105))
        _ = state.take(try udpProof(address), at: .milliseconds(110))
        _ = state.take(.tick, at: .milliseconds(111))
        #expect(state.table.map(\.hub.sources) == [[.mdns, .udp]])
        #expect(names(state.take(.tick, at: .milliseconds(400))).isEmpty)
        #expect(names(state.finish(at: .milliseconds(410))) == said)
    }

    @Test func aDaemonThatIsGoneIsWaitedForAWhile() throws {
        var state = try state()
        _ = state.hear(.resolved(try service("Hub", at: "10.0.0.5")), at: .zero)
        _ = state.take(.tick, at: .milliseconds(1))
        let words = names(state.hear(.interrupted(.daemonLost), at: .milliseconds(200)))
        #expect(words == ["avahi-daemon went away; waiting for it to come back"])
        #expect(!state.isOver(at: .milliseconds(1_500)))
        #expect(state.isOver(at: .milliseconds(3_600)))
        _ = state.hear(.resumed, at: .milliseconds(1_600))
        #expect(!state.isOver(at: .milliseconds(1_900)))
        #expect(state.isOver(at: .milliseconds(1_960)))
    }
}
