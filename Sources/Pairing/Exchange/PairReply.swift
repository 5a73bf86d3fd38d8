import JSON

/// A hub's reply to a device that has proven to know a valid code.
///
///     {"status": "approved" / "pending", "device": fingerprint,
///      "hub": {"name": string, "id": fingerprint, "api": 1},
///      "nonce": base64url of 16 bytes, "proof": base64url of 32 bytes}
///
/// HTTP status 200 for approved, 202 for pending. JSON with the limits of I-JSON (RFC 7493): at most 4,096
/// bytes, no duplicate keys; unknown keys are ignored. Base64url (RFC 4648 § 5) has no padding.
///
/// Accepted: the above with a proof of 43 characters. Rejected: another status, a fingerprint in lower case,
/// `"api": "1"`. `samples/vectors/exchange.json` has an example of every error.
public struct PairReply: Equatable, Sendable {
    /// The result of the request.
    public enum Status: String, Equatable, Sendable, CaseIterable {
        /// The device has access.
        case approved
        /// The owner must approve the device first.
        case pending
    }

    /// The result of the request.
    public let status: Status
    /// The fingerprint of the device's key, as the hub saw it.
    public let device: Fingerprint
    /// The hub's description of itself.
    public let hub: HubDescription
    /// The hub's nonce.
    public let nonce: PairNonce
    /// The hub's proof.
    public let proof: PairProof

    /// Creates a reply from its parts.
    public init(status: Status, device: Fingerprint, hub: HubDescription, nonce: PairNonce, proof: PairProof)
    {
        self.status = status
        self.device = device
        self.hub = hub
        self.nonce = nonce
        self.proof = proof
    }

    /// Parses an HTTP body. Only ``PairAttempt/verify(_:from:)`` decides whether it can be trusted.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        let (word, id) = (try message.text("status"), try message.text("device"))
        guard let status = Status(rawValue: word) else {
            throw .malformed("status is neither approved nor pending")
        }
        guard let device = Fingerprint(id) else { throw .malformed("device is not a fingerprint") }
        self.status = status
        self.device = device
        nonce = try message.bytes("nonce", PairNonce.byteCount, PairNonce.init(bytes:))
        proof = try message.bytes("proof", PairProof.byteCount, PairProof.init(bytes:))
        hub = try HubDescription(message.object("hub"), prefix: "hub.")
    }

    /// The HTTP status: 200 (OK) or 202 (Accepted), RFC 9110 § 15.3.
    public var httpStatus: Int { status == .approved ? 200 : 202 }

    /// The HTTP body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        PairMessage([
            "status": .string(status.rawValue), "device": .string(device.description),
            "hub": hub.message.value,
            "nonce": .string(Base64URL.encode(nonce.bytes)), "proof": .string(Base64URL.encode(proof.bytes)),
        ]).serialized
    }
}
