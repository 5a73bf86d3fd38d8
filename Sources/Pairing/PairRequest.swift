/// What a device sends to be let in: `POST /hubpair/v1/pair`.
///
///     {"ticket": base64url of 8 bytes, "name": string, "nonce": base64url of 16 bytes, "proof": base64url of 32 bytes}
///
/// JSON as `IJSON` reads it, at most 4,096 bytes; unknown keys are ignored; base64url as `Base64URL` reads it; the
/// name as `PeerName` has it for new ones.
///
/// Accepted: `{"ticket":"AAECAwQFBgc","name":"Anna's tablet","nonce":"AAECAwQFBgcICQoLDA0ODw","proof":"…"}` with 43
/// characters of proof. Rejected: the same with padding, without a key, with a number for a string, with a key twice.
/// `samples/vectors/exchange.json` has one message for each fault.
public struct PairRequest: Equatable, Sendable {
    /// The most bytes that the body may have; a server need not read more.
    public static let maximumByteCount = IJSON.maximumByteCount

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

    private struct Object: Codable {
        let ticket: String
        let name: String
        let nonce: String
        let proof: String
    }

    /// Reads a body. The rules of the name are checked last, so that `.name` means that all else is well.
    public init(parsing bytes: [UInt8]) throws(PairMessageError) {
        let object = try IJSON.decode(Object.self, from: bytes)
        ticket = try field("ticket", object.ticket, TicketID.byteCount, TicketID.init(bytes:))
        nonce = try field("nonce", object.nonce, PairNonce.byteCount, PairNonce.init(bytes:))
        proof = try field("proof", object.proof, PairProof.byteCount, PairProof.init(bytes:))
        do {
            name = try PeerName(object.name)
        } catch {
            throw .name(error)
        }
    }

    /// The body: one JSON object in UTF-8.
    public var serialized: [UInt8] {
        IJSON.encode(
            Object(
                ticket: Base64URL.encode(ticket.bytes), name: name.description,
                nonce: Base64URL.encode(nonce.bytes), proof: Base64URL.encode(proof.bytes)))
    }
}

/// The value of a byte string in strict base64url.
func field<Value>(
    _ key: String, _ text: String, _ count: Int, _ make: ([UInt8]) -> Value?
) throws(PairMessageError) -> Value {
    guard let bytes = Base64URL.decode(text, count: count), let value = make(bytes) else {
        throw .malformed("\(key) is not \(count) bytes in base64url without padding")
    }
    return value
}
