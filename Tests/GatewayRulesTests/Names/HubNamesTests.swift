import Addresses
import Testing

@testable import GatewayRules

/// What a hub is called, from what the machine, its files and multicast DNS say.
@Suite struct HubNamesTests {
    private func names(_ body: (inout HubNames.Sources) throws -> Void) rethrows -> HubNames {
        var sources = HubNames.Sources()
        sources.machine = "Raspi"
        try body(&sources)
        return HubNames(sources)
    }

    private func network(_ text: String, _ interface: String = "eth0") throws -> LocalNetwork {
        LocalNetwork(interface: interface, address: try #require(NetworkAddress(text)), prefixLength: 24)
    }

    @Test func whatMulticastDNSSaysReplacesTheHostName() {
        #expect(names { _ in }.contains(.name("raspi.local")))
        let second = names { $0.announced = ["raspi-2.local", "hubpair-7mrmfeph.local"] }
        #expect(second.contains(.name("raspi-2.local")) && second.contains(.name("hubpair-7mrmfeph.local")))
        // It is another machine's.
        #expect(!second.contains(.name("raspi.local")))
        #expect(second.certified(.home).names == ["raspi-2.local", "hubpair-7mrmfeph.local", "localhost"])
    }

    /// Nobody outside can have a name in these zones; in all others somebody may.
    @Test func aRoutersDomainCountsOnlyInAZoneOfHomes() {
        let domains = ["fritz.box", "evil.example", "home.arpa", "lan.internal", "xinternal"]
        let names = names {
            $0.domains = domains
            $0.machine = "raspi.evil.example"
        }
        #expect(names.contains(.name("raspi.home.arpa")) && names.contains(.name("raspi.lan.internal")))
        for name in ["raspi.fritz.box", "raspi.evil.example", "raspi.xinternal", "raspi"] {
            #expect(!names.contains(.name(name)), "\(name)")
        }
        #expect(self.names { $0.machine = "raspi.home.arpa" }.contains(.name("raspi.home.arpa")))
    }

    @Test func everyAddressCountsAndEachHasItsCertificate() throws {
        let leaves: [(String, HubNames.Leaf?)] = [
            ("192.168.1.20", .home), ("10.0.0.1", .home), ("172.16.3.4", .home), ("169.254.7.7", .home),
            ("fd77::1", .home), ("fe80::1", .home), ("127.0.0.1", .home), ("::1", .home),
            ("100.64.0.1", .wide), ("100.127.255.254", .wide), ("100.128.0.1", nil), ("100.63.0.1", nil),
            ("203.0.113.7", nil), ("2001:db8::1", nil),
        ]
        let all = try names { sources in
            sources.networks = try leaves.map { try network($0.0) }
        }
        for (text, leaf) in leaves {
            let host = try #require(WebHost(text))
            #expect(all.contains(host), "\(text)")
            #expect(HubNames.leaf(of: host) == leaf, "\(text)")
        }
        #expect(all.certified(.wide).addresses.map(\.description) == ["100.64.0.1", "100.127.255.254"])
        #expect(!all.certified(.home).addresses.contains { $0.isShared || $0.isGlobalIPv6 })
        #expect(!all.contains(.address(try #require(NetworkAddress("192.168.1.21")))))
        for (name, leaf) in [
            ("kitchen.local", HubNames.Leaf.home), ("kitchen.home.arpa", .home), ("localhost", .home),
            ("kitchen.internal", .wide), ("kitchen.fritz.box", nil), ("notlocal", nil),
            ("local.example", nil),
        ] {
            #expect(HubNames.leaf(of: .name(name)) == leaf, "\(name)")
        }
    }

    @Test func anInstalledCertificateGoesFirstAndStandsForItsNames() {
        let names = names {
            $0.installed = ["kitchen.example.org"]
            $0.added = [.name("kitchen.fritz.box")]
        }
        #expect(names.entries.first?.host == .name("kitchen.example.org"))
        #expect(names.entries.first?.leaf == .installed)
        #expect(names.entries.first { $0.origin == .settings }?.leaf == nil)
        #expect(names.contains(.name("kitchen.fritz.box")))
    }

    @Test func aMachineWithThousandsOfAddressesHasACertificateOfBoundedSize() throws {
        let many = try names { sources in
            sources.networks = try (0..<3_000).map { try network("10.0.\($0 / 250).\($0 % 250 + 1)") }
        }
        #expect(many.certified(.home).addresses.count <= HubNames.maximumCertified + 4)
        #expect(many.certified(.home).addresses.contains { $0.isLoopback })
        #expect(many.entries.count > 3_000)
    }

    @Test(arguments: [
        ("Kitchen.local", "kitchen.local"), ("kitchen.local.", "kitchen.local"),
        ("192.168.1.20", "192.168.1.20"),
        ("[fd77::1]", "[fd77::1]"), ("fd77:0::1", "[fd77::1]"), ("fe80::1%eth0", "[fe80::1]"),
        ("https://Kitchen.fritz.box:8000/hubpair/", "kitchen.fritz.box"), ("kitchen:8000", "kitchen"),
        ("https://[fd77::1]:8000", "[fd77::1]"), ("http://kitchen.local", "kitchen.local"),
    ])
    func whatAPersonPastesIsRead(text: String, host: String) throws {
        #expect(try #require(WebHost(pasted: text)).description == host)
    }

    @Test(arguments: [
        "", ".", "a..b", "küche.local", "3232235796", "1.2.3", "[kitchen.local]", "[::1", "https://", "-hub",
        "kitchen local", "https:///x", "kitchen:99999",
    ])
    func whatIsNoHostIsRefused(text: String) { #expect(WebHost(pasted: text) == nil) }
}
