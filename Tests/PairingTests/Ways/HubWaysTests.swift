import Foundation
import Identity
import Testing

@testable import Pairing

/// The ways to a hub: its own file, and what it tells.
@Suite struct HubWaysTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    @Test func theFileIsReadAgain() throws {
        var ways = HubWays()
        let pin = try #require(Pin(bytes: [UInt8](repeating: 7, count: 32)))
        ways.add(HubWays.Way(address: "vpn.example.org:8000", added: now))
        ways.add(HubWays.Way(address: "vpn.example.org:8000", added: now))
        ways.add(
            HubWays.Relay(
                name: try PeerName("Anna's relay"), pin: pin, address: "relay.example.org:443", added: now))
        let read = try HubWays(parsing: ways.serialized)
        #expect(read == ways)
        #expect(read.told.map(\.kind) == [.added, .relay])
        ways.add(
            HubWays.Relay(name: try PeerName("Other"), pin: pin, address: "other.example.org:443", added: now)
        )
        #expect(ways.relays.map(\.address) == ["other.example.org:443"])
        ways.remove(pin)
        ways.remove("vpn.example.org:8000")
        #expect(ways.count == 0)
        #expect(try HubWays(parsing: ways.serialized).count == 0)
    }

    @Test(arguments: [
        "[way a:1]", "[way a b]\nadded=2026-11-27T10:22:03Z", "[road a:1]\nadded=2026-11-27T10:22:03Z",
        "[way]",
        "[relay K7QF-2M9D-X0TW-8RHC]\nadded=2026-11-27T10:22:03Z\naddress=a:1\nname=x\n"
            + "pin=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ])
    func aFaultRefusesAll(group: String) {
        #expect(throws: KeyFileError.self) {
            try HubWays(parsing: Array("[keyfile]\nformat=1\n\n\(group)\n".utf8))
        }
    }

    @Test func aHubTellsAsManyAsHaveRoom() throws {
        let pin = try #require(Pin(bytes: [UInt8](repeating: 7, count: 32)))
        let hub = HubDescription(name: try PeerName("Kitchen"), id: pin.fingerprint)
        #expect(try HubDescription(parsing: hub.serialized).ways == nil)
        let few = [
            HubWay(address: "192.0.2.7:8000", kind: .home), HubWay(address: "r.example:443", kind: .relay),
        ]
        #expect(try HubDescription(parsing: hub.telling(few).serialized).ways == few)
        let many = (0..<100).map {
            HubWay(address: String(repeating: "a", count: 250) + "\($0):8000", kind: .added)
        }
        let told = hub.telling(many)
        #expect(told.serialized.count <= 4_096)
        #expect(try HubDescription(parsing: told.serialized).ways == told.ways)
        #expect(told.ways?.isEmpty == false)
    }

    @Test func whatIsNotUnderstoodIsLeftOut() throws {
        let text = """
            {"name":"K","id":"K7QF-2M9D-X0TW-8RHC","api":1,"ways":[7,{"address":"a b:1","kind":"home"},\
            {"address":"a;b:1","kind":"home"},{"address":"a:1","kind":"star"},{"kind":"home"},\
            {"address":"b:1","kind":"added","more":true}]}
            """
        #expect(try HubDescription(parsing: Array(text.utf8)).ways == [HubWay(address: "b:1", kind: .added)])
        #expect(
            try HubDescription(
                parsing: Array(#"{"name":"K","id":"K7QF-2M9D-X0TW-8RHC","api":1,"ways":7}"#.utf8)
            ).ways == nil)
    }
}
