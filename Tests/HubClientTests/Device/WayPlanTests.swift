import Addresses
import Foundation
import Identity
import Pairing
import Testing

@testable import HubClient

/// Which way to a hub is tried when, and what is remembered of it.
@Suite struct WayPlanTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let home = "192.168.1.7:8000"
    private let added = "vpn.example.org:8000"
    private let relay = "relay.example.org:443"

    private func network(_ address: String) throws -> [LocalNetwork] {
        [
            LocalNetwork(
                interface: "lo", address: try #require(NetworkAddress("127.0.0.1")), prefixLength: 8),
            LocalNetwork(
                interface: "eth0", address: try #require(NetworkAddress(address)), prefixLength: 24),
        ]
    }

    private func hub(_ ways: [KnownWay] = []) throws -> KnownHub {
        KnownHub(
            name: try PeerName("Kitchen"), pin: try #require(Pin(bytes: [UInt8](repeating: 1, count: 32))),
            address: nil, paired: now, ways: ways)
    }

    private func told() throws -> KnownHub {
        var hub = try hub()
        hub.tell([
            HubWay(address: home, kind: .home), HubWay(address: "kitchen.local:8000", kind: .home),
            HubWay(address: added, kind: .added), HubWay(address: relay, kind: .relay),
        ])
        return hub
    }

    private func plan(_ hub: KnownHub, on address: String) throws -> WayPlan {
        let networks = try network(address)
        return WayPlan(hub.ways, on: networks, mark: NetworkMark.of(networks))
    }

    private func texts(_ addresses: [HubAddress]) -> [String] { addresses.map(\.description) }

    @Test func homeIsTriedBeforeAway() throws {
        let plan = try plan(try told(), on: "192.168.1.20")
        #expect(texts(plan.now) == [home])
        #expect(texts(plan.later) == [added, relay])
        #expect(texts(Array(plan.relays)) == [relay])
    }

    @Test func whatWorkedHereIsTriedAtOnceAndHomeStillFirst() throws {
        var hub = try told()
        let cafe = NetworkMark.of(try network("10.1.1.9"))
        hub.note(relay, isLasting: true, worked: .init(time: now, network: cafe))
        #expect(texts(try plan(hub, on: "10.1.1.30").now) == [relay])
        #expect(texts(try plan(hub, on: "10.1.1.30").later) == [added, home])
        // Another network: nobody knows whether home is behind it.
        #expect(texts(try plan(hub, on: "10.2.2.2").now) == [home])
        #expect(texts(try plan(hub, on: "10.2.2.2").later) == [relay, added])
        // A network of the same numbers as home: the address at home comes first.
        hub.note(
            relay, isLasting: true,
            worked: .init(time: now, network: NetworkMark.of(try network("192.168.1.9"))))
        #expect(texts(try plan(hub, on: "192.168.1.30").now) == [home, relay])
    }

    @Test func aTypedAddressComesFirst() throws {
        var hub = try told()
        hub.name("kitchen.local:8123")
        #expect(texts(try plan(hub, on: "192.168.1.20").now) == ["kitchen.local:8123", home])
        #expect(hub.address == "kitchen.local:8123")
        hub.note(home, isLasting: true, worked: .init(time: now, network: "00000000"))
        #expect(hub.address == "kitchen.local:8123")
        hub.tell([])
        #expect(hub.ways.map(\.address) == ["kitchen.local:8123", home])
    }

    @Test func awayAndBackForgetsNothing() throws {
        var hub = try told()
        let marks = [NetworkMark.of(try network("192.168.1.20")), NetworkMark.of(try network("10.1.1.9"))]
        for step in 0..<6 {
            let way = step.isMultiple(of: 2) ? home : added
            hub.note(
                way, isLasting: true,
                worked: .init(time: now.addingTimeInterval(Double(step)), network: marks[step % 2]))
            #expect(hub.address == way)
        }
        #expect(hub.ways.map(\.address) == [home, "kitchen.local:8000", added, relay])
        #expect(texts(try plan(hub, on: "192.168.1.20").now) == [home])
        #expect(texts(try plan(hub, on: "10.1.1.9").now) == [added])
        // What is remembered is written, and read again.
        var known = KnownHubs()
        known.insert(hub)
        #expect(try KnownHubs(parsing: known.serialized).hubs == [hub])
    }

    @Test func aTimeIsNotWrittenForEachConnection() throws {
        var hub = try told()
        hub.note(home, isLasting: true, worked: .init(time: now, network: "00000001"))
        let before = hub
        hub.note(
            home, isLasting: true, worked: .init(time: now.addingTimeInterval(3_600), network: "00000001"))
        #expect(hub == before)
        hub.note(
            home, isLasting: true, worked: .init(time: now.addingTimeInterval(90_000), network: "00000001"))
        #expect(hub != before)
    }

    @Test func aLinkLocalAddressIsNotedIfThereIsNoBetterOne() throws {
        var hub = try told()
        let before = hub
        hub.note("[fe80::1%eth0]:8000", isLasting: false, worked: .init(time: now, network: "00000001"))
        #expect(hub == before)
        hub = try self.hub()
        hub.note("[fe80::1%eth0]:8000", isLasting: false, worked: .init(time: now, network: "00000001"))
        #expect(hub.address == "[fe80::1%eth0]:8000")
    }

    @Test func theListStaysShort() throws {
        var hub = try told()
        for number in 0..<200 {
            hub.note(
                "10.0.0.\(number):8000", isLasting: true,
                worked: .init(time: now.addingTimeInterval(Double(number)), network: "00000001"))
        }
        #expect(hub.ways.count == 36)
        #expect(hub.ways.contains { $0.address == relay })
        #expect(hub.ways.last?.address == "10.0.0.199:8000")
    }

    @Test func theAddressOfVersion01IsCarriedOver() throws {
        let pin = try #require(Pin(bytes: [UInt8](repeating: 1, count: 32)))
        let file = { (line: String) in
            Array(
                ("[keyfile]\nformat=1\n\n[hub \(pin.fingerprint)]\nname=Kitchen\npin=\(pin.text)\n\(line)\n")
                    .utf8)
        }
        let old = try KnownHubs(parsing: file("address=192.168.1.7:8000"))
        #expect(old.hubs.first?.ways == [KnownWay(address: home, kind: .home)])
        let named = try KnownHubs(parsing: file("address=hub.example.org:8000"))
        #expect(named.hubs.first?.ways == [KnownWay(address: "hub.example.org:8000", kind: .named)])
        // A later version may know other kinds.
        let later = try KnownHubs(parsing: file("ways=192.168.1.7:8000 home;a:1 star"))
        #expect(later.hubs.first?.ways == [KnownWay(address: home, kind: .home)])
        for line in [
            "ways= home;", "ways=a:1", "ways=a:1 home soon 00000000", "ways=a:1 home 2026-11-27T10:22:03Z x",
        ] {
            #expect(throws: KeyFileError.self) { try KnownHubs(parsing: file(line)) }
        }
    }

    @Test func aServerNameIsAFingerprint() throws {
        let fingerprint = try #require(Fingerprint("K7QF-2M9D-X0TW-8RHC"))
        #expect(fingerprint.serverName == "k7qf-2m9d-x0tw-8rhc.hub.invalid")
        #expect(Fingerprint(serverName: fingerprint.serverName) == fingerprint)
        #expect(Fingerprint(serverName: "K7QF-2M9D-X0TW-8RHC.HUB.INVALID") == fingerprint)
        for name in [
            "k7qf-2m9d-x0tw-8rhc", "k7qf2m9dx0tw8rhc.hub.invalid", ".hub.invalid",
            "a.k7qf-2m9d-x0tw-8rhc.hub.invalid",
        ] {
            #expect(Fingerprint(serverName: name) == nil)
        }
    }
}
