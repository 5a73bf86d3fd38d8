import FoundationEssentials
import Pairing
import Testing

@testable import HubClient

/// What a hub of a site may change on a device, and what not.
@Suite struct KnownHubsSiteTests {
    private static let time = Date(timeIntervalSince1970: 1_795_000_000)

    private static func pin(_ byte: UInt8) throws -> Pin {
        try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private static func told(_ byte: UInt8, _ name: String, _ way: String) throws -> SiteHub {
        SiteHub(name: try PeerName(name), pin: try pin(byte), ways: [HubWay(address: way, kind: .home)])
    }

    private static func known() throws -> KnownHubs {
        var known = KnownHubs()
        for (byte, name) in [(1, "Teller"), (2, "Paired")] as [(UInt8, String)] {
            known.insert(
                KnownHub(
                    name: try PeerName(name), pin: try pin(byte), address: "10.0.0.\(byte):8000",
                    paired: time))
        }
        return known
    }

    @Test func aHubThatIsNotKnownIsAdded() throws {
        var known = try KnownHubsSiteTests.known()
        let teller = try KnownHubsSiteTests.pin(1)
        known.take(
            [try KnownHubsSiteTests.told(3, "Paired", "10.0.0.3:8000")], by: teller,
            at: KnownHubsSiteTests.time)
        // Its name is another one's here.
        #expect(known.hubs.map(\.name.description) == ["Teller", "Paired", "Paired 2"])
        #expect(known.hubs[2].by == teller.fingerprint && known.hubs[2].address == "10.0.0.3:8000")
        #expect(try KnownHubs(parsing: known.serialized).hubs == known.hubs)
    }

    @Test func whatWasForgottenStaysAway() throws {
        var known = try KnownHubsSiteTests.known()
        let teller = try KnownHubsSiteTests.pin(1)
        let told = try (3...72).map { try KnownHubsSiteTests.told($0, "Wing \($0)", "10.0.0.3:8000") }
        known.take([told[0], told[1]], by: teller, at: KnownHubsSiteTests.time)
        known.forget(told[0].pin.fingerprint)
        // Something is new, after the file was read again.
        known = try KnownHubs(parsing: known.serialized)
        known.take(Array(told.prefix(3)), by: teller, at: KnownHubsSiteTests.time)
        #expect(known.hubs.dropFirst(2).map(\.pin) == [told[1].pin, told[2].pin])
        // Whoever pairs with it has it, and may forget it once more.
        known.insert(
            KnownHub(name: told[0].name, pin: told[0].pin, address: nil, paired: KnownHubsSiteTests.time))
        #expect(known.hubs.contains { $0.pin == told[0].pin })
        for each in told {
            known.take([each], by: teller, at: KnownHubsSiteTests.time)
            known.forget(each.pin.fingerprint)
        }
        #expect(known.hubs.count == 2)
        #expect(known.hubs[0].left.count == 64 && known.hubs[0].left.first == told[69].pin.fingerprint)
    }

    @Test func whatIsKnownStays() throws {
        let before = try KnownHubsSiteTests.known()
        var known = before
        known.take(
            [
                try KnownHubsSiteTests.told(2, "Robbed", "10.6.6.6:8000"),
                try KnownHubsSiteTests.told(1, "Itself", "10.6.6.6:8000"),
            ], by: try KnownHubsSiteTests.pin(1), at: KnownHubsSiteTests.time)
        #expect(known == before)
    }

    @Test func everNewHubsDoNotFillTheFile() throws {
        var known = try KnownHubsSiteTests.known()
        let teller = try KnownHubsSiteTests.pin(1)
        for round in 0..<3 {
            let told = try (0..<SiteHub.maximumCount).map { number in
                try KnownHubsSiteTests.told(
                    UInt8(3 + (round * SiteHub.maximumCount + number) % 250), "Hub", "10.0.0.3:8000")
            }
            known.take(told, by: teller, at: KnownHubsSiteTests.time)
        }
        #expect(known.hubs.count == 2 + SiteHub.maximumCount)
    }

    @Test func onlyWhoHasToldMayTellOtherWays() throws {
        var known = try KnownHubsSiteTests.known()
        known.take(
            [try KnownHubsSiteTests.told(3, "Wing", "10.0.0.3:8000")], by: try KnownHubsSiteTests.pin(1),
            at: KnownHubsSiteTests.time)
        let before = known
        known.take(
            [try KnownHubsSiteTests.told(3, "Wing", "10.6.6.6:8000")], by: try KnownHubsSiteTests.pin(2),
            at: KnownHubsSiteTests.time)
        #expect(known == before)
        known.take(
            [try KnownHubsSiteTests.told(3, "Other", "10.0.0.9:8000")], by: try KnownHubsSiteTests.pin(1),
            at: KnownHubsSiteTests.time)
        #expect(known.hubs[2].name.description == "Wing")
        #expect(known.hubs[2].ways.contains { $0.address == "10.0.0.9:8000" })
    }
}
