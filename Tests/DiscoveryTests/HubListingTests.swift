import Testing

@testable import Discovery

/// A service as a browse would report it.
func service(
    _ name: String, at address: String, on interface: String = "eth0", index: UInt32 = 2, port: UInt16 = 8000,
    host: String = "hub.local", txt: [String] = []
) throws -> ResolvedService {
    let address = try #require(NetworkAddress(address))
    let instance = ServiceInstance(
        nameBytes: name.utf8, interface: NetworkInterface(index: index, name: interface),
        family: address.family)
    return ResolvedService(
        instance: instance, host: host, port: port, address: address,
        txt: TXTRecord(strings: txt.map { Array($0.utf8) }))
}

/// In the tests' words: what a stack has resolved, and what one packet has told.
extension Sighting {
    static func resolved(_ service: ResolvedService) -> Sighting { .found(service, by: .announced) }
    static func hinted(_ service: ResolvedService) -> Sighting { .found(service, by: .heard) }
}

@Suite struct HubListingTests {
    static let id = "id=K7QF-2M9D-X0TW-8RHC"
    static let otherID = "id=0000-0000-0000-0001"

    /// The rows after all of `services`, as "name addresses…".
    private func rows(_ services: [ResolvedService]) -> [String] {
        var listing = HubListing(networks: HubAddressRulesTests.rules.networks)
        for service in services { _ = listing.apply(.resolved(service), at: .zero) }
        return listing.hubs.map { "\($0.name) \($0.addresses.map(\.description).joined(separator: " "))" }
    }

    @Test func oneHubOnTwoInterfacesAndFamiliesIsOneRow() throws {
        let services = try [
            service("Hub", at: "fe80::5%eth0"), service("Hub", at: "192.168.1.5"),
            service("Hub", at: "203.0.113.5", on: "eth1", index: 3),
            service("Hub", at: "127.0.0.1", on: "lo", index: 1),
        ]
        #expect(rows(services) == ["Hub 192.168.1.5 203.0.113.5 fe80::5%eth0 127.0.0.1"])
    }

    @Test func theSameAddressFromTwoInterfacesCountsOnce() throws {
        let services = try [
            service("Hub", at: "10.0.0.5"), service("Hub", at: "10.0.0.5", on: "eth1", index: 3),
        ]
        #expect(rows(services) == ["Hub 10.0.0.5"])
    }

    @Test func whatMakesTwoSightingsOneHub() throws {
        // A copied id makes a row of its own, under another name or on another host.
        #expect(
            try rows([
                service("A", at: "10.0.0.1", txt: [Self.id]),
                service("B", at: "10.0.0.2", txt: [Self.id]),
                service("A", at: "10.0.0.3", on: "eth1", index: 3, host: "other.local", txt: [Self.id]),
            ]) == ["A 10.0.0.1", "B 10.0.0.2", "A 10.0.0.3"])
        // Name, host, port and id make the hub.
        let first = try service("Hub", at: "10.0.0.1")
        for second in try [
            service("Hub", at: "10.0.0.2", on: "eth1", index: 3, host: "other.local"),
            service("Hub", at: "10.0.0.2", on: "eth1", index: 3, port: 8001),
            service("Hub", at: "10.0.0.2", on: "eth1", index: 3, txt: [Self.id]),
            service("hub", at: "10.0.0.2"),
        ] {
            #expect(rows([first, second]).count == 2)
        }
        // Canonically equivalent names are different bytes, and so different hubs.
        #expect(
            try rows([service("Caf\u{E9}", at: "10.0.0.1"), service("Cafe\u{301}", at: "10.0.0.1")]).count
                == 2)
        // A text that is no id does not count, and two ports under one id are two rows.
        #expect(
            try rows([
                service("A", at: "10.0.0.1", txt: ["id=none"]),
                service("B", at: "10.0.0.1", txt: ["id=none"]),
            ]).count == 2)
        #expect(
            try rows([
                service("A", at: "10.0.0.1", txt: [Self.id]),
                service("B", at: "10.0.0.1", port: 9, txt: [Self.id]),
            ]).count == 2)
    }

    @Test func saysWhatChanged() throws {
        var listing = HubListing(networks: [])
        let four = try service("Hub", at: "10.0.0.1")
        let six = try service("Hub", at: "fe80::1%eth0")

        #expect(listing.apply(.resolved(four), at: .milliseconds(5)) == listing.hubs.map { .added($0) })
        #expect(listing.apply(.resolved(four), at: .milliseconds(6)).isEmpty)
        #expect(listing.apply(.resolved(six), at: .milliseconds(7)) == listing.hubs.map { .changed($0) })
        #expect(listing.hubs.map(\.firstSeen) == [.milliseconds(5)])
        #expect(listing.hubs.map(\.sources) == [[.mdns]])

        #expect(listing.apply(.quiet(SourceProgress()), at: .zero).isEmpty)
        #expect(listing.apply(.gone(.service(four.instance)), at: .zero) == listing.hubs.map { .changed($0) })
        let last = listing.hubs
        #expect(last.map(\.addresses) == [[six.address]])
        #expect(listing.apply(.gone(.service(six.instance)), at: .zero) == last.map { .removed($0) })
        #expect(listing.apply(.gone(.service(six.instance)), at: .zero).isEmpty)
        #expect(listing.hubs.isEmpty)
    }

    @Test func anAddressThatIsGoneIsNotOfferedThoughTheServiceNamesIt() throws {
        var listing = HubListing(networks: HubAddressRulesTests.rules.networks)
        let hub = try service("Hub", at: "192.168.1.5")
        let (host, interface) = (hub.host, hub.instance.interface)
        let new = try #require(NetworkAddress("192.168.1.9"))
        for sighting in [
            Sighting.resolved(hub), .changed(hub.address, host: host, interface: interface),
            .changed(new, host: host, interface: interface),
            .gone(.address(hub.address, host: host, interface: interface)),
        ] {
            _ = listing.apply(sighting, at: .zero)
        }
        #expect(listing.hubs.map(\.addresses) == [[new]])
        // It is back, by whichever record.
        _ = listing.apply(.resolved(hub), at: .zero)
        #expect(listing.hubs.map(\.addresses) == [[hub.address, new]])
    }

    @Test func aNewHostIsFollowedHoweverManyThereWere() throws {
        var listing = HubListing(networks: [])
        for number in 0..<3_000 {
            let name = "h\(number).local"
            let hub = try service("Hub", at: "10.0.\(number / 250).\(number % 250 + 1)", host: name)
            let new = try #require(NetworkAddress("10.1.0.1"))
            let interface = hub.instance.interface
            for sighting in [
                Sighting.changed(hub.address, host: name, interface: interface), .resolved(hub),
                .changed(new, host: name, interface: interface),
                .gone(.address(hub.address, host: name, interface: interface)),
            ] {
                _ = listing.apply(sighting, at: .zero)
            }
            #expect(listing.hubs.map(\.addresses) == [[new]], "\(number)")
            _ = listing.apply(.gone(.service(hub.instance)), at: .zero)
        }
    }

    @Test func anAddressOfThisMachineIsNoOtherMachines() throws {
        let docker = try #require(NetworkAddress("172.17.0.1"))
        let networks =
            HubAddressRulesTests.rules.networks
            + [LocalNetwork(interface: "docker0", address: docker, prefixLength: 16)]
        var listing = HubListing(networks: networks)
        let hub = try service("Hub", at: "172.17.0.1")
        _ = listing.apply(.resolved(hub), at: .zero)
        #expect(listing.hubs.map(\.addresses) == [[docker]], "there is no other")
        let its = try #require(NetworkAddress("192.168.1.5"))
        _ = listing.apply(.changed(its, host: hub.host, interface: hub.instance.interface), at: .zero)
        #expect(listing.hubs.map(\.addresses) == [[its]])
    }

    @Test func aChangedRecordReplacesTheOldOne() throws {
        var listing = HubListing(networks: [])
        _ = listing.apply(.resolved(try service("Hub", at: "10.0.0.1", txt: [Self.id])), at: .zero)
        let before = listing.hubs
        // The hub got another address: the same row.
        let moved = try service("Hub", at: "10.0.0.2", txt: [Self.id])
        #expect(listing.apply(.resolved(moved), at: .zero) == listing.hubs.map { .changed($0) })
        #expect(listing.hubs.map(\.addresses) == [[moved.address]])
        // It got another identity: another row.
        let changes = listing.apply(
            .resolved(try service("Hub", at: "10.0.0.2", txt: [Self.otherID])), at: .zero)
        #expect(changes.count == 2)
        #expect(listing.hubs.map(\.key) != before.map(\.key))
        #expect(listing.hubs.count == 1)
        // It sends itself into nowhere: no row.
        let nowhere = try service("Hub", at: "8.8.8.8", txt: [Self.otherID])
        let last = listing.hubs
        #expect(
            listing.apply(.resolved(nowhere), at: .zero)
                == last.map { .removed($0) } + [.rejected(nowhere, .notLocal(nowhere.address))])
        #expect(listing.hubs.isEmpty)
    }

    @Test func aBadAddressDoesNotTakeTheGoodOnesAway() throws {
        var listing = HubListing(networks: [])
        let bad = try service("Hub", at: "127.0.0.1")
        let good = try service("Hub", at: "fe80::1%eth0")
        #expect(listing.apply(.resolved(bad), at: .zero) == [.rejected(bad, .loopback(bad.address))])
        #expect(listing.hubs.isEmpty)
        _ = listing.apply(.resolved(good), at: .zero)
        _ = listing.apply(.resolved(bad), at: .zero)
        #expect(listing.hubs.map(\.addresses) == [[good.address]])
    }

    @Test func rowsAreBoundedAndTheOldestMakeRoom() throws {
        var listing = HubListing(networks: [])
        var overflows = 0
        let real = try service("Real", at: "10.1.0.1", host: "real.local")
        for number in 0..<HubListing.maximumRows {
            // The first address has many, the others have few.
            let last = number < 200 ? 0 : number / 4
            let service = try service("Hub \(number)", at: "10.0.\(last / 250).\(last % 250 + 1)")
            overflows += listing.apply(.resolved(service), at: .zero).filter { $0 == .overflowed }.count
        }
        #expect(listing.hubs.count == HubListing.maximumRows)
        #expect(overflows == 0)
        let changes = listing.apply(.resolved(real), at: .zero)
        #expect(changes.contains(.overflowed))
        #expect(changes.contains { if case .added(let hub) = $0 { hub.name == "Real" } else { false } })
        #expect(listing.overflowCount == HubListing.roomAtATime)
        #expect(listing.hubs.count == HubListing.maximumRows - HubListing.roomAtATime + 1)
        #expect(listing.hubs.first?.name == "Hub \(HubListing.roomAtATime)")
        #expect(listing.hubs.count { $0.addresses.first?.description == "10.0.0.1" } == 136)
    }

    // Hubs that come and go under ever new names, and ones that never say goodbye.
    @Test(arguments: [true, false]) func everNewNamesTakeNoMoreMemory(sayingGoodbye: Bool) throws {
        var listing = HubListing(networks: HubAddressRulesTests.rules.networks)
        var most = 0
        for number in 0..<20_000 {
            let address = "192.168.1.\(number % 250 + 1)"
            let hub = try service("Hub \(number)", at: address, host: "h\(number).local")
            _ = listing.apply(
                .changed(hub.address, host: hub.host, interface: hub.instance.interface), at: .zero)
            _ = listing.apply(.resolved(hub), at: .zero)
            if sayingGoodbye { _ = listing.apply(.gone(.service(hub.instance)), at: .zero) }
            if number < 3_000 { most = max(most, listing.entryCount) }
        }
        #expect(listing.entryCount <= most)
    }

    @Test func aFloodFromOneAddressTakesNobodysPlace() throws {
        var listing = HubListing(networks: [])
        var floods: [HubListing.Change] = []
        for number in 0..<10_000 {
            let service = try service("Evil \(number)", at: "10.0.0.66", host: "evil.local")
            floods += listing.apply(.resolved(service), at: .zero).filter {
                if case .flooded = $0 { true } else { false }
            }
        }
        #expect(listing.hubs.count == HubListing.maximumServicesPerAddress)
        #expect(floods.count == 1)
        let real = try service("Hub", at: "10.0.0.1")
        #expect(listing.apply(.resolved(real), at: .zero) == [.added(try #require(listing.hubs.last))])
        // One of the evil ones goes, and one that was left out takes its place; who was is bounded, too.
        let before = listing.entryCount
        for number in 0..<100 {
            let gone = try service("Evil \(number)", at: "10.0.0.66")
            let changes = listing.apply(.gone(.service(gone.instance)), at: .zero)
            #expect(changes.contains { if case .removed = $0 { true } else { false } })
            #expect(changes.contains { if case .added = $0 { true } else { false } })
        }
        #expect(listing.hubs.count == HubListing.maximumServicesPerAddress + 1)
        #expect(listing.entryCount <= before)
        // What has gone while it was left out does not come in.
        let last = try service("Last", at: "10.0.0.66", host: "evil.local")
        #expect(listing.apply(.resolved(last), at: .zero).isEmpty)
        #expect(listing.apply(.gone(.service(last.instance)), at: .zero).isEmpty)
        for number in 100..<600 {
            let gone = try service("Evil \(number)", at: "10.0.0.66")
            _ = listing.apply(.gone(.service(gone.instance)), at: .zero)
        }
        #expect(!listing.hubs.contains { $0.name == "Last" })
    }

    @Test func aHubThatIsAnnouncedInBothFamiliesCountsOnce() throws {
        var listing = HubListing(networks: [])
        let count = HubListing.maximumServicesPerAddress
        // An answer over IPv6 that has no AAAA record yet names the IPv4 address, too.
        for number in 0..<count {
            for family in [NetworkAddress.Family.ipv4, .ipv6] {
                let hub = try service("Hub \(number)", at: "10.0.0.5")
                let instance = ServiceInstance(
                    nameBytes: hub.instance.nameBytes, interface: hub.instance.interface, family: family)
                let same = ResolvedService(
                    instance: instance, host: hub.host, port: hub.port, address: hub.address, txt: hub.txt)
                #expect(
                    listing.apply(.hinted(same), at: .zero).allSatisfy {
                        if case .flooded = $0 { false } else { true }
                    })
            }
        }
        #expect(listing.hubs.count == count)
    }

    @Test func theOtherAddressesOfAHostJoinItsRows() throws {
        var listing = HubListing(networks: HubAddressRulesTests.rules.networks)
        let hub = try service("Hub", at: "192.168.1.5", host: "HUB.local")
        let other = try #require(NetworkAddress("192.168.1.6"))
        let elsewhere = NetworkInterface(index: 9, name: "eth9")
        // Before the row is there, or after; on its own interface, whatever the case.
        _ = listing.apply(.changed(other, host: "hub.LOCAL", interface: hub.instance.interface), at: .zero)
        _ = listing.apply(.resolved(hub), at: .zero)
        #expect(listing.hubs.first?.addresses.map(\.description) == ["192.168.1.5", "192.168.1.6"])
        for bad in try [("192.168.1.7", elsewhere), ("127.0.0.1", hub.instance.interface)].map({
            (try #require(NetworkAddress($0)), $1)
        }) {
            #expect(listing.apply(.changed(bad.0, host: "hub.local", interface: bad.1), at: .zero).isEmpty)
        }
        #expect(
            listing.apply(
                .gone(.address(other, host: "hub.local", interface: hub.instance.interface)), at: .zero)
                == listing.hubs.map { .changed($0) })
        #expect(listing.hubs.first?.addresses.map(\.description) == ["192.168.1.5"])
    }

    @Test func hintsAreConfirmedOrExpire() throws {
        var listing = HubListing(networks: [])
        let one = try service("One", at: "10.0.0.1")
        let two = try service("Two", at: "10.0.0.2")
        for service in [one, two] { #expect(listing.apply(.hinted(service), at: .zero).count == 1) }
        #expect(listing.hasHints)
        #expect(listing.apply(.resolved(one), at: .zero).isEmpty)
        // A hint does not take the place of what is confirmed.
        #expect(listing.apply(.hinted(try service("One", at: "10.0.0.9")), at: .zero).isEmpty)
        #expect(listing.expireHints(at: .milliseconds(9_999)).isEmpty)
        #expect(listing.expireHints(at: .seconds(10)).count == 1)
        #expect(listing.hubs.map(\.name) == ["One"])
        #expect(!listing.hasHints)
    }

    @Test func eachHintExpiresInItsTime() throws {
        var listing = HubListing(networks: [])
        for (number, name) in ["One", "Two", "Three"].enumerated() {
            let hint = try service(name, at: "10.0.0.\(number)")
            _ = listing.apply(.hinted(hint), at: .seconds(2 * number))
        }
        // Hinted at once more.
        _ = listing.apply(.hinted(try service("Two", at: "10.0.0.1")), at: .seconds(3))
        for (time, names) in [
            (9, ["One", "Two", "Three"]), (10, ["Two", "Three"]), (12, ["Two", "Three"]), (13, ["Three"]),
            (14, []),
        ] {
            _ = listing.expireHints(at: .seconds(time))
            #expect(listing.hubs.map(\.name) == names, "at \(time) s")
        }
    }

    @Test func addressesAreBounded() throws {
        var listing = HubListing(networks: [])
        for number in 0..<HubListing.maximumAddresses + 10 {
            _ = listing.apply(
                .resolved(
                    try service(
                        "Hub", at: "10.0.0.\(number)", on: "eth\(number)", index: UInt32(number + 1),
                        txt: [Self.id])),
                at: .zero)
        }
        #expect(listing.hubs.map(\.addresses.count) == [HubListing.maximumAddresses])
        #expect(listing.overflowCount == 10)
    }

    @Test func namesAreBoundedAndNeverTrap() {
        let interface = NetworkInterface(index: 1, name: "eth0")
        let long = ServiceInstance(
            nameBytes: [UInt8](repeating: 0xFF, count: 5_000), interface: interface, family: .ipv4)
        #expect(long.nameBytes.count == 63)
        #expect(long.name == String(repeating: "\u{FFFD}", count: 63))
    }

    @Test func anInterfaceThatLostItsNameIsTheSame() {
        #expect(NetworkInterface(index: 7, name: "usb0") == NetworkInterface(index: 7, name: "7"))
        #expect(NetworkInterface(index: 7, name: "usb0") != NetworkInterface(index: 8, name: "usb0"))
    }
}
