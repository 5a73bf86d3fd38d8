import JSON

/// What a device sends to be let in: `POST /hubpair/v1/pair`.
///
///     {"ticket": base64url of 8 bytes, "name": string, "nonce": base64url of 16 bytes,
///      "proof": base64url of 32 bytes}
///
/// JSON as `PairMessage` reads it, at most 4,096 bytes; unknown keys are ignored; base64url as `Base64URL`
/// reads it; the name as `PeerName` has it for new ones.
///
/// Accepted: `{"ticket":"AAECAwQFBgc","name":"Anna's tablet","nonce":"AAECAwQFBgcICQoLDA0ODw","proof":"…"}`
/// with 43 characters of proof. Rejected: the same with padding, without a key, with a number for a string,
/// with a key twice. `samples/vectors/exchange.json` has one message for each fault.
public struct PairRequest: Equatable, Sendable {
    /// The most bytes that the body may have; a server need not read more.
    public static let maximumByteCount = PairMessage.maximumByteCount

    /// Which code the device holds.
    public let ticket: TicketID
    /// What it is called, as decoded: neither trimmed nor normalised.
    public let name: PeerName
    /// Its nonce.
    public let nonce: PairNonce
    /// Its proof.
    public let proof: PairProof

    /// A request of these parts.
    public init(ticket: TicketID, name: PeerName, nonce: PairNonce, proof: PairProof) {
        self.ticket = ticket
        self.name = name
        self.nonce = nonce
        self.proof = proof
    }

    /// Reads a body. The rules of the name are checked last, so that `.name` means that all else is well.
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

    /// The body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        PairMessage([
            "ticket": .string(Base64URL.encode(ticket.bytes)), "name": .string(name.description),
            "nonce": .string(Base64URL.encode(nonce.bytes)), "proof": .string(Base64URL.encode(proof.bytes)),
        ]).serialized
    }
}
