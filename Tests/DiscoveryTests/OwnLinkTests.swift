import Addresses
import Discovery
import TestSupport
import Testing

/// Which addresses a code may send this machine to: generated ones, held against a model in 32-bit numbers.
@Suite struct OwnLinkTests {
    private struct Link {
        let own: UInt32
        let bits: Int

        var mask: UInt32 { bits == 0 ? 0 : UInt32.max << UInt32(32 - bits) }
        var network: LocalNetwork? {
            OwnLinkTests.address(own).map {
                LocalNetwork(interface: "lan", address: $0, prefixLength: bits)
            }
        }
    }

    private static func address(_ number: UInt32) -> NetworkAddress? {
        NetworkAddress(bytes: (0..<4).map { UInt8(truncatingIfNeeded: number >> UInt32(24 - 8 * $0)) })
    }

    private static func number(_ text: String) -> UInt32 {
        text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
    }

    @Test func onlyOwnLinksAndThisMachine() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var random = SplitMix64(seed: seed)
        let special = [
            "0.0.0.0", "255.255.255.255", "127.0.0.1", "127.255.255.255", "224.0.0.251", "239.255.255.250",
            "169.254.1.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "8.8.8.8", "100.64.0.1", "203.0.113.9",
        ].map(OwnLinkTests.number)
        var tried = [true: 0, false: 0]
        for _ in 0..<20_000 {
            let links = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let own =
                    Bool.random(using: &random)
                    ? special[9] ^ UInt32.random(in: 0...0xFFFF, using: &random)
                    : UInt32.random(in: 0x0100_0000...0xDFFF_FFFF, using: &random)
                return Link(own: own, bits: Int.random(in: 8...32, using: &random))
            }.filter { $0.own >> 24 != 127 }
            // Near a link, special, or anywhere.
            let number: UInt32
            switch (Int.random(in: 0...3, using: &random), links.randomElement(using: &random)) {
            case (0, let link?): number = link.own ^ (1 << UInt32.random(in: 0...31, using: &random))
            case (1, let link?): number = link.own | ~link.mask
            case (2, _): number = special[Int.random(in: 0..<special.count, using: &random)]
            default: number = UInt32.random(in: 0 ... .max, using: &random)
            }
            let isHost =
                number != 0 && number != .max && number >> 28 != 0xE
                && !links.contains { $0.bits <= 30 && number == $0.own | ~$0.mask }
            let isNear = number >> 24 == 127 || links.contains { number & $0.mask == $0.own & $0.mask }
            let rules = HubAddressRules(networks: links.compactMap(\.network))
            let address = try #require(OwnLinkTests.address(number))
            tried[isHost && isNear, default: 0] += 1
            #expect(rules.isOnOwnLink(address) == (isHost && isNear), "\(address) \(links), seed \(seed)")
            // Written as IPv6, an address is on no IPv4 link, and no code has one.
            let mapped = NetworkAddress(
                bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + address.bytes)
            #expect(try !rules.isOnOwnLink(#require(mapped)))
        }
        #expect(tried.values.allSatisfy { $0 > 1000 }, "\(tried)")
    }

    @Test func noLinkNoAddress() throws {
        let rules = HubAddressRules(networks: [])
        #expect(try !rules.isOnOwnLink(#require(NetworkAddress("192.168.1.20"))))
        #expect(try rules.isOnOwnLink(#require(NetworkAddress("127.0.0.1"))))
    }
}
