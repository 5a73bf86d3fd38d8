import Crypto
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

    /// A hub of the site has another key: its old one says so, whoever tells of it.
    @Test func aNewKeyIsTakenOverByTheWordOfTheOld() throws {
        let keys = (0..<4).map { _ in P256.Signing.PrivateKey() }
        let pins = keys.map { Pin($0.publicKey) }
        let (time, teller) = (KnownHubsSiteTests.time, try KnownHubsSiteTests.pin(1))
        func statement(_ old: Int, _ new: Int, _ serial: UInt32, for seconds: Double = 60) throws
            -> KeyStatement
        {
            try KeyStatement(serial: serial, until: time + seconds, old: keys[old], new: keys[new])
        }
        func told(_ key: Int, _ statement: KeyStatement?) throws -> SiteHub {
            SiteHub(name: try PeerName("Wing"), pin: pins[key], ways: [], statement: statement)
        }
        for isTold in [true, false] {
            var known = try KnownHubsSiteTests.known()
            if isTold {
                known.take([try told(0, nil)], by: teller, at: time)
            } else {
                known.insert(KnownHub(name: try PeerName("Wing"), pin: pins[0], address: nil, paired: time))
            }
            known.use(pins[0].fingerprint)
            // Forged, over, of another key: it stays, and what is told is another hub.
            for bad in [nil, try statement(0, 1, 5, for: -1), try statement(2, 1, 5)] {
                var after = known
                #expect(after.take([try told(1, bad)], by: teller, at: time).isEmpty)
                #expect(after.hubs.contains { $0.pin == pins[0] && $0.serial == 0 })
            }
            let followed = known.take([try told(1, try statement(0, 1, 5))], by: teller, at: time)
            #expect(followed.map(\.new) == [pins[1]])
            #expect(known.hubs.map(\.name.description) == ["Teller", "Paired", "Wing"])
            #expect(known.hubs[2].pin == pins[1] && known.hubs[2].serial == 5)
            #expect(known.hubs[2].by == (isTold ? teller.fingerprint : nil))
            #expect(known.defaultHub == pins[1].fingerprint)
            // Rolled back, and replayed.
            #expect(known.take([try told(3, try statement(1, 3, 5))], by: teller, at: time).isEmpty)
            #expect(known.take([try told(1, try statement(0, 1, 5))], by: teller, at: time).isEmpty)
            #expect(known.hubs[2].pin == pins[1])
        }
        // A hub that was forgotten stays away under its next key, too.
        var known = try KnownHubsSiteTests.known()
        known.take([try told(0, nil)], by: teller, at: time)
        known.forget(pins[0].fingerprint)
        known.take([try told(1, try statement(0, 1, 1))], by: teller, at: time)
        #expect(known.hubs.count == 2)
    }

    @Test func whatATellerHasToldStaysItsOwnUnderItsNextKey() throws {
        let (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let time = KnownHubsSiteTests.time
        var known = KnownHubs()
        known.insert(
            KnownHub(name: try PeerName("Teller"), pin: Pin(old.publicKey), address: nil, paired: time))
        let wing = try KnownHubsSiteTests.told(3, "Wing", "10.0.0.3:8000")
        known.take([wing], by: Pin(old.publicKey), at: time)
        known.follow(try KeyStatement(serial: 1, until: time + 60, old: old, new: new))
        known = try KnownHubs(parsing: known.serialized)
        #expect(known.hubs[1].by == Pin(new.publicKey).fingerprint)
        known.take(
            [try KnownHubsSiteTests.told(3, "Wing", "10.0.0.9:8000")], by: Pin(new.publicKey), at: time)
        #expect(known.hubs.count == 2 && known.hubs[1].ways.contains { $0.address == "10.0.0.9:8000" })
    }
}
