import Testing

@testable import Discovery

@Suite struct UDPLinksTests {
    private func link(
        _ index: UInt32, _ name: String, _ addresses: [(String, Int)], isLoopback: Bool = false,
        canBroadcast: Bool = true
    ) throws -> UDPLink {
        var link = UDPLink(
            interface: NetworkInterface(index: index, name: name), isLoopback: isLoopback,
            canBroadcast: canBroadcast && !isLoopback, canMulticast: true)
        for (text, length) in addresses {
            let bytes = try #require(NetworkAddress(text)).bytes
            let address = try #require(NetworkAddress(bytes: bytes, scope: name))
            let network = LocalNetwork(interface: name, address: address, prefixLength: length)
            link.networks.append(network)
        }
        return link
    }

    private func links() throws -> UDPLinks {
        try UDPLinks([
            link(1, "lo", [("127.0.0.1", 8), ("::1", 128)], isLoopback: true),
            link(2, "eth0", [("192.168.1.2", 24), ("10.1.2.3", 20), ("fe80::2", 64), ("fd00::2", 64)]),
            link(3, "wlan0", [("192.168.1.3", 24), ("fe80::3", 64)]),
            link(4, "tun0", [("10.8.0.2", 32)], canBroadcast: false),
            link(5, "eth1", [("2001:db8::5", 64)]),
            link(6, "eth2", [("172.16.0.1", 31)]),
        ])
    }

    @Test func asksOnEveryLinkThatReachesEverybody() throws {
        let targets = try links().targets(port: 8_000).map { target in
            "\(NetworkAddress(bytes: target.peer)?.description ?? "") \(target.interface)"
        }
        #expect(
            targets == [
                "127.0.0.1 1", "::1 1", "10.1.15.255 2", "192.168.1.255 2", "255.255.255.255 2", "ff02::1 2",
                "192.168.1.255 3", "255.255.255.255 3", "ff02::1 3", "255.255.255.255 6",
            ])
    }

    @Test(arguments: [
        ("192.168.1.77", 2, "192.168.1.77"), ("10.1.15.254", 2, "10.1.15.254"),
        ("fe80::77", 2, "fe80::77%eth0"), ("fe80::77", 3, "fe80::77%wlan0"), ("fd00::77", 2, "fd00::77"),
        ("2001:db8::77", 5, "2001:db8::77"), ("172.16.0.0", 6, "172.16.0.0"),
        // This machine to itself.
        ("127.0.0.1", 1, "127.0.0.1"), ("::1", 1, "::1"), ("192.168.1.2", 1, "192.168.1.2"),
        ("192.168.1.2", 2, "192.168.1.2"), ("fe80::3", 1, "fe80::3%wlan0"),
    ])
    func isOnLink(source: String, interface: UInt32, expected: String) throws {
        let bytes = try #require(NetworkAddress(source)).bytes
        #expect(try links().onLinkSource(bytes, on: interface)?.description == expected)
    }

    @Test(arguments: [
        ("192.168.2.77", 2), ("8.8.8.8", 2), ("10.1.16.1", 2), ("10.1.2.3", 3), ("fd00::77", 3),
        ("2001:db8:0:1::77", 5), ("10.8.0.1", 4), ("192.168.1.77", 9), ("192.168.1.77", 0),
        ("192.168.1.77", 1),
        ("127.0.0.1", 2), ("::1", 2), ("0.0.0.0", 2), ("::", 2), ("255.255.255.255", 2), ("192.168.1.255", 2),
        ("224.0.0.1", 2), ("ff02::1", 2),
    ])
    func isNotOnLink(source: String, interface: UInt32) throws {
        let bytes = try #require(NetworkAddress(source)).bytes
        #expect(try links().onLinkSource(bytes, on: interface) == nil)
    }

    @Test func thereAreNeverMoreThanSixtyFour() throws {
        let many = try (1...1_000).map { try link(UInt32($0), "veth\($0)", [("10.0.0.1", 24)]) }
        #expect(UDPLinks(many).links.count == 64)
        #expect(UDPLinks(many).targets(port: 8_000).count == 128)
    }
}
