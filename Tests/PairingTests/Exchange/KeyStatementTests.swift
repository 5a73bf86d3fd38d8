import Crypto
import FoundationEssentials
import Pairing
import TestSupport
import Testing

/// The statement by which a hub names its next key: the vectors that Python wrote, and generated attacks.
struct KeyStatementTests {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name, hex, old, new, pinned: String
        let serial, until, known: UInt32
        let now: Double
        var testDescription: String { name }
    }

    struct Rejected: Decodable, Sendable, CustomTestStringConvertible {
        let name, hex, pinned, error: String
        let known: UInt32
        let now: Double
        var testDescription: String { name }
    }

    struct File: Decodable {
        let accepted: [Accepted]
        let rejected: [Rejected]
    }

    static let file: File = {
        let path = packageRoot + "/samples/vectors/key-statements.json"
        do {
            return try JSONDecoder().decode(File.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            fatalError("\(path): \(error)")
        }
    }()

    private static func word(_ error: KeyStatementError) -> String {
        switch error {
        case .wrongLength: "wrong-length"
        case .wrongMagic: "wrong-magic"
        case .serialZero: "serial-zero"
        case .invalidKey(let key): "invalid-key-\(key.rawValue)"
        case .sameKey: "same-key"
        case .invalidSignature(let key): "invalid-signature-\(key.rawValue)"
        case .otherHub: "other-hub"
        case .replayed: "replayed"
        case .over: "over"
        }
    }

    @Test(arguments: file.accepted) func isTakenOver(_ vector: Accepted) throws {
        let statement = try KeyStatement(verifying: bytes(hex: vector.hex))
        #expect(statement.serial == vector.serial)
        #expect(statement.until == Date(timeIntervalSince1970: Double(vector.until)))
        #expect(statement.old.bytes == bytes(hex: vector.old))
        #expect(statement.new.bytes == bytes(hex: vector.new))
        let pinned = try #require(Pin(bytes: bytes(hex: vector.pinned)))
        try statement.check(
            pinned: pinned, serial: vector.known, at: Date(timeIntervalSince1970: vector.now))
    }

    @Test(arguments: file.rejected) func isRefused(_ vector: Rejected) throws {
        let pinned = try #require(Pin(bytes: bytes(hex: vector.pinned)))
        do throws(KeyStatementError) {
            let statement = try KeyStatement(verifying: bytes(hex: vector.hex))
            try statement.check(
                pinned: pinned, serial: vector.known, at: Date(timeIntervalSince1970: vector.now))
            Issue.record("taken over")
        } catch {
            #expect(KeyStatementTests.word(error) == vector.error)
        }
    }

    /// No bit of it can be another one.
    @Test func everyBitCounts() throws {
        let (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let until = Date(timeIntervalSince1970: 2_000_000_000)
        let good = try KeyStatement(serial: 7, until: until, old: old, new: new).bytes
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            #expect(throws: KeyStatementError.self) { try KeyStatement(verifying: bytes) }
        }
    }

    /// Where it stands in a certificate: only whole, and only behind its own mark.
    @Test func standsInACertificate() throws {
        let (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let statement = try KeyStatement(
            serial: 1, until: Date(timeIntervalSince1970: 2_000_000_000), old: old, new: new)
        let (oid, content) = statement.certificateExtension
        let whole = [0x30, 0x82, 1, 2] + oid + [0x04, 0x81, 0xD1] + content
        #expect(KeyStatement(inCertificate: whole + [0x30, 0x0A]) == statement)
        for count in 0..<whole.count {
            #expect(KeyStatement(inCertificate: Array(whole.prefix(count))) == nil)
        }
        #expect(KeyStatement(inCertificate: content) == nil)
        #expect(KeyStatement(inCertificate: []) == nil)
    }

    /// Hubs change their keys, devices visit or do not, and somebody who hears all, and who may have
    /// got hold of old keys, tells them whatever was ever said, and what those keys can sign. The oracle is
    /// that a device takes over what its hub has said of the key that it has, in time, and nothing else.
    @Test(arguments: 0..<24 as Range<UInt64>) func attacks(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let keys = (0..<6).map { _ in P256.Signing.PrivateKey() }
        let pins = keys.map { Pin($0.publicKey) }
        let thief = P256.Signing.PrivateKey()
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        func at(_ day: Double) -> Date { start.addingTimeInterval(day * 86_400) }
        // The hub's own: key i names key i + 1 on day 100 * i, for 90 days.
        let own = try (0..<5).map { index in
            try KeyStatement(
                serial: UInt32(index + 1), until: at(Double(index) * 100 + 90), old: keys[index],
                new: keys[index + 1])
        }
        var known = KnownHubs()
        let name = try PeerName("Kitchen")
        known.insert(KnownHub(name: name, pin: pins[0], address: nil, paired: start))
        known.use(pins[0].fingerprint)
        var (current, serial) = (0, UInt32(0))
        for step in 0..<120 {
            let day = Double(step) * 4
            let said: KeyStatement?
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1: said = own.randomElement(using: &random)
            case 2:
                // Keys that are not the device's, whoever has them.
                let others = keys.indices.filter { $0 != current }
                let old = keys[others.randomElement(using: &random) ?? 0]
                said = try KeyStatement(
                    serial: .random(in: 1...99, using: &random), until: at(10_000), old: old, new: thief)
            case 3:
                // Its key and another one's signature.
                var bytes = own[min(current, 4)].bytes
                bytes.replaceSubrange(45..<78, with: thief.publicKey.compressedRepresentation)
                said = try? KeyStatement(verifying: bytes)
            default:
                var bytes = own.randomElement(using: &random)?.bytes ?? []
                bytes[Int.random(in: bytes.indices, using: &random)] ^=
                    1 << UInt8.random(in: 0..<8, using: &random)
                said = try? KeyStatement(verifying: bytes)
            }
            guard let said, let hub = known.hubs.first else { continue }
            let isGood = current < 5 && said == own[current] && said.serial > serial && at(day) < said.until
            let isTaken = (try? said.check(pinned: hub.pin, serial: hub.serial, at: at(day))) != nil
            #expect(isTaken == isGood, "step \(step)")
            guard isTaken else { continue }
            known.follow(said)
            (current, serial) = (current + 1, said.serial)
            known = try KnownHubs(parsing: known.serialized)
            #expect(known.hubs.map(\.pin) == [pins[current]])
            #expect(known.hubs.map(\.serial) == [serial])
            #expect(known.defaultHub == pins[current].fingerprint)
            #expect(known.hubs.first?.was == pins[..<current].reversed().map(\.fingerprint))
        }
    }

    /// What else the file says of a hub stays, unknown keys and comments included.
    @Test func theFileKeepsTheRest() throws {
        let (old, new) = (P256.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let other = Pin(P256.Signing.PrivateKey().publicKey)
        let statement = try KeyStatement(
            serial: 3, until: Date(timeIntervalSince1970: 2_000_000_000), old: old, new: new)
        let group = { (pin: Pin) in "[hub \(pin.fingerprint)]\nname=Kitchen\npin=\(pin.text)\n" }
        let text =
            "# mine\n[keyfile]\nformat=1\nselected=\(other.fingerprint) \(statement.old.fingerprint)\n"
            + "default=\(statement.old.fingerprint)\n\n\(group(statement.old))"
            + "# here\naddress=192.0.2.7:8000\nstrange=kept\n\n\(group(other))"
        var known = try KnownHubs(parsing: Array(text.utf8))
        known.follow(statement)
        let written = String(decoding: known.serialized, as: UTF8.self)
        let expected =
            text
            .replacing("\(statement.old.fingerprint)", with: "\(statement.new.fingerprint)")
            .replacing(statement.old.text, with: statement.new.text)
            .replacing("strange=kept\n", with: "strange=kept\nserial=3\nwas=\(statement.old.fingerprint)\n")
        #expect(written == expected)
        // One that has paired with the new key, too, is one hub from then on.
        var both = try KnownHubs(parsing: Array((text + "\n" + group(statement.new)).utf8))
        both.follow(statement)
        #expect(both.hubs.map(\.pin) == [other, statement.new])
        #expect(both.defaultHub == statement.new.fingerprint)
    }

    @Test(arguments: ["serial=-1", "serial=4294967296", "serial=x"]) func badNumbers(_ line: String) {
        let pin = Pin(P256.Signing.PrivateKey().publicKey)
        let text = "[keyfile]\nformat=1\n\n[hub \(pin.fingerprint)]\nname=A\npin=\(pin.text)\n\(line)\n"
        #expect(throws: KeyFileError.self) { try KnownHubs(parsing: Array(text.utf8)) }
    }
}
