import FoundationEssentials
import Pairing
import Testing

@Suite struct PairingCodeTests {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let kind: String
        let expires: UInt32?
        let secret: String
        let pin: String
        let fingerprint: String
        let address: String?
        let ticket: String
        let proofKey: String
        var testDescription: String { name }
    }

    static let vectors = Vectors<Accepted>.read("pairing-codes")

    @Test func vectorsAreThere() {
        #expect(Self.vectors.accepted.count >= 10)
        #expect(Self.vectors.rejected.count >= 40)
    }

    @Test(arguments: vectors.accepted)
    func accepted(vector: Accepted) throws {
        let code = try PairingCode(text: vector.text)
        #expect(code.kind.rawValue == vector.kind)
        #expect(code.expirySeconds == vector.expires)
        #expect(code.secret.bytes == bytes(hex: vector.secret))
        #expect(code.hub.bytes == bytes(hex: vector.pin))
        #expect(code.hub.fingerprint.description == vector.fingerprint)
        #expect(code.addressHint?.description == vector.address)
        #expect(code.secret.ticketID.bytes == bytes(hex: vector.ticket))
        #expect(code.secret.proofKey.bytes == bytes(hex: vector.proofKey))
        #expect((vector.text.hasPrefix("HTTPS:") ? code.address : code.text) == vector.text)
        let again = try PairingCode(
            kind: code.kind, expires: code.expires, secret: code.secret, hub: code.hub,
            addressHint: code.addressHint)
        #expect(again == code)
        #expect(code.text.utf8.count == (code.addressHint?.ipv4 == nil ? 88 : 98))
        #expect(code.written == code.address ?? code.text)
    }

    @Test(arguments: vectors.rejected)
    func rejected(vector: Vectors<Accepted>.Rejected) throws {
        let error = try #require(throws: PairingCodeError.self) { try PairingCode(text: vector.text) }
        #expect(identifier(of: error) == vector.error)
        #expect(error.description.first?.isUppercase == false && error.description.last != ".")
        #expect(error.recoverySuggestion != nil)
    }

    @Test func aTextNearAGoodOneNeverReadsAsAnother() throws {
        let good = try #require(Self.vectors.accepted.first)
        let text = Array(good.text.utf8)
        for position in text.indices {
            for replacement in [UInt8(ascii: "0"), UInt8(ascii: "Z"), 0x00, 0xFF]
            where text[position] != replacement {
                var changed = text
                changed[position] = replacement
                #expect(throws: PairingCodeError.self) {
                    try PairingCode(text: String(decoding: changed, as: UTF8.self))
                }
            }
        }
    }

    @Test(arguments: [
        Date(timeIntervalSince1970: 0.5), .init(timeIntervalSince1970: 4_294_967_296), .distantPast,
    ])
    func expiryOutOfRange(expires: Date) throws {
        let code = try PairingCode(text: try #require(Self.vectors.accepted.first).text)
        #expect(throws: PairingCodeError.expiryOutOfRange) {
            try PairingCode(kind: .once, expires: expires, secret: code.secret, hub: code.hub)
        }
    }

    @Test func secretsAreNotShown() throws {
        let code = try PairingCode(text: try #require(Self.vectors.accepted.first).text)
        var dumped = ""
        dump(code.secret, to: &dumped)
        dump(code.secret.proofKey, to: &dumped)
        dumped += "\(code.secret) \(code.secret.proofKey) \(String(reflecting: code.secret))"
        #expect(!dumped.contains("\(code.secret.bytes[0])"))
        #expect(dumped.contains("TicketSecret(hidden)"))
    }

    @Test func secretsAreRandom() {
        #expect(Set((0..<64).map { _ in TicketSecret.random().bytes }).count == 64)
    }

    private func identifier(of error: PairingCodeError) -> String {
        switch error {
        case .missingPrefix: "prefix"
        case .alphabet: "alphabet"
        case .base32Length: "base32-length"
        case .unusedBitsSet: "unused-bits"
        case .checksum: "checksum"
        case .version: "version"
        case .kind: "kind"
        case .flags: "flags"
        case .length: "length"
        case .onceWithoutExpiry: "once-without-expiry"
        case .expiryOutOfRange: "expiry-out-of-range"
        }
    }
}

@Suite struct TypedCodeTests {
    struct Accepted: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let written: String
        let secret: String
        let ticket: String
        let proofKey: String
        var testDescription: String { name }
    }

    static let vectors = Vectors<Accepted>.read("typed-codes")

    @Test(arguments: vectors.accepted)
    func accepted(vector: Accepted) throws {
        let code = try TypedCode(typed: vector.text)
        #expect(code.secret.bytes == bytes(hex: vector.secret))
        #expect(code.text == vector.written)
        #expect(code.secret.ticketID.bytes == bytes(hex: vector.ticket))
        #expect(code.secret.proofKey.bytes == bytes(hex: vector.proofKey))
    }

    @Test(arguments: vectors.rejected)
    func rejected(vector: Vectors<Accepted>.Rejected) throws {
        let error = try #require(throws: TypedCodeError.self) { try TypedCode(typed: vector.text) }
        let identifier =
            switch error {
            case .alphabet: "alphabet"
            case .length: "length"
            case .checksum: "checksum"
            case .head: "head"
            }
        #expect(identifier == vector.error)
        #expect(error.recoverySuggestion != nil)
    }

    @Test func aFloodOfTextIsNotRead() {
        #expect(throws: TypedCodeError.length(nil)) {
            try TypedCode(typed: String(repeating: "0", count: 1 << 20))
        }
    }
}
