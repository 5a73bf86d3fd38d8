import Addresses
import Discovery
import Testing

@Suite struct HubProofsTests {
    static let rules = HubAddressRulesTests.rules

    private func pin(_ byte: UInt8) throws -> Pin {
        try #require(Pin(bytes: [UInt8](repeating: byte, count: 32)))
    }

    private func proof(
        _ address: String, _ byte: UInt8, name: String = "", source: DiscoveredHub.Source? = nil,
        isHandshake: Bool = true, time: Duration = .zero
    ) throws -> HubProof {
        HubProof(
            address: try #require(NetworkAddress(address)), port: 8000, pin: try pin(byte), name: name,
            id: name.isEmpty ? nil : try pin(byte).fingerprint, source: source, isHandshake: isHandshake,
            time: time)
    }

    private func rows(
        _ services: [ResolvedService], _ proofs: [HubProof], known: Set<Pin> = []
    ) -> [DiscoveredHub] {
        var listing = HubListing(networks: Self.rules.networks)
        for service in services { _ = listing.apply(.resolved(service), at: .zero) }
        var all = HubProofs()
        for proof in proofs { _ = all.insert(proof) }
        return all.merged(with: listing.hubs, rules: Self.rules, known: known)
    }

    @Test func aProofJoinsTheRowOfItsAddress() throws {
        let row = try #require(
            rows(
                [service("Hub", at: "192.168.1.5"), service("Hub", at: "fe80::5%eth0")],
                [proof("192.168.1.5", 1, name: "Hub", source: .udp)]
            ).first)
        #expect(row.pin == (try pin(1)))
        #expect(row.addresses.map(\.description) == ["192.168.1.5", "fe80::5%eth0"])
        #expect(row.sources == [.mdns, .udp])
    }

    @Test func whereARelayHasAnsweredIsNotTheFirstAddress() throws {
        let announced = try [service("Hub", at: "192.168.1.50", txt: ["id=\(pin(1).fingerprint)"])]
        let own = try proof("192.168.1.50", 1, name: "Hub", source: .udp, isHandshake: false)
        let relayed = try proof("192.168.1.2", 1, name: "Hub", source: .udp, isHandshake: false)
        let row = try #require(rows(announced, [relayed, own]).first)
        #expect(row.addresses.map(\.description) == ["192.168.1.50", "192.168.1.2"])
        // A connection is as good as an announcement.
        let met = try proof("192.168.1.2", 1, name: "Hub", source: .scan)
        #expect(
            rows(announced, [own, met]).first?.addresses.map(\.description)
                == ["192.168.1.2", "192.168.1.50"])
    }

    @Test func serversWithOneNameAreTwoRows() throws {
        let twins = try [
            service("HestiaServer", at: "192.168.1.5"), service("HestiaServer", at: "192.168.1.6", index: 3),
        ]
        #expect(rows(twins, []).count == 1)
        let found = try rows(twins, [proof("192.168.1.5", 1), proof("192.168.1.6", 2)])
        #expect(found.map { $0.addresses.map(\.description) } == [["192.168.1.5"], ["192.168.1.6"]])
        #expect(Set(found.map(\.key)).count == 2)
        // The same key at both: one hub on two networks.
        #expect(try rows(twins, [proof("192.168.1.5", 1), proof("192.168.1.6", 1)]).count == 1)
        // One that tells nothing stays where it was announced.
        #expect(try rows(twins, [proof("192.168.1.6", 1)]).count == 1)
    }

    @Test func whatIsNotAnnouncedIsARowOfItsOwn() throws {
        let found = try rows(
            [],
            [
                proof(
                    "192.168.1.5", 1, name: "Hub", source: .udp, isHandshake: false, time: .milliseconds(3)),
                proof(
                    "fe80::5%eth0", 1, name: "Hub", source: .udp, isHandshake: false, time: .milliseconds(2)),
                proof("192.168.1.9", 2),
            ])
        let row = try #require(found.first)
        #expect(found.count == 1)  // a handshake that was only asked for makes no row
        #expect(row.name == "Hub")
        #expect(row.addresses.map(\.description) == ["192.168.1.5", "fe80::5%eth0"])
        #expect(row.sources == [.udp])
        #expect(row.firstSeen == .milliseconds(2))
        #expect(row.id == row.pin?.fingerprint)
    }

    @Test func theSameKeyElsewhereJoinsTheRowThatHasProvenIt() throws {
        let announced = try [service("Hub", at: "fe80::5%eth0")]
        let reply = try proof("192.168.1.5", 1, name: "Hub", source: .udp, isHandshake: false)
        #expect(rows(announced, [reply]).count == 2)
        let found = try rows(announced, [reply, proof("fe80::5%eth0", 1)])
        #expect(found.map { $0.addresses.map(\.description) } == [["192.168.1.5", "fe80::5%eth0"]])
    }

    @Test func aCopiedIDJoinsNothing() throws {
        let id = "id=\(try pin(1).fingerprint)"
        let found = try rows(
            [service("Evil", at: "192.168.1.66", txt: [id])],
            [proof("192.168.1.5", 1, name: "Hub", source: .udp, isHandshake: false)])
        #expect(found.map(\.name) == ["Evil", "Hub"])
        #expect(found.map { $0.pin == nil } == [true, false])
    }

    /// A reply whose source is made up puts another key at the hub's address: the hub keeps its row.
    @Test func aSpoofedReplyHidesNothing() throws {
        let id = "id=\(try pin(1).fingerprint)"
        let hub = try service("Hub", at: "192.168.1.5", txt: [id])
        let evil = try proof("192.168.1.5", 2, name: "Hub", source: .udp, isHandshake: false)
        let good = try proof("192.168.1.5", 1, name: "Hub", source: .udp, isHandshake: false)
        for order in [[evil, good], [good, evil]] {
            let found = rows([hub], order)
            #expect(found.map(\.pin) == [good.pin, evil.pin])
            #expect(found.first?.key.pin == nil)
        }
        // A handshake settles it, before or after.
        let handshake = try proof("192.168.1.5", 1)
        for order in [[evil, handshake], [handshake, evil]] {
            #expect(rows([hub], order).map(\.pin) == [good.pin])
        }
    }

    /// Somebody announces a known hub's address under another `id`, or another name and none.
    @Test func nobodyHidesAKnownHub() throws {
        let proofs = try [proof("192.168.1.5", 1, name: "Hub", source: .udp)]
        for (name, txt) in [("Hub", ["id=\(try pin(9).fingerprint)"]), ("Garage", [])] {
            let announced = try service(name, at: "192.168.1.5", txt: txt)
            let found = rows([announced], proofs, known: [try pin(1)])
            #expect(found.map(\.name) == [name, "Hub"])
            #expect(found.map(\.pin) == [nil, try pin(1)])
            // It is in its own row again once it announces itself.
            let hub = try service(
                "Hub", at: "192.168.1.5", index: 3, txt: ["id=\(try pin(1).fingerprint)"])
            let both = rows([announced, hub], proofs, known: [try pin(1)])
            #expect(both.map(\.pin) == [nil, try pin(1)])
            #expect(both.last?.sources == [.mdns, .udp])
        }
        // A stock hub's announcement with the name that the hub gives itself is the hub's.
        #expect(rows([try service("Hub", at: "192.168.1.5")], proofs, known: [try pin(1)]).count == 1)
    }

    @Test func aHandshakeFindsRoom() throws {
        var proofs = HubProofs()
        for number in 0..<HubProofs.maximumCount {
            _ = proofs.insert(
                try proof(
                    "10.0.\(number / 256).\(number % 256)", 1, name: "Hub", source: .udp, isHandshake: false))
        }
        let reply = proofs.insert(try proof("10.1.0.1", 2, name: "Hub", source: .udp, isHandshake: false))
        let handshake = proofs.insert(try proof("10.1.0.1", 2, name: "Hub", source: .scan))
        #expect([reply, handshake] == [false, true])
    }

    @Test func proofsAreBounded() throws {
        var proofs = HubProofs()
        var taken = 0
        for number in 0..<HubProofs.maximumCount + 10 {
            if proofs.insert(try proof("10.0.\(number / 256).\(number % 256)", 1, name: "Hub", source: .udp))
            {
                taken += 1
            }
        }
        #expect(taken == HubProofs.maximumCount)
        let row = try #require(proofs.merged(with: [], rules: Self.rules).first)
        #expect(row.addresses.count == HubListing.maximumAddresses)
        for byte: UInt8 in 0..<10 {
            _ = proofs.insert(try proof("10.0.0.1", byte, source: .udp, isHandshake: false))
        }
        #expect(proofs.merged(with: [], rules: Self.rules).count == 1)  // the handshake there stands
    }

    @Test func onlyNewsCount() throws {
        var proofs = HubProofs()
        let news = try [
            proof("10.0.0.1", 1, time: .milliseconds(1)), proof("10.0.0.1", 1, time: .milliseconds(9)),
            proof("10.0.0.1", 1, name: "Hub", source: .udp),
        ].map { proofs.insert($0) }
        #expect(news == [true, false, true])
        let address = try #require(NetworkAddress("10.0.0.1"))
        let place = HubAddress(address, port: 8000)
        #expect(proofs.hasHandshake(at: place))
        let removals = [proofs.remove(at: place), proofs.remove(at: place)]
        #expect(removals == [true, false])
    }
}
