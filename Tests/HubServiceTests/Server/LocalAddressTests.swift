import Addresses
import Testing

@testable import HubService

@Suite struct LocalAddressTests {
    static let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
    static let toEth = "eth0\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n"
    static let toWlan = "wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
    static let local = "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"

    static func network(_ interface: String, _ address: String) throws -> LocalNetwork {
        LocalNetwork(interface: interface, address: try #require(NetworkAddress(address)), prefixLength: 24)
    }

    @Test(arguments: [
        (header + toWlan + toEth + local, "192.0.2.1"), (header + toWlan, "198.51.100.1"),
        (header + local, nil), ("", nil), ("nonsense\nmore nonsense\n", nil),
    ])
    func theDefaultRouteDecides(routes: String, expected: String?) throws {
        let networks = try [
            Self.network("docker0", "172.17.0.1"), Self.network("wlan0", "198.51.100.1"),
            Self.network("eth0", "192.0.2.1"),
        ]
        #expect(LocalAddress.preferred(among: networks, routes: routes)?.description == expected)
    }

    @Test func theOnlyOneNeedsNoRoute() throws {
        let networks = try [
            Self.network("lo", "127.0.0.1"), Self.network("eth0", "192.0.2.1"),
            Self.network("eth0", "fe80::1"),
            Self.network("usb0", "169.254.3.4"),
        ]
        #expect(LocalAddress.preferred(among: networks, routes: "")?.description == "192.0.2.1")
    }

    /// The kernel gives a page or so with each read: the map of this process's memory is longer.
    @Test func aTableOfTheKernelIsReadToItsEnd() throws {
        let maps = ProcFile.text("/proc/self/maps")
        #expect(maps.utf8.count > 8_192)
        #expect(maps.hasSuffix("[vsyscall]\n"))
        #expect(ProcFile.bytes("/proc/self/no-such-file") == nil)
        #expect(ProcFile.bytes("/dev/zero")?.count == ProcFile.maximumSize)
    }
}
