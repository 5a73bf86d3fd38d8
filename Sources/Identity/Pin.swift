public import Crypto
public import FoundationEssentials

/// A hub's or a device's lasting identity: SHA-256 over the DER SubjectPublicKeyInfo of its P-256 key.
///
/// 32 bytes; RFC 7469 § 2.4. It is written `sha256//` and standard base64 with padding, as curl's
/// `--pinnedpubkey` reads it.
///
/// Accepted: `sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=`.
/// Rejected: the same without the prefix, without the padding, or in the URL alphabet.
public struct Pin: Hashable, Sendable {
    /// The number of bytes in a pin.
    public static let byteCount = 32
    private static let prefix = "sha256//"

    /// The digest, 32 bytes.
    public let bytes: [UInt8]

    /// A pin from its 32 bytes, or nil if there are not exactly 32.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Pin.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The pin of the key whose DER SubjectPublicKeyInfo (RFC 5280 § 4.1.2.7) is `der`.
    public init(subjectPublicKeyInfo der: some DataProtocol) {
        bytes = Array(SHA256.hash(data: der))
    }

    /// The pin of a P-256 key: over its 91-byte SubjectPublicKeyInfo, uncompressed and named-curve.
    public init(_ key: P256.Signing.PublicKey) {
        self.init(subjectPublicKeyInfo: key.derRepresentation)
    }

    /// A pin from its text; the base64 is strict (padding required, unused bits zero).
    public init(text: String) throws(PinError) {
        guard text.hasPrefix(Pin.prefix) else { throw .missingPrefix }
        let base64 = String(text.dropFirst(Pin.prefix.count))
        // Foundation lets unused bits slip through; writing the bytes again does not.
        guard let data = Data(base64Encoded: base64), data.base64EncodedString() == base64 else {
            throw .invalidBase64
        }
        guard data.count == Pin.byteCount else { throw .invalidLength(data.count) }
        bytes = Array(data)
    }

    /// `sha256//` and the standard base64 of the 32 bytes: 52 ASCII characters.
    public var text: String { Pin.prefix + Data(bytes).base64EncodedString() }

    /// The first 10 bytes, for people to compare.
    public var fingerprint: Fingerprint { Fingerprint(of: self) }
}

/// Why a text is not a pin. Never reaches a user alone: the keyfile's error quotes the description, and says
/// where the text is.
public enum PinError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text does not begin with `sha256//`.
    case missingPrefix
    /// What follows the prefix is not strict standard base64.
    case invalidBase64
    /// The base64 holds this many bytes and not 32.
    case invalidLength(Int)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .missingPrefix: "the pin does not begin with sha256//"
        case .invalidBase64: "the pin is not standard base64 after sha256//"
        case .invalidLength(let count): "the pin has \(count) bytes, not 32"
        }
    }
}
