package import Crypto
public import FoundationEssentials

/// A hub's word that it has another key: signed by the key that it had, and by the one that it has now.
///
///     statement = "HPK1" serial until old new by-old by-new      ; 206 bytes
///     serial    = 4 bytes       ; 1 for a hub's first statement, then always higher
///     until     = 4 bytes       ; seconds since 1970 UTC: nobody takes the new key over from then on
///     old       = 33 bytes      ; P-256 point, compressed (SEC 1 § 2.3.3)
///     new       = 33 bytes      ; the same, another key
///     by-old    = 64 bytes      ; ECDSA with SHA-256 by the old key, r and s, over all bytes before it
///     by-new    = 64 bytes      ; the same by the new key, `by-old` included
///
/// The first four bytes are those of nothing else that a hub signs. The hub is meant by its old key alone, so
/// nothing can be taken over by somebody who has pinned another one, and a statement for a key that is pinned
/// already says nothing new. The new key's signature shows that it is held, so nobody can name another hub's.
///
/// It is in the certificate that the hub shows, in an extension of its own, and in
/// `GET /hubpair/v1/hub`. Where it comes from proves nothing and does not matter.
///
/// Accepted: the above. Rejected, in this order: another length, another magic number, serial 0, a point that
/// is not on the curve or not compressed, the same key twice, a signature that does not fit.
public struct KeyStatement: Hashable, Sendable {
    /// The number of bytes.
    public static let byteCount = 206
    private static let magic = Array("HPK1".utf8)
    private static let (keyCount, signatureCount) = (33, 64)

    /// The object identifier of the extension of a hub's certificate, in DER, and what stands before the
    /// statement in it: an octet string in the octet string that each extension has (RFC 5280 § 4.2).
    private static let extensionOID: [UInt8] = [
        0x06, 0x05, 0x69, 0xD1, 0x95, 0xE1, 0x23,
    ]
    private static let extensionPrefix: [UInt8] = [0x04, 0x81, 0xCE]

    /// The statement as an extension of a certificate: its object identifier in DER, and its content.
    package var certificateExtension: (oid: [UInt8], content: [UInt8]) {
        (KeyStatement.extensionOID, KeyStatement.extensionPrefix + bytes)
    }

    /// Which of the hub's statements it is: 1 and up.
    public let serial: UInt32
    /// When the time to take the new key over ends, in whole seconds.
    public let until: Date
    /// The pin of the key that the hub had.
    public let old: Pin
    /// The pin of the key that it has.
    public let new: Pin
    /// The statement itself.
    public let bytes: [UInt8]

    /// Reads a statement and verifies both signatures.
    public init(verifying bytes: [UInt8]) throws(KeyStatementError) {
        guard bytes.count == KeyStatement.byteCount else { throw .wrongLength(bytes.count) }
        guard bytes.starts(with: KeyStatement.magic) else { throw .wrongMagic }
        var rest = bytes[KeyStatement.magic.count...]
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func number() -> UInt32 { take(4).reduce(0) { $0 << 8 | UInt32($1) } }
        func key() -> P256.Signing.PublicKey? {
            let point = Array(take(KeyStatement.keyCount))
            guard point.first == 2 || point.first == 3 else { return nil }
            return try? P256.Signing.PublicKey(compressedRepresentation: point)
        }
        serial = number()
        until = Date(timeIntervalSince1970: Double(number()))
        guard serial > 0 else { throw .serialZero }
        guard let old = key() else { throw .invalidKey(.old) }
        guard let new = key() else { throw .invalidKey(.new) }
        (self.old, self.new) = (Pin(old), Pin(new))
        guard self.old != self.new else { throw .sameKey }
        func isSigned(by key: P256.Signing.PublicKey) -> Bool {
            let signed = bytes[..<rest.startIndex]
            guard
                let signature = try? P256.Signing.ECDSASignature(
                    rawRepresentation: take(KeyStatement.signatureCount))
            else { return false }
            return key.isValidSignature(signature, for: signed)
        }
        guard isSigned(by: old) else { throw .invalidSignature(.old) }
        guard isSigned(by: new) else { throw .invalidSignature(.new) }
        self.bytes = bytes
    }

    /// Makes a statement; fractions of a second in `until` are dropped.
    package init(
        serial: UInt32, until: Date, old: P256.Signing.PrivateKey, new: P256.Signing.PrivateKey
    ) throws(KeyStatementError) {
        var bytes = KeyStatement.magic
        for number in [serial, UInt32(clamping: Int(until.timeIntervalSince1970))] {
            bytes += [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }
        bytes += old.publicKey.compressedRepresentation
        bytes += new.publicKey.compressedRepresentation
        guard let first = try? old.signature(for: bytes) else { throw .invalidSignature(.old) }
        bytes += first.rawRepresentation
        guard let second = try? new.signature(for: bytes) else { throw .invalidSignature(.new) }
        bytes += second.rawRepresentation
        try self.init(verifying: bytes)
    }

    /// The statement in a hub's certificate (DER); nil if there is none that holds.
    package init?(inCertificate der: [UInt8]) {
        let mark = KeyStatement.extensionOID
        guard let found = der.firstRange(of: mark) else { return nil }
        let rest = der[found.upperBound...].prefix(16 + KeyStatement.byteCount)
        guard let start = rest.firstRange(of: KeyStatement.extensionPrefix)?.upperBound else { return nil }
        try? self.init(verifying: Array(rest[start...].prefix(KeyStatement.byteCount)))
    }

    /// Throws unless who has pinned a key may take the new one over.
    ///
    /// - Parameters:
    ///   - pin: the key that is pinned now.
    ///   - serial: that of the statement by which it was taken over; 0 if by pairing.
    ///   - now: the time of day.
    public func check(pinned pin: Pin, serial: UInt32, at now: Date) throws(KeyStatementError) {
        guard pin == old else { throw .otherHub }
        guard self.serial > serial else { throw .replayed(self.serial, known: serial) }
        guard now < until else { throw .over(until) }
    }
}

/// Why a statement is refused. The cases are in the order of the checks. Never reaches a user alone: a hub
/// with such a statement has another key, and that is said.
public enum KeyStatementError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Which of the two keys.
    public enum Key: String, Sendable { case old, new }

    /// It has this many bytes.
    case wrongLength(Int)
    /// It begins with another magic number.
    case wrongMagic
    /// The serial number is 0.
    case serialZero
    /// A key is not a compressed point of P-256.
    case invalidKey(Key)
    /// Both keys are the same.
    case sameKey
    /// A signature does not verify with its key.
    case invalidSignature(Key)
    /// The old key is not the one that is pinned.
    case otherHub
    /// Its number is not higher than that of the last one.
    case replayed(UInt32, known: UInt32)
    /// The time to take the new key over has ended.
    case over(Date)

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .wrongLength(let count): "it has \(count) bytes, not \(KeyStatement.byteCount)"
        case .wrongMagic: "it does not begin with HPK1"
        case .serialZero: "its number is 0"
        case .invalidKey(let key): "the \(key.rawValue) key is not a compressed point of P-256"
        case .sameKey: "both keys are the same"
        case .invalidSignature(let key): "the signature does not fit the \(key.rawValue) key"
        case .otherHub: "it is about another key than the one that is pinned"
        case .replayed(let number, let known): "its number \(number) is not higher than \(known)"
        case .over(let date): "the time to take the new key over ended at \(date.timestamp)"
        }
    }
}
