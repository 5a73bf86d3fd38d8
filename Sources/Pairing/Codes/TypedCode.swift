public import Identity

/// For devices that cannot scan: a once code's secret as 20 characters, to be typed.
///
///     written = group 4( "-" group )           ; group = 4 characters of Crockford base32
///     bits    = head secret checksum           ; 4 + 80 + 16 bits, most significant first
///     head    = 8                              ; the other values are refused
///     checksum = the first two bytes of SHA-256 over the byte 8 and the ten bytes of the secret
///
/// Reading forgives ASCII case, ASCII white space and hyphens anywhere, I and L for 1, O for 0; U is
/// refused. `samples/vectors/typed-codes.json` has more.
///
/// Accepted: `H851-MAHT-99D6-MYMA-KEGE`, `h851maht 99d6mymakege`. Rejected: `H851-MAHT-99D6-MYMA-KEG`
/// (length), `H851-MAHT-99D6-MYMA-KEGF` (checksum), `H851-MAHT-99D6-MYMA-KEGU` (alphabet).
///
/// It names the same ticket as the QR code beside it, but holds no pin: the exchange's proofs bind the keys
/// that each side saw.
public struct TypedCode: Equatable, Sendable {
    /// The number of base32 characters, hyphens not counted.
    public static let characterCount = 20
    private static let head: UInt8 = 8

    /// The secret.
    public let secret: TicketSecret

    /// The typed form of a once code's secret.
    public init(secret: TicketSecret) { self.secret = secret }

    /// `XXXX-XXXX-XXXX-XXXX-XXXX`: 24 ASCII characters.
    public var text: String {
        let bytes = [TypedCode.head] + secret.bytes
        var nibbles = (bytes + checksum(of: bytes)).flatMap { [$0 >> 4, $0 & 0xF] }
        nibbles.removeFirst()  // the head is a nibble
        nibbles.append(0)  // to whole bytes; the characters for it are cut off again
        let packed = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        return CrockfordBase32.grouped(
            String(CrockfordBase32.encode(packed).prefix(TypedCode.characterCount)))
    }

    /// Reads what a person typed.
    ///
    /// Checked in this order: alphabet, number of characters, checksum (over the head as it was typed, so
    /// that a slip in the first character is not taken for a newer format), head.
    public init(typed text: some StringProtocol) throws(TypedCodeError) {
        // A hundred times what a code needs: nobody types that, and nothing after it is looked at.
        guard text.utf8.count <= 2_400 else { throw .length(nil) }
        guard let symbols = CrockfordBase32.symbols(typed: String(text)) else { throw .alphabet }
        guard symbols.count == TypedCode.characterCount else { throw .length(symbols.count) }
        // 20 characters are 100 bits; one zero character more makes 13 bytes whose last nibble is zero.
        guard let packed = try? CrockfordBase32.decode(symbols + [UInt8(ascii: "0")]), packed.count == 13
        else {
            throw .length(symbols.count)
        }
        let nibbles = packed.flatMap { [$0 >> 4, $0 & 0xF] }
        let bytes = stride(from: 1, to: 25, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        guard Array(bytes.suffix(2)) == checksum(of: [nibbles[0]] + bytes.dropLast(2)) else {
            throw .checksum
        }
        guard nibbles[0] == TypedCode.head else { throw .head(nibbles[0]) }
        guard let secret = TicketSecret(bytes: bytes.dropLast(2)) else { throw .length(symbols.count) }
        self.secret = secret
    }
}

/// Why what a person typed is not a typed code; it never holds a piece of the secret.
public enum TypedCodeError: Equatable, UserError {
    /// A character that Crockford's base 32 does not have, such as the letter U.
    case alphabet
    /// This many characters and not 20; nil if there are too many to count.
    case length(Int?)
    /// The checksum does not fit: a character is wrong.
    case checksum
    /// A head other than 8.
    case head(UInt8)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .alphabet: "the typed code holds a character that no code has"
        case .length(let count?): "the typed code has \(count) characters, not 20"
        case .length(nil): "the typed code is far too long"
        case .checksum: "the typed code has a wrong character in it"
        case .head: "the typed code is of a kind that this hubpair does not know"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .data }

    /// How to mend it.
    public var hint: String? {
        switch self {
        case .alphabet: "a code has the digits 0-9 and the letters A-Z without U, in five groups of four"
        case .length, .checksum: "compare it with the hub's screen, group by group"
        case .head: "update hubpair on this device"
        }
    }
}
