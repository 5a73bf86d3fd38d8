import Addresses
import GatewayRules
import Testing

/// The first bytes of a connection: a server name, and the header with a caller's address.
@Suite struct TunnelTests {
    private func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(value >> ($0 * 8) & 0xFF) }
    }

    private func vector(_ bytes: [UInt8], _ count: Int) -> [UInt8] { number(bytes.count, count) + bytes }

    private func serverName(_ name: String) -> [UInt8] {
        number(0, 2) + vector(vector([0] + vector(Array(name.utf8), 2), 2), 2)
    }

    /// A value that is reserved so that it is ignored (RFC 8701).
    private var grease: [UInt8] { number(0x1A1A, 2) + vector([0], 2) }

    private func hello(_ extensions: [UInt8]) -> [UInt8] {
        let body =
            [0x03, 0x03] + [UInt8](repeating: 7, count: 32) + vector([UInt8](repeating: 9, count: 32), 1)
            + vector([0x2A, 0x2A, 0x13, 0x01], 2) + vector([0], 1) + vector(extensions, 2)
        return [0x01] + vector(body, 3)
    }

    private func records(_ message: [UInt8], of size: Int) -> [UInt8] {
        stride(from: 0, to: message.count, by: size).flatMap { start in
            [0x16, 0x03, 0x01] + vector(Array(message[start..<min(start + size, message.count)]), 2)
        }
    }

    private let name = "k7qf-2m9d-x0tw-8rhc.hub.invalid"

    @Test(arguments: [1, 2, 3, 5, 64, 16_384])
    func aNameIsReadHoweverTheRecordsAreCut(size: Int) {
        let bytes = records(hello(grease + serverName("K7QF-2m9d-x0tw-8rhc.hub.invalid.")), of: size)
        for count in 0..<bytes.count {
            #expect(ClientHello.read(Array(bytes.prefix(count))) == .more)
        }
        #expect(ClientHello.read(bytes) == .name(name))
        // What follows in the same packet belongs to the hub.
        #expect(ClientHello.read(bytes + [0x17, 0x03, 0x03, 0x00, 0x01, 0x00]) == .name(name))
    }

    /// What may be offered beside `acme-tls/1`: nothing (RFC 8737 § 3).
    @Test func anAuthorityOffersOneProtocolAlone() {
        func offering(_ protocols: [String]) -> ClientHello.Verdict {
            let list = protocols.flatMap { vector(Array($0.utf8), 1) }
            let offer = number(16, 2) + vector(vector(list, 2), 2)
            return ClientHello.read(records(hello(offer + serverName(name)), of: 400))
        }
        #expect(offering(["acme-tls/1"]) == .name(name, isChallenge: true))
        for others in [["http/1.1"], ["acme-tls/1", "http/1.1"], ["h2", "acme-tls/1"], ["acme-tls/2"], []] {
            #expect(offering(others) == .name(name))
        }
    }

    @Test func aHelloWithoutANameHasNone() {
        #expect(ClientHello.read(records(hello(grease), of: 100)) == .noName)
        #expect(ClientHello.read(records(hello([]), of: 100)) == .noName)
    }

    @Test func whatIsNoHelloIsMalformed() {
        let good = hello(serverName(name))
        var cases: [[UInt8]] = [
            Array("GET / HTTP/1.1\r\n".utf8), [0x16, 0x02], [0x16, 0x03, 0x01, 0x00, 0x00],
            [0x16, 0x03, 0x01, 0x40, 0x01], [0x16, 0x03, 0x01, 0x00, 0x01, 0x02],
            [0x16, 0x03, 0x01, 0x00, 0x04, 0x01, 0x01, 0x00, 0x00],
            records(hello(serverName(name) + serverName(name)), of: 400),
            records(hello(grease + grease), of: 400), records(hello(serverName("")), of: 400),
            records(hello(serverName("kitchen hub")), of: 400),
            records(hello(serverName("k\u{E4}se")), of: 400),
            records(hello(number(0, 2) + vector([], 2)), of: 400),
            records(Array(good.dropLast()), of: 400) + [0x15],
        ]
        // Two names in one list.
        let two = [0] + vector(Array("a".utf8), 2) + [0] + vector(Array("b".utf8), 2)
        cases.append(records(hello(number(0, 2) + vector(vector(two, 2), 2)), of: 400))
        for bytes in cases { #expect(ClientHello.read(bytes) == .malformed, "\(bytes.prefix(12))") }
        #expect(ClientHello.read([UInt8](repeating: 0x16, count: 3)) == .malformed)
        // It never goes on for ever.
        let endless = records([0x01, 0x00, 0x3F, 0x00] + [UInt8](repeating: 0, count: 20_000), of: 1)
        #expect(ClientHello.read(Array(endless.prefix(ClientHello.maximumByteCount))) == .malformed)
    }

    /// Every change of a byte, and every length, has a verdict; a change that leaves the name whole leaves it
    /// at that, or is refused.
    @Test func generatedHellosHaveAVerdict() {
        var random = Generator(seed: 7)
        let good = records(
            hello(grease + serverName(name) + number(0xFE0D, 2) + vector([1, 2, 3], 2)), of: 50)
        for position in good.indices {
            for _ in 0..<20 {
                var bytes = good
                bytes[position] = UInt8.random(in: .min ... .max, using: &random)
                switch ClientHello.read(bytes) {
                case .name(let found, _): #expect(found.utf8.count <= 253)
                case .more, .noName, .malformed: break
                }
            }
        }
        for _ in 0..<20_000 {
            var bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            if bytes.count > 6 {
                bytes.replaceSubrange(0..<6, with: [0x16, 0x03, 0x01, 0x00, bytes[4], 0x01])
            }
            if case .name = ClientHello.read(bytes) { Issue.record("a name out of nothing") }
        }
    }

    private struct Generator: RandomNumberGenerator {
        private var state: UInt64
        init(seed: UInt64) { state = seed }
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    @Test(arguments: ["192.0.2.7", "2001:db8::7"])
    func aCallersAddressIsRead(text: String) throws {
        let address = try #require(NetworkAddress(text))
        let bytes = ProxyHeader.bytes(source: address, port: 51_234)
        #expect(bytes.count == (address.family == .ipv4 ? 28 : 52))
        for count in bytes.indices { #expect(ProxyHeader.read(Array(bytes.prefix(count))) == .more) }
        let read = ProxyHeader.Verdict.source(address, port: 51_234, byteCount: bytes.count)
        #expect(ProxyHeader.read(bytes + [1, 2, 3]) == read)
        // With a TLV behind the addresses.
        var longer = bytes + [0x04, 0x00, 0x01, 0x00]
        longer[15] += 4
        #expect(ProxyHeader.read(longer) == .source(address, port: 51_234, byteCount: longer.count))
    }

    @Test func anotherHeaderIsMalformed() throws {
        let good = ProxyHeader.bytes(source: try #require(NetworkAddress("192.0.2.7")), port: 1)
        for (position, value) in [
            (0, 0x0E), (11, 0x0B), (12, 0x20), (12, 0x11), (13, 0x12), (13, 0x00), (14, 0x03), (15, 11),
        ] {
            var bytes = good
            bytes[position] = UInt8(value)
            #expect(ProxyHeader.read(bytes) == .malformed, "\(position)")
        }
        #expect(ProxyHeader.read(Array("PROXY TCP4 192.0.2.7 192.0.2.8 1 2\r\n".utf8)) == .malformed)
    }

    @Test func attemptsBecomeRareAndAreSpread() {
        var backOff = BackOff()
        #expect(
            (0..<7).map { _ in backOff.next(random: 1) } == [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000])
        #expect(backOff.next(random: 0) == 2_000)
        backOff.succeed()
        #expect(backOff.next(random: 1) == 250)
    }

    @Test func aBudgetIsKept() {
        var budget = ByteBudget(rate: 1_000, now: 0)
        #expect(budget.take(1_000, now: 0) == 0)
        #expect(budget.take(500, now: 0) == 500_000_000)
        #expect(budget.take(0, now: 500_000_000) == 0)
        // A pause does not save up more than a second.
        #expect(budget.take(1_000, now: 60_000_000_000) == 0)
        #expect(budget.take(1, now: 60_000_000_000) > 0)
        // A clock that stands or goes back gives nothing away.
        #expect(budget.take(1, now: 1) > 0)
    }

    @Test(arguments: [
        ("PROXY TCP4 192.0.2.7 192.0.2.8 51234 8000\r\n", "192.0.2.7"),
        ("PROXY TCP6 2001:db8::7 2001:db8::8 51234 8000\r\n", "2001:db8::7"),
    ])
    func aBalancerMayWriteALine(line: String, text: String) throws {
        let bytes = Array(line.utf8)
        for count in bytes.indices { #expect(ProxyHeader.readEither(Array(bytes.prefix(count))) == .more) }
        let address = try #require(NetworkAddress(text))
        let read = ProxyHeader.Verdict.source(address, port: 51_234, byteCount: bytes.count)
        #expect(ProxyHeader.readEither(bytes) == read)
        #expect(ProxyHeader.readEither(bytes + [0x16, 0x0A]) == read)
        let second = ProxyHeader.bytes(source: address, port: 51_234)
        #expect(ProxyHeader.readEither(second) == ProxyHeader.read(second))
    }

    @Test(arguments: [
        "PROXY UNKNOWN\r\n", "PROXY TCP4 192.0.2.7 192.0.2.8 51234 8000\n",
        "PROXY TCP6 192.0.2.7 192.0.2.8 51234 8000\r\n", "PROXY TCP4 192.0.2.7 ::1 51234 8000\r\n",
        "PROXY TCP4 192.0.2.7 192.0.2.8 65536 8000\r\n", "PROXY TCP4 192.0.2.7 192.0.2.8 +1 8000\r\n",
        "PROXY TCP4  192.0.2.7 192.0.2.8 1 8000\r\n", "PROXY TCP4 192.0.2.7 192.0.2.8 1\r\n",
        "PROXY TCP6 fe80::1%eth0 fe80::2 1 2\r\n", "PROXY TCP4 kitchen 192.0.2.8 1 2\r\n",
        "PROXIES", "PROXY " + String(repeating: "x", count: 101), "GET / HTTP/1.1\r\n",
    ])
    func anotherLineIsMalformed(line: String) {
        #expect(ProxyHeader.readEither(Array(line.utf8)) == .malformed)
    }
}
