import Crypto
import JSON

/// What a browser asks for with `POST /hubpair/v1/session`, in two steps.
///
///     {"key": base64url of 91 bytes}
///     {"key": base64url of 91 bytes, "challenge": base64url of 32 bytes, "signature": base64url of 64 bytes}
///
/// The first is answered with a challenge, the second with a cookie. The signature is over
///
///     S     = SHA-256( field("hubpair/1 session") field(hub's pin) field(device's pin) field(challenge) )
///     field = 2OCTET *OCTET                    ; the number of bytes, big endian, and the bytes
///
/// JSON with the limits of I-JSON (RFC 7493): at most 4,096 bytes, no duplicate keys; unknown keys are
/// ignored. `samples/vectors/browsers.json` has examples.
///
/// Rejected: a signature without a challenge, and the other way round.
public struct SessionRequest: Equatable, Sendable {
    /// The number of bytes in a challenge.
    public static let challengeByteCount = 32

    /// The browser's key.
    public let key: BrowserKey
    /// The challenge that came in the first step, and the signature over it; nil in the first step.
    public let answer: (challenge: [UInt8], signature: BrowserSignature)?

    /// Parses an HTTP body.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        key = try message.bytes("key", BrowserKey.byteCount, BrowserKey.init(bytes:))
        guard message.has("challenge") || message.has("signature") else {
            answer = nil
            return
        }
        answer = (
            try message.bytes("challenge", SessionRequest.challengeByteCount) { $0 },
            try message.bytes("signature", BrowserSignature.byteCount, BrowserSignature.init(bytes:))
        )
    }

    /// S, which the browser signs.
    public static func message(hub: Pin, device: Pin, challenge: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in [Array("hubpair/1 session".utf8), hub.bytes, device.bytes, challenge] {
            bytes.append(bigEndian: UInt16(field.count))
            bytes += field
        }
        return Array(SHA256.hash(data: bytes))
    }

    /// True if the signature is the browser's, over this hub's challenge.
    public func isSigned(for hub: Pin) -> Bool {
        guard let answer else { return false }
        return key.hasSigned(
            SessionRequest.message(hub: hub, device: key.pin, challenge: answer.challenge), answer.signature)
    }

    /// True if all parts are the same.
    public static func == (one: SessionRequest, other: SessionRequest) -> Bool {
        one.key == other.key && one.answer?.challenge == other.answer?.challenge
            && one.answer?.signature == other.answer?.signature
    }
}
