import Crypto

extension PairingCode {
    private static let byteCountWithoutHint = 50
    private static let byteCountWithHint = 56

    /// Reads the text of a QR code, strictly. The checks come in this order, so that every reader names
    /// the same fault first: prefix, alphabet, base32 length, unused bits, checksum, version, kind, flags,
    /// length, a once code without expiry.
    ///
    /// A text too short to hold a checksum fails the checksum; one too short for its head fails the length.
    public init(text: some StringProtocol) throws(PairingCodeError) {
        let text = Array(text.utf8)
        let prefix = Array(PairingCode.prefix.utf8)
        guard text.starts(with: prefix) else { throw .missingPrefix }
        let bytes = try PairingCode.decode(text.dropFirst(prefix.count))
        guard bytes.count >= 2, Array(bytes.suffix(2)) == checksum(of: bytes.dropLast(2)) else {
            throw .checksum
        }

        guard bytes.count >= 3 else { throw .length(bytes.count) }
        guard bytes[0] >> 4 == PairingCode.version else { throw .version(bytes[0] >> 4) }
        guard bytes[0] & 0xF <= 1 else { throw .kind(bytes[0] & 0xF) }
        let kind: Kind = bytes[0] & 0xF == 0 ? .once : .label
        guard bytes.count >= 4 else { throw .length(bytes.count) }
        guard bytes[1] & ~1 == 0 else { throw .flags(bytes[1]) }
        let hasHint = bytes[1] == 1
        guard bytes.count == (hasHint ? PairingCode.byteCountWithHint : PairingCode.byteCountWithoutHint)
        else { throw .length(bytes.count) }

        let expiry = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard kind == .label || expiry != 0 else { throw .onceWithoutExpiry }
        guard let secret = TicketSecret(bytes: bytes[6..<16]), let hub = Pin(bytes: bytes[16..<48]) else {
            throw .length(bytes.count)
        }
        self.init(
            kind: kind, expirySeconds: expiry == 0 ? nil : expiry, secret: secret, hub: hub,
            addressHint: hasHint
                ? AddressHint(ipv4: bytes[48..<52], port: UInt16(bytes[52]) << 8 | UInt16(bytes[53])) : nil
        )
    }

    private static func decode(_ base32: ArraySlice<UInt8>) throws(PairingCodeError) -> [UInt8] {
        do {
            return try CrockfordBase32.decode(base32)
        } catch {
            switch error {
            case .invalidCharacter(_, let position): throw .alphabet(position: prefix.utf8.count + position)
            case .invalidLength(let count): throw .base32Length(count)
            case .unusedBitsSet: throw .unusedBitsSet
            }
        }
    }
}

/// The first two bytes of SHA-256 over `bytes`: finds a misread character, keeps nobody out.
func checksum(of bytes: some Sequence<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: Array(bytes)).prefix(2))
}
