import Crypto
import FoundationEssentials
import Identity
import Testing

@Suite struct CrockfordBase32Tests {
    // Each pair was made with Python's base64.b32encode and the two alphabets translated.
    @Test(arguments: [
        ("", [UInt8]()), ("ZW", [0xFF]), ("00", [0]), ("04108", [1, 2, 4]),
        ("CSQPYRK1E8", Array("foobar".utf8)),
    ])
    func roundTrip(text: String, bytes: [UInt8]) throws {
        #expect(CrockfordBase32.encode(bytes) == text)
        #expect(try CrockfordBase32.decode(text.utf8) == bytes)
    }

    @Test(arguments: [
        ("zw", CrockfordBase32Error.invalidCharacter(UInt8(ascii: "z"), position: 0)),
        ("0I", .invalidCharacter(UInt8(ascii: "I"), position: 1)),
        ("0é", .invalidCharacter(0xC3, position: 1)),
        ("Z", .invalidLength(1)), ("000", .invalidLength(3)), ("000000", .invalidLength(6)),
        ("ZZ", .unusedBitsSet), ("01", .unusedBitsSet),
    ])
    func rejection(text: String, error: CrockfordBase32Error) {
        #expect(throws: error) { try CrockfordBase32.decode(text.utf8) }
    }
}

@Suite struct PinTests {
    // SHA-256 of nothing, as `printf '' | openssl dgst -sha256 -binary | base64` prints it.
    static let emptyText = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func textRoundTrip() throws {
        let pin = Pin(subjectPublicKeyInfo: Data())
        #expect(pin.text == Self.emptyText)
        #expect(try Pin(text: Self.emptyText) == pin)
        #expect(pin.fingerprint.description == "WERC-8GMR-ZGE1-96QV")
    }

    @Test(arguments: [
        (String(emptyText.dropFirst(8)), PinError.missingPrefix),
        (String(emptyText.dropLast()), .invalidBase64),
        (emptyText.replacing("+", with: "-"), .invalidBase64),
        (emptyText.replacing("uFU=", with: "uFV="), .invalidBase64),
        ("sha256//AAAA", .invalidLength(3)),
    ])
    func rejection(text: String, error: PinError) {
        #expect(throws: error) { try Pin(text: text) }
    }

    @Test func isTakenOverTheUncompressedNamedCurveKey() throws {
        let key = P256.Signing.PrivateKey().publicKey
        #expect(key.derRepresentation.count == 91)
        let compressed = try P256.Signing.PublicKey(compressedRepresentation: key.compressedRepresentation)
        #expect(Pin(key) == Pin(compressed))
    }
}

@Suite struct FingerprintTests {
    @Test(arguments: ["werc-8gmr-zge1-96qv", "WERC8GMRZGEL96QV", " w e r c 8gmr-zgei-96qv\n"])
    func forgivingReading(text: String) {
        #expect(Fingerprint(forgiving: text)?.description == "WERC-8GMR-ZGE1-96QV")
    }

    @Test(arguments: [
        "", "WERC-8GMR-ZGE1-96Q", "WERC-8GMR-ZGE1-96QVV", "WERU-8GMR-ZGE1-96QV", "WERC8GMRZGE196QV",
        "\u{212A}7QF-2M9D-X0TW-8RHC",
    ])
    func strictRejection(text: String) { #expect(Fingerprint(text) == nil) }
}
