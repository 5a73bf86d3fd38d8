/// Crockford's base32 in its strict form: upper case, most significant bit first, no padding, no check
/// symbol, unused bits zero.
///
///     base32 = *( DIGIT / "A"-"H" / "J" / "K" / "M" / "N" / "P"-"T" / "V"-"Z" )
///
/// Accepted: `ZW` (one byte, 0xFF is written `ZW`). Rejected: `zw` (lower case), `Z` (no whole byte),
/// `ZZ` (unused bits set).
/// Source: Douglas Crockford, "Base 32".
public enum CrockfordBase32 {
    /// The 32 symbols in the order of their values: no I, L, O or U.
    public static let alphabet: [UInt8] = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// The text of `bytes`: ⌈8n / 5⌉ ASCII characters for n bytes.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String { encode(Array(bytes)) }

    private static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 8 / 5 + 1)
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                append(bits >> UInt32(bitCount), to: &text)
            }
            bits &= (1 << UInt32(bitCount)) - 1
        }
        if bitCount > 0 { append(bits << UInt32(5 - bitCount), to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of `text`, checked in the order alphabet, length, unused bits.
    @inlinable public static func decode(
        _ text: some Collection<UInt8>
    ) throws(CrockfordBase32Error) -> [UInt8] {
        try decode(Array(text))
    }

    // Of a type that is known here: what other modules call is not specialised, and a hundred times slower.
    // The copy above is inlinable for that reason.
    @usableFromInline static func decode(_ text: [UInt8]) throws(CrockfordBase32Error) -> [UInt8] {
        for (position, symbol) in text.enumerated() where value(of: symbol) == nil {
            throw .invalidCharacter(symbol, position: position)
        }
        guard [0, 2, 4, 5, 7].contains(text.count % 8) else { throw .invalidLength(text.count) }

        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 5 / 8)
        var bits: UInt32 = 0
        var bitCount = 0
        for symbol in text {
            bits = bits << 5 | UInt32(value(of: symbol) ?? 0)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
            bits &= (1 << UInt32(bitCount)) - 1
        }
        guard bits == 0 else { throw .unusedBitsSet }
        return bytes
    }

    /// The value (0–31) of one upper-case symbol, or nil if it is outside the alphabet.
    public static func value(of symbol: UInt8) -> UInt8? {
        switch symbol {
        case 0x30...0x39: symbol - 0x30
        case 0x41...0x48: symbol - 0x41 + 10
        case 0x4A, 0x4B: symbol - 0x4A + 18
        case 0x4D, 0x4E: symbol - 0x4D + 20
        case 0x50...0x54: symbol - 0x50 + 22
        case 0x56...0x5A: symbol - 0x56 + 27
        default: nil
        }
    }

    private static func append(_ bits: UInt32, to text: inout [UInt8]) {
        text.append(alphabet[Int(bits & 31)])
    }
}

/// Why a text is not strict Crockford base32. Never reaches a user: the caller's error names the text.
public enum CrockfordBase32Error: Error, Equatable, Sendable {
    /// A byte outside the alphabet, and its position from 0 in the text.
    case invalidCharacter(UInt8, position: Int)
    /// A number of characters that encodes no whole number of bytes.
    case invalidLength(Int)
    /// The bits after the last whole byte are not all zero.
    case unusedBitsSet
}
