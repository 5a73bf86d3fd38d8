public import Identity

/// The secret of a once code as 20 characters, for devices that cannot scan and whose user types it.
///
///     written = group 4( "-" group )           ; group = 4 characters of Crockford base32
///     bits    = head secret checksum           ; 4 + 80 + 16 bits, most significant first
///     head    = 8                              ; other values are refused
///     checksum = the first two bytes of SHA-256 over the byte 8 and the ten bytes of the secret
///
/// The parser ignores ASCII case, and ASCII white space and hyphens anywhere, and reads I and L as 1, O as 0;
/// U is refused. `samples/vectors/typed-codes.json` has more examples.
///
/// Accepted: `H851-MAHT-99D6-MYMA-KEGE`, `h851maht 99d6mymakege`. Rejected: `H851-MAHT-99D6-MYMA-KEG`
/// (length), `H851-MAHT-99D6-MYMA-KEGF` (checksum), `H851-MAHT-99D6-MYMA-KEGU` (alphabet).
///
/// It identifies the same ticket as the QR code printed with it, but holds no pin. A man in the middle is
/// detected nevertheless: the proofs of the exchange cover the keys that each side saw in the handshake.
public struct TypedCode: Equatable, Sendable {
    /// The number of base32 characters, without hyphens.
    public static let characterCount = 20
    static let head: UInt8 = 8

    /// The secret.
    public let secret: TicketSecret

    /// Creates the typed form of a once code's secret.
    public init(secret: TicketSecret) { self.secret = secret }

    /// `XXXX-XXXX-XXXX-XXXX-XXXX`: 24 ASCII characters.
    public var text: String {
        let bytes = [TypedCode.head] + secret.bytes
        var nibbles = (bytes + checksum(of: bytes)).flatMap { [$0 >> 4, $0 & 0xF] }
        nibbles.removeFirst()  // the head is one nibble
        nibbles.append(0)  // pads to whole bytes; the extra characters are cut off below
        let packed = stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
        return CrockfordBase32.grouped(
            String(CrockfordBase32.encode(packed).prefix(TypedCode.characterCount)))
    }

    /// Parses what a person typed.
    ///
    /// The checks, in this order: alphabet, number of characters, checksum, head. The checksum covers the
    /// head as typed, so that a typing error in the first character is not reported as a newer format.
    public init(typed text: some StringProtocol) throws(TypedCodeError) {
        // A limit of a hundred times the length of a code bounds the work on nonsense input.
        guard text.utf8.count <= 2_400 else { throw .length(nil) }
        guard let symbols = CrockfordBase32.symbols(typed: String(text)) else { throw .alphabet }
        guard symbols.count == TypedCode.characterCount else { throw .length(symbols.count) }
        // 20 characters are 100 bits. With one zero character appended they decode to 13 bytes, whose last
        // nibble is zero.
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

/// Why a typed text is not a typed code. It contains no part of the secret.
public enum TypedCodeError: Equatable, UserError {
    /// A character that Crockford base32 does not have, such as the letter U.
    case alphabet
    /// The number of characters, which is not 20; nil if the text is too long to be counted.
    case length(Int?)
    /// The checksum does not match: a character is wrong.
    case checksum
    /// A head other than 8.
    case head(UInt8)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .alphabet: "the typed code holds a character that no code has"
        case .length(let count?): "a typed code has 20 characters, this has \(count)"
        case .length(nil): "the typed code is far too long"
        case .checksum: "the typed code has a wrong character in it"
        case .head: "the typed code is of a kind that this hubpair does not know"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .data }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .alphabet: "a code has the digits 0-9 and the letters A-Z without U, in five groups of four"
        case .length, .checksum: "compare it with the hub's screen, group by group"
        case .head: "update hubpair on this computer"
        }
    }
}
