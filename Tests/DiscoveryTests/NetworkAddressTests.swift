import Discovery
import Testing

@Suite struct NetworkAddressTests {
    @Test(arguments: [
        "192.168.1.20", "0.0.0.0", "::", "::1", "fd77::1", "2001:db8::1:0:0:1", "fe80::1%eth0", "fe80::1%3",
        "fe80::1", "::ffff:192.0.2.1",
    ])
    func roundTrip(text: String) throws {
        #expect(try #require(NetworkAddress(text)).description == text)
    }

    @Test(arguments: [
        "", "192.168.1", "192.168.1.256", "192.168.1.1.1", " 192.168.1.1", "0x7f.1", "hub.local", "fe80::1%",
        "fe80::1%eth 0", "fe80::1%eth0%1", "fe80::1%eth/0", "fe80::1%interface-of-16b", "fd77::1%eth0",
        "192.168.1.1%eth0", "[::1]", "::1\0", "%eth0", String(repeating: "1", count: 10_000),
    ])
    func rejection(text: String) {
        #expect(NetworkAddress(text) == nil)
    }

    @Test(arguments: [0, 3, 5, 15, 17])
    func rejectsOtherLengths(count: Int) {
        #expect(NetworkAddress(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    @Test func onlyLinkLocalIPv6HasAScope() throws {
        let linkLocal = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        #expect(NetworkAddress(bytes: linkLocal, scope: "eth0")?.description == "fe80::1%eth0")
        #expect(NetworkAddress(bytes: [192, 168, 1, 1], scope: "eth0")?.scope == nil)
        #expect(try #require(NetworkAddress("fe80::1%a")) != #require(NetworkAddress("fe80::1%b")))
    }

    @Test(arguments: [
        ("192.168.1.2", "192.168.1.2:8000"), ("fd77::1", "[fd77::1]:8000"),
        ("fe80::1%eth0", "[fe80::1%eth0]:8000"),
    ])
    func withPort(text: String, expected: String) throws {
        #expect(try #require(NetworkAddress(text)).description(withPort: 8000) == expected)
    }

    @Test func thisMachineHasALoopback() throws {
        let loopback = LocalNetwork.current().filter { $0.address.isLoopback && $0.address.family == .ipv4 }
        #expect(loopback.map(\.interface) == ["lo"])
        #expect(loopback.map(\.prefixLength) == [8])
    }
}

@Suite struct HubAddressRulesTests {
    static let rules = HubAddressRules(
        networks: [
            ("lo", "127.0.0.1", 8), ("lo", "::1", 128), ("eth0", "192.168.1.10", 24),
            ("eth0", "fd77::10", 64),
            ("eth0", "fe80::10%eth0", 64), ("eth1", "203.0.113.10", 28), ("tun0", "10.8.0.2", 32),
        ].compactMap { interface, text, length in
            NetworkAddress(text).map { LocalNetwork(interface: interface, address: $0, prefixLength: length) }
        })

    @Test(arguments: [
        ("192.168.1.20", "eth0"), ("192.168.1.10", "eth0"), ("192.168.99.1", "eth0"), ("10.0.0.1", "eth0"),
        ("172.16.0.1", "eth0"), ("172.31.255.1", "eth0"), ("169.254.3.4", "eth0"), ("fe80::1%eth0", "eth0"),
        ("fd00::1", "eth0"), ("2001:db8::1", "eth0"), ("203.0.113.5", "eth1"), ("203.0.113.10", "eth0"),
        ("127.0.0.1", "lo"), ("127.8.8.8", "lo"), ("::1", "lo"), ("192.168.1.10", "lo"), ("10.8.0.2", "tun0"),
    ])
    func accepts(text: String, interface: String) throws {
        try Self.rules.check(#require(NetworkAddress(text)), port: 8000, on: interface)
    }

    @Test(arguments: [
        ("0.0.0.0", HubAddressError.unspecified), ("::", HubAddressError.unspecified),
        ("224.0.0.251", HubAddressError.multicast), ("239.1.1.1", HubAddressError.multicast),
        ("ff02::fb", HubAddressError.multicast), ("255.255.255.255", HubAddressError.broadcast),
        ("192.168.1.255", HubAddressError.broadcast), ("203.0.113.15", HubAddressError.broadcast),
        ("127.0.0.1", HubAddressError.loopback), ("127.255.255.255", HubAddressError.loopback),
        ("::1", HubAddressError.loopback), ("8.8.8.8", HubAddressError.notLocal),
        ("203.0.113.16", HubAddressError.notLocal), ("172.32.0.1", HubAddressError.notLocal),
        ("192.169.1.1", HubAddressError.notLocal), ("100.64.0.1", HubAddressError.notLocal),
        ("0.0.0.1", HubAddressError.notLocal), ("240.0.0.1", HubAddressError.notLocal),
        ("::ffff:192.168.1.20", HubAddressError.notLocal), ("64:ff9b::808:808", HubAddressError.notLocal),
    ])
    func rejects(text: String, error: @Sendable (NetworkAddress) -> HubAddressError) throws {
        let address = try #require(NetworkAddress(text))
        #expect(throws: error(address)) { try Self.rules.check(address, port: 8000, on: "eth0") }
    }

    @Test func rejectsPortZero() throws {
        let address = try #require(NetworkAddress("192.168.1.20"))
        #expect(throws: HubAddressError.portZero) { try Self.rules.check(address, port: 0, on: "eth0") }
    }

    @Test func withoutNetworksLoopbackIsNobodys() throws {
        let address = try #require(NetworkAddress("127.0.0.1"))
        #expect(throws: HubAddressError.loopback(address)) {
            try HubAddressRules(networks: []).check(address, port: 8000, on: "lo")
        }
    }

    @Test func bestFirst() throws {
        let expected = [
            "192.168.1.3", "192.168.1.20", "203.0.113.2", "fd77::3", "10.0.0.1", "192.168.2.3", "2001:db8::1",
            "fd00::1", "fe80::1%eth0", "fe80::1%eth1", "169.254.1.1", "127.0.0.1", "::1",
        ]
        // The address with the lower bytes is first within a rank: 127.0.0.1 is shorter than ::1.
        let addresses = try expected.map { try #require(NetworkAddress($0)) }
        for _ in 1...20 {
            let sorted = Self.rules.bestFirst(addresses.shuffled()).map(\.description)
            #expect(Set(sorted.suffix(2)) == Set(expected.suffix(2)))
            #expect(sorted.dropLast(2) == expected.dropLast(2))
        }
    }
}
