import JSON

/// A device's request to pair: the body of `POST /hubpair/v1/pair`.
///
///     {"ticket": base64url of 8 bytes, "name": string, "nonce": base64url of 16 bytes,
///      "proof": base64url of 32 bytes}
///
/// JSON with the limits of I-JSON (RFC 7493): at most 4,096 bytes, no duplicate keys; unknown keys are
/// ignored. Base64url (RFC 4648 § 5) has no padding. The name must meet the rules of `PeerName` for new
/// names.
///
/// Accepted: `{"ticket":"AAECAwQFBgc","name":"Anna's tablet","nonce":"AAECAwQFBgcICQoLDA0ODw","proof":"…"}`
/// with 43 characters of proof. Rejected: the same with padding, with a missing key, a number in place of a
/// string, or a duplicate key. `samples/vectors/exchange.json` has an example of every error.
public struct PairRequest: Equatable, Sendable {
    /// The maximum size of the body in bytes; a server need not read more.
    public static let maximumByteCount = PairMessage.maximumByteCount

    /// The ID of the ticket whose code the device holds.
    public let ticket: TicketID
    /// The device's name as decoded from JSON, neither trimmed nor normalised.
    public let name: PeerName
    /// The device's nonce.
    public let nonce: PairNonce
    /// The device's proof.
    public let proof: PairProof

    /// Creates a request from its parts.
    public init(ticket: TicketID, name: PeerName, nonce: PairNonce, proof: PairProof) {
        self.ticket = ticket
        self.name = name
        self.nonce = nonce
        self.proof = proof
    }

    /// Parses an HTTP body. The name is checked last, so `PairMessageError.name` means that everything else
    /// is valid.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let message = try PairMessage(parsing: bytes)
        ticket = try message.bytes("ticket", TicketID.byteCount, TicketID.init(bytes:))
        nonce = try message.bytes("nonce", PairNonce.byteCount, PairNonce.init(bytes:))
        proof = try message.bytes("proof", PairProof.byteCount, PairProof.init(bytes:))
        let text = try message.text("name")
        do {
            name = try PeerName(text)
        } catch {
            throw .name(error)
        }
    }

    /// The HTTP body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        PairMessage([
            "ticket": .string(Base64URL.encode(ticket.bytes)), "name": .string(name.description),
            "nonce": .string(Base64URL.encode(nonce.bytes)), "proof": .string(Base64URL.encode(proof.bytes)),
        ]).serialized
    }
}
