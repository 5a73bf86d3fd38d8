import Addresses
import Testing

@testable import HubClient

/// Which address is tried when, without a socket.
@Suite struct AddressRaceTests {
    private func address(_ text: String) throws -> HubAddress { try #require(HubAddress(text)) }

    private func refusal(_ address: HubAddress) -> HubConnectionError {
        HubConnectionError(address: "\(address)", reason: .closed)
    }

    /// A hub that closes its connections over IPv6, because a neighbour of the same /64 has them all, is
    /// tried over IPv4 in the same attempt; and the other way round.
    @Test(arguments: [("fd77::1", "192.0.2.7"), ("192.0.2.7", "fd77::1")])
    func anAddressThatFailsMakesRoomForTheNext(first: String, second: String) throws {
        let (one, two) = (try address(first), try address(second))
        var race = AddressRace([one, two])
        #expect(race.moves() == [.dial(one), .wait(1)])
        #expect(race.moves() == [])
        race.failed(refusal(one))
        #expect(race.moves() == [.dial(two)])
        race.failed(refusal(two))
        #expect(race.moves() == [.giveUp(refusal(one))])
    }

    @Test func theNextIsFoundWhileTheSearchGoesOn() throws {
        let (one, two) = (try address("fd77::1"), try address("192.0.2.7"))
        var race = AddressRace([one], isOpen: true)
        #expect(race.moves() == [.dial(one), .wait(1)])
        race.failed(refusal(one))
        #expect(race.moves() == [])
        race.found([two])
        #expect(race.moves() == [.dial(two), .wait(2)])
        race.searched()
        race.failed(refusal(two))
        #expect(race.moves() == [.giveUp(refusal(one))])
    }

    @Test func linkLocalAddressesComeLast() throws {
        let local = try address("[fe80::1%eth0]:8000")
        let (one, two) = (try address("fd77::1"), try address("192.0.2.7"))
        var race = AddressRace([local, one, two])
        #expect(race.moves() == [.dial(one), .wait(1)])
        race.waited(1)
        #expect(race.moves() == [.dial(two), .wait(2)])
        race.waited(2)
        #expect(race.moves() == [.dial(local)])
    }

    @Test func addressesOfAnotherKindAreLeftOut() throws {
        let local = try address("[fe80::1%eth0]:8000")
        let (six, four, name) = (try address("fd77::1"), try address("192.0.2.7"), try address("hub.local"))
        var race = AddressRace([six, name, local], kind: six.otherFamily)
        #expect(race.moves() == [.resolve(name)])
        race.resolved([six, four])
        #expect(race.moves() == [.dial(four)])
        race = AddressRace([local, four], kind: .lasting)
        #expect(race.moves() == [.dial(four)])
        race = AddressRace([six], kind: four.otherFamily)
        #expect(race.moves() == [.dial(six)])
        race = AddressRace([six], kind: .only(.ipv4))
        #expect(race.moves() == [.giveUp(HubConnectionError(address: "", reason: .noAddress))])
    }
}
