import Crypto
import FoundationEssentials

/// The public key of a browser, which shows no certificate: its SubjectPublicKeyInfo in DER, as WebCrypto
/// exports it. Its pin is the browser's identity, made as that of a certificate's key.
///
///     key = 91OCTET    ; P-256 with its named curve, the point uncompressed (RFC 5480 § 2)
///
/// Rejected: a compressed point, another curve, a point that is not on the curve, another length.
public struct BrowserKey: Equatable, Sendable {
    /// The number of bytes in a key.
    public static let byteCount = 91

    /// The 91 bytes.
    public let bytes: [UInt8]

    /// Reads a key; nil unless it has the one encoding that there is.
    public init?(bytes: [UInt8]) {
        guard bytes.count == BrowserKey.byteCount,
            let key = try? P256.Signing.PublicKey(derRepresentation: bytes),
            Array(key.derRepresentation) == bytes
        else { return nil }
        self.bytes = bytes
    }

    /// The pin of the key.
    public var pin: Pin { Pin(subjectPublicKeyInfo: Data(bytes)) }

    /// True if the key's owner has signed `message`: ECDSA with SHA-256 (FIPS 186-5 § 6).
    public func hasSigned(_ message: [UInt8], _ signature: BrowserSignature) -> Bool {
        guard let key = try? P256.Signing.PublicKey(derRepresentation: bytes),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature.bytes)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

/// A signature as WebCrypto makes it: r and s, 32 bytes each (IEEE P1363).
public struct BrowserSignature: Equatable, Sendable {
    /// The number of bytes in a signature.
    public static let byteCount = 64

    /// The 64 bytes.
    public let bytes: [UInt8]

    /// Creates a signature; nil unless `bytes` has exactly 64 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == BrowserSignature.byteCount else { return nil }
        self.bytes = bytes
    }
}

/// What a browser adds to a ``PairRequest``, in place of a certificate.
///
///     {"key": base64url of 91 bytes, "signature": base64url of 64 bytes}
///
/// The signature is over T("device"), the same 32 bytes as the proof. T has the pin of the hub's key from the
/// code, or with a typed code the one that `GET /hubpair/v1/hub` tells: a browser does not see the handshake.
/// The hub has one key, so a man in the middle, who has another, fails all the same; but he can answer in the
/// hub's place, see Security.md.
public struct BrowserProof: Equatable, Sendable {
    /// The browser's key.
    public let key: BrowserKey
    /// The signature over T("device").
    public let signature: BrowserSignature

    /// Creates a proof from its parts.
    public init(key: BrowserKey, signature: BrowserSignature) {
        (self.key, self.signature) = (key, signature)
    }

    /// Reads it from the body of a request to pair; nil if that has no `key`, and is a program's.
    public init?(parsing bytes: [UInt8]) throws(PairMessageError) {
        guard let message = try? PairMessage(parsing: bytes), message.has("key") else { return nil }
        key = try message.bytes("key", BrowserKey.byteCount, BrowserKey.init(bytes:))
        signature = try message.bytes(
            "signature", BrowserSignature.byteCount, BrowserSignature.init(bytes:))
    }

    func holds(for transcript: PairTranscript) -> Bool {
        key.hasSigned(transcript.digest(role: "device", hubNonce: []), signature)
    }
}
