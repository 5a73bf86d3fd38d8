import Addresses
import Pairing
import Testing

@testable import HubClient

@Suite struct SweepRangeTests {
    @Test(arguments: [
        ("192.168.1.0/24", "192.168.1.0/24", 254, "192.168.1.1"),
        ("192.168.1.77/24", "192.168.1.0/24", 254, "192.168.1.1"),
        ("10.0.0.0/20", "10.0.0.0/20", 4_094, "10.0.0.1"),
        ("172.16.0.4/31", "172.16.0.4/31", 2, "172.16.0.4"),
        ("127.0.0.1/32", "127.0.0.1/32", 1, "127.0.0.1"), ("10.0.0.7", "10.0.0.7/32", 1, "10.0.0.7"),
        ("fd77::7", "fd77::7/128", 1, "fd77::7"),
        ("169.254.3.0/30", "169.254.3.0/30", 2, "169.254.3.1"),
        ("fd77::/120", "fd77::/120", 256, "fd77::"), ("fe80::%eth0/127", "fe80::%eth0/127", 2, "fe80::%eth0"),
        ("::1/128", "::1/128", 1, "::1"),
    ])
    func accepted(text: String, description: String, count: Int, first: String) throws {
        let range = try SweepRange(text)
        #expect(range.description == description)
        #expect(range.addresses.count == count)
        #expect(Set(range.addresses).count == count)
        #expect(range.addresses.first?.description == first)
    }

    @Test(arguments: [
        "192.168.1", "192.168.1.0/", "8.8.8.8", "192.168.1.0/33", "192.168.1.0/+24", "192.168.1/24", "/24",
        "",
        "hub/24",
        "192.168.1.0/24/24", "10.0.0.0/8", "10.0.0.0/19", "fd77::/64", "8.8.8.0/24", "172.32.0.0/24",
        "224.0.0.0/24",
        "0.0.0.0/32", "2001:db8::/120", "fe80::/120", "192.168.1.0/-1", "192.168.1.0/256",
    ])
    func refused(text: String) {
        #expect(throws: SweepRangeError.self) { try SweepRange(text) }
    }

    @Test func theRangeAroundThisMachine() throws {
        let network = { (text: String, prefix: Int) throws in
            LocalNetwork(interface: "eth0", address: try #require(NetworkAddress(text)), prefixLength: prefix)
        }
        #expect(try SweepRange(around: [network("127.0.0.1", 8)]) == nil)
        #expect(try SweepRange(around: [network("203.0.113.5", 24)]) == nil)
        #expect(
            try SweepRange(around: [network("127.0.0.1", 8), network("192.168.1.7", 24)])?.description
                == "192.168.1.0/24")
        #expect(try SweepRange(around: [network("10.9.8.7", 8)])?.description == "10.9.8.0/22")
    }
}
