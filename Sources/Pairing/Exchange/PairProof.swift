import Crypto

/// One side's proof that it knows a ticket's secret: HMAC-SHA256 (RFC 2104), 32 bytes.
public struct PairProof: Equatable, Sendable {
    /// The number of bytes in a proof.
    public static let byteCount = 32

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Creates a proof; nil unless `bytes` has exactly 32 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == PairProof.byteCount else { return nil }
        self.bytes = bytes
    }

    fileprivate init(of digest: [UInt8], key: ProofKey) {
        bytes = Array(HMAC<SHA256>.authenticationCode(for: digest, using: key.symmetric))
    }

    /// True if both proofs are equal; runs in constant time.
    public static func == (one: PairProof, other: PairProof) -> Bool {
        zip(one.bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The values that both sides' proofs cover: the keys of both, as each side saw them, and what was sent.
///
///     T(role) = SHA-256( field( "hubpair/1" ) field( role ) field( ticket ID ) field( hub's pin )
///               field( device's pin ) field( device's nonce ) field( hub's nonce ) field( name ) )
///     field   = 2OCTET *OCTET                  ; the number of bytes, big endian, and the bytes
///     role    = "device" / "hub"
///
/// The hub's nonce is empty in T("device"). The pins are those of the keys that the side itself saw in the
/// TLS handshake. A man in the middle has other keys, so both sides reject the other's proof. The name is the
/// UTF-8 of the decoded JSON string. `samples/vectors/exchange.json` has examples.
public struct PairTranscript: Equatable, Sendable {
    /// The ID of the ticket.
    public let ticket: TicketID
    /// The pin of the hub's key, from the handshake.
    public let hub: Pin
    /// The pin of the device's key, from the handshake.
    public let device: Pin
    /// The device's nonce.
    public let deviceNonce: PairNonce
    /// The device's name.
    public let name: PeerName

    /// Creates a transcript from its parts.
    public init(ticket: TicketID, hub: Pin, device: Pin, deviceNonce: PairNonce, name: PeerName) {
        self.ticket = ticket
        self.hub = hub
        self.device = device
        self.deviceNonce = deviceNonce
        self.name = name
    }

    /// The device's proof: HMAC-SHA256(`key`, T("device")).
    public func deviceProof(_ key: ProofKey) -> PairProof {
        PairProof(of: digest(role: "device", hubNonce: []), key: key)
    }

    /// The hub's proof: HMAC-SHA256(`key`, T("hub")).
    public func hubProof(_ key: ProofKey, hubNonce: PairNonce) -> PairProof {
        PairProof(of: digest(role: "hub", hubNonce: hubNonce.bytes), key: key)
    }

    func digest(role: String, hubNonce: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        for field in [
            Array("hubpair/1".utf8), Array(role.utf8), ticket.bytes, hub.bytes, device.bytes,
            deviceNonce.bytes,
            hubNonce, Array(name.description.utf8),
        ] {
            // All have fixed lengths except the name, which has at most 63 bytes; so the length fits 16 bits.
            bytes.append(bigEndian: UInt16(field.count))
            bytes += field
        }
        return Array(SHA256.hash(data: bytes))
    }
}
