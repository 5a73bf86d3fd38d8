public import Crypto

/// A hub's answer to a ``Probe``: its name and the port of its TLS server, signed with the key of its
/// certificate.
///
///     reply     = "HPA1" nonce flags port length name key signature    ; 122–184 bytes, no more
///     nonce     = 16 bytes               ; the probe's
///     flags     = 1 byte                 ; bit 0: the hub is open for pairing; other bits are ignored
///     port      = 2 bytes, big endian    ; TCP, not 0
///     length    = 1 byte                 ; of the name in bytes, 1–63
///     name      = UTF-8                  ; by the rules of PeerName(known:)
///     key       = 33 bytes               ; P-256 point, compressed (SEC 1 § 2.3.3)
///     signature = 64 bytes               ; ECDSA with SHA-256, r and s, over all bytes before it
///
/// It holds no address. A reply proves that the holder of the key can be reached, not that the packet's
/// source is the hub's address: a host in between may relay it. So every connection must check the pin again.
///
/// Accepted: the above. Rejected: port 0, a name with a line feed, a byte after the signature, a key that
/// begins with 04 or is not a point on the curve, a signature over another nonce.
public struct ProbeReply: Hashable, Sendable {
    /// The valid lengths of a reply in bytes, with names of 1 to 63 bytes.
    public static let byteCounts = 122...184
    private static let magic = Array("HPA1".utf8)
    private static let keyByteCount = 33
    private static let signatureByteCount = 64
    // The bytes before the name; and all bytes but the name.
    private static let headByteCount = 24
    private static let fixedByteCount = headByteCount + keyByteCount + signatureByteCount

    /// The nonce of the probe that it answers: 16 bytes.
    public let nonce: [UInt8]
    /// True if the hub claims to be open for pairing: a once code is valid.
    public let isPairingOpen: Bool
    /// The TCP port of the hub's HTTPS server, 1–65535.
    public let port: UInt16
    /// The name that the hub claims.
    public let name: PeerName
    /// The pin of the key that signed the reply: proven.
    public let pin: Pin

    /// Parses the bytes of a datagram and verifies the signature, which takes about 0.1 ms.
    public init(verifying bytes: [UInt8]) throws(ProbeReplyError) {
        nonce = try ProbeReply.parts(of: bytes, length: bytes.count).nonce
        let nameCount = Int(bytes[23])
        let wholeCount = ProbeReply.fixedByteCount + nameCount
        guard bytes.count >= wholeCount else { throw .tooShort(bytes.count) }
        guard bytes.count == wholeCount else { throw .tooLong(bytes.count) }
        port = UInt16(bytes[21]) << 8 | UInt16(bytes[22])
        guard port != 0 else { throw .portZero }

        let nameEnd = ProbeReply.headByteCount + nameCount
        guard let text = String(validating: bytes[ProbeReply.headByteCount..<nameEnd], as: UTF8.self),
            let name = try? PeerName(known: text)
        else { throw .invalidName }
        let keyEnd = nameEnd + ProbeReply.keyByteCount
        let compressed = bytes[nameEnd..<keyEnd]
        guard compressed.first == 2 || compressed.first == 3,
            let key = try? P256.Signing.PublicKey(compressedRepresentation: Array(compressed))
        else { throw .invalidKey }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes[keyEnd...]),
            key.isValidSignature(signature, for: bytes[..<keyEnd])
        else { throw .invalidSignature }
        self.name = name
        isPairingOpen = bytes[20] & 1 == 1
        pin = Pin(key)
    }

    /// The nonce, and what stands between it and the signature, of a datagram of `length` bytes that begins
    /// with `bytes` and may be a reply by its magic number and length.
    static func parts(
        of bytes: [UInt8], length: Int
    ) throws(ProbeReplyError) -> (nonce: [UInt8], statement: ArraySlice<UInt8>) {
        guard bytes.starts(with: magic) else { throw .wrongMagic }
        guard length >= byteCounts.lowerBound else { throw .tooShort(length) }
        guard length <= byteCounts.upperBound, length == bytes.count else { throw .tooLong(length) }
        let rest = bytes.dropFirst(magic.count)
        let statement = rest.dropFirst(Probe.nonceByteCount).dropLast(signatureByteCount)
        return (Array(rest.prefix(Probe.nonceByteCount)), statement)
    }

    /// The bytes of a hub's reply to `probe`: at most 184, always fewer than the probe has. Throws
    /// `portZero`, or `invalidKey` if signing fails.
    public static func bytes(
        to probe: Probe, name: PeerName, port: UInt16, isPairingOpen: Bool, key: P256.Signing.PrivateKey
    ) throws(ProbeReplyError) -> [UInt8] {
        guard port != 0 else { throw .portZero }
        let text = Array(name.description.utf8)
        let flags: UInt8 = isPairingOpen ? 1 : 0
        let signed =
            magic + probe.nonce + [flags, UInt8(port >> 8), UInt8(port & 0xFF), UInt8(text.count)] + text
            + Array(key.publicKey.compressedRepresentation)
        guard let signature = try? key.signature(for: signed) else { throw .invalidKey }
        let reply = signed + Array(signature.rawRepresentation)
        precondition(reply.count < Probe.byteCount, "a reply never amplifies")
        return reply
    }
}

/// Why a datagram is not a hub's reply. The cases are in the order of the checks. Never reaches a user: such
/// datagrams are counted.
public enum ProbeReplyError: Error, Hashable, Sendable {
    /// It begins with another magic number.
    case wrongMagic
    /// It has this many bytes: fewer than its length byte requires, or fewer than any reply has.
    case tooShort(Int)
    /// It has this many bytes: more than its length byte allows, or more than any reply has.
    case tooLong(Int)
    /// The TCP port is 0.
    case portZero
    /// The name is not UTF-8, or breaks the rules of `PeerName`.
    case invalidName
    /// The key is not a compressed point of P-256.
    case invalidKey
    /// The signature does not verify with this key.
    case invalidSignature
}
