import Crypto
public import FoundationEssentials

/// A pairing code: the text of the QR code that a hub prints and a device scans.
///
///     text    = "HUBPAIR:" base32              ; strict Crockford base32, see CrockfordBase32
///     bytes   = head flags expiry secret pin [ hint ] checksum
///     head    = OCTET                          ; high nibble: version, 1; low nibble: 0 once, 1 label
///     flags   = OCTET                          ; bit 0: a hint follows the pin; other bits must be 0
///     expiry  = 4OCTET                         ; seconds since 1970 UTC; 0: never (labels only)
///     secret  = 10OCTET
///     pin     = 32OCTET                        ; SHA-256 of the hub's SubjectPublicKeyInfo
///     hint    = 4OCTET 2OCTET                  ; IPv4 address and TCP port, never trusted
///     checksum = 2OCTET                        ; the first bytes of SHA-256 over all bytes before
///
/// Integers are big endian. The text has 88 characters without the hint (QR version 4-M), 98 with it (5-M).
///
/// A hub draws it as an address, which the camera of any phone opens:
///
///     address = "HTTPS://" host ":" port "/#" base32   ; of bytes without a hint
///     host    = IPv4address / 1*253( DIGIT / "A"-"Z" / "-" / "_" / "." )
///     port    = "1" to "65535"
///
/// The secret stands behind `#`, where no browser sends it. Every character but `#` is of QR's alphanumeric
/// mode: with a host of 22 characters it is still version 5-M.
///
/// Accepted:
///
///     HUBPAIR:2006P0BGSEGA38N3MJJTD9X8N5N1VGZP51TYGQC0A4A1WZPAQFMSCXWMW69XK2N2YK0WBH7VVP5QBV5X
///
/// Rejected: the same in lower case (alphabet), without its last character (unused bits), or with any one
/// character changed (checksum). `samples/vectors/pairing-codes.json` has an example of every error.
///
/// Parsing does not look at a clock: the hub's record decides whether a code has expired.
public struct PairingCode: Equatable, Sendable {
    /// What a code is for.
    public enum Kind: String, Equatable, Sendable, CaseIterable {
        /// For one device, which the code approves without further confirmation.
        case once
        /// Printed as a label on the hub; a device that scans it can request the owner's approval.
        case label
    }

    /// Where to try first to reach the hub; never trusted.
    public struct AddressHint: Equatable, Sendable, CustomStringConvertible {
        /// An IPv4 address, or a host name in lower case.
        public let host: String
        /// The IPv4 address, 4 bytes in network order; nil for a name.
        public let ipv4: [UInt8]?
        /// The TCP port.
        public let port: UInt16

        /// Creates a hint; nil unless `ipv4` has exactly 4 bytes.
        public init?(ipv4: some Sequence<UInt8>, port: UInt16) {
            let ipv4 = Array(ipv4)
            guard ipv4.count == 4 else { return nil }
            self.ipv4 = ipv4
            self.port = port
            host = ipv4.map(String.init).joined(separator: ".")
        }

        /// Creates a hint; nil unless `host` is a host name or an IPv4 address.
        public init?(host: some StringProtocol, port: UInt16) {
            let address = NetworkAddress(String(host))
            guard address.map({ $0.family == .ipv4 }) ?? HostName.isValid(host) else { return nil }
            ipv4 = address?.bytes
            self.host = address?.description ?? host.lowercased()
            self.port = port
        }

        /// `192.0.2.7:8000`, `kitchen.local:8000`.
        public var description: String { "\(host):\(port)" }
    }

    /// The prefix of every pairing code as bare text, in this and in later versions.
    public static let prefix = "HUBPAIR:"
    /// The beginning of every pairing code as an address.
    package static let addressPrefix = "HTTPS://"

    /// The index after the first `HUBPAIR:` in `text`, in any ASCII case and at any position; nil if there is
    /// none. What follows may be a secret, so such a text must not be logged.
    package static func end(ofPrefixIn text: [UInt8]) -> Int? {
        let prefix = Array(prefix.utf8)
        guard text.count >= prefix.count else { return nil }
        return (prefix.count...text.count).first { end in
            zip(text[(end - prefix.count)..<end], prefix).allSatisfy { byte, expected in
                ((0x61...0x7A).contains(byte) ? byte - 0x20 : byte) == expected
            }
        }
    }
    /// The version of the format that this library reads and writes.
    public static let version: UInt8 = 1

    /// What the code is for.
    public let kind: Kind
    /// The time from which the hub refuses the code, in seconds since 1970 UTC; nil for a label that never
    /// expires.
    public let expirySeconds: UInt32?
    /// The secret.
    public let secret: TicketSecret
    /// The hub's pin, which the TLS handshake must match.
    public let hub: Pin
    /// Where to try first to reach the hub; nil if the code has no hint.
    public let addressHint: AddressHint?

    /// Creates a code from its parts. Throws `expiryOutOfRange` or `onceWithoutExpiry`.
    ///
    /// - Parameters:
    ///   - kind: what the code is for.
    ///   - expires: rounded down to whole seconds; required for a once code; from 1970-01-01T00:00:01Z to
    ///     2106-02-07T06:28:15Z.
    ///   - secret: the secret; a new one for each code.
    ///   - hub: the pin of the hub's key.
    ///   - addressHint: where to try first to reach the hub; nil for no hint.
    public init(
        kind: Kind, expires: Date?, secret: TicketSecret, hub: Pin, addressHint: AddressHint? = nil
    ) throws(PairingCodeError) {
        if let expires {
            let seconds = expires.timeIntervalSince1970
            guard seconds >= 1, seconds < 4_294_967_296 else { throw .expiryOutOfRange }
            expirySeconds = UInt32(seconds)
        } else {
            guard kind == .label else { throw .onceWithoutExpiry }
            expirySeconds = nil
        }
        self.kind = kind
        self.secret = secret
        self.hub = hub
        self.addressHint = addressHint
    }

    init(kind: Kind, expirySeconds: UInt32?, secret: TicketSecret, hub: Pin, addressHint: AddressHint?) {
        self.kind = kind
        self.expirySeconds = expirySeconds
        self.secret = secret
        self.hub = hub
        self.addressHint = addressHint
    }

    /// The time from which the hub refuses the code; nil for a label that never expires.
    public var expires: Date? { expirySeconds.map { Date(timeIntervalSince1970: Double($0)) } }

    /// The code as bare text: ASCII, only characters of QR's alphanumeric mode (ISO 18004 § 7.3.4). A hint
    /// that is a name is left out.
    public var text: String { PairingCode.prefix + base32(hint: addressHint) }

    /// The code as an address, in upper case; nil without a hint.
    public var address: String? {
        addressHint.map { hint in
            "\(PairingCode.addressPrefix)\(hint.host.uppercased()):\(hint.port)/#\(base32(hint: nil))"
        }
    }

    /// What a QR code holds: the address, or the bare text of a code without a hint.
    public var written: String { address ?? text }

    private func base32(hint: AddressHint?) -> String {
        let ipv4 = hint?.ipv4
        var bytes: [UInt8] = [PairingCode.version << 4 | (kind == .once ? 0 : 1), ipv4 == nil ? 0 : 1]
        bytes.append(bigEndian: expirySeconds ?? 0)
        secret.withUnsafeBytes { bytes += $0 }
        bytes += hub.bytes
        if let hint, let ipv4 {
            bytes += ipv4
            bytes.append(bigEndian: hint.port)
        }
        bytes += checksum(of: bytes)
        return CrockfordBase32.encode(bytes)
    }
}

extension [UInt8] {
    mutating func append(bigEndian integer: some FixedWidthInteger) {
        for shift in stride(from: integer.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: integer >> shift))
        }
    }
}

extension PairingCode {
    private static let byteCountWithoutHint = 50
    private static let byteCountWithHint = 56

    /// Parses the text of a QR code strictly, bare or as an address. Checks are made in this order, so that
    /// every implementation reports the same error first: prefix (of an address: all up to `#`), alphabet,
    /// base32 length, unused bits, checksum, version, kind, flags (in an address: any), length, a once code
    /// without expiry.
    ///
    /// A text too short for a checksum fails with `checksum`, one too short for its head with `length`.
    public init(text: some StringProtocol) throws(PairingCodeError) {
        if text.utf8.starts(with: PairingCode.addressPrefix.utf8) {
            guard let hash = text.firstIndex(of: "#"),
                let hint = PairingCode.hint(ofAddress: text[..<hash].dropFirst(8))
            else { throw .missingPrefix }
            let code = try PairingCode(bytes: PairingCode.decode(text, after: text.index(after: hash)))
            guard code.addressHint == nil else { throw .flags(1) }
            self = code.at(hint)
            return
        }
        guard text.utf8.starts(with: PairingCode.prefix.utf8) else { throw .missingPrefix }
        try self.init(
            bytes: PairingCode.decode(text, after: text.utf8.index(text.startIndex, offsetBy: 8)))
    }

    /// `HOST:PORT/`, in upper case.
    private static func hint(ofAddress text: some StringProtocol) -> AddressHint? {
        guard text.last == "/", text.allSatisfy({ !("a"..."z").contains($0) }),
            let colon = text.lastIndex(of: ":")
        else { return nil }
        let digits = text[colon...].dropFirst().dropLast()
        guard let port = UInt16(digits: digits), port > 0, "\(port)" == digits else { return nil }
        return AddressHint(host: text[..<colon], port: port)
    }

    /// The same code with another hint.
    package func at(_ hint: AddressHint?) -> PairingCode {
        PairingCode(kind: kind, expirySeconds: expirySeconds, secret: secret, hub: hub, addressHint: hint)
    }

    private init(bytes: [UInt8]) throws(PairingCodeError) {
        guard bytes.count >= 2, Array(bytes.suffix(2)) == checksum(of: bytes.dropLast(2)) else {
            throw .checksum
        }

        guard bytes.count >= 3 else { throw .length(bytes.count) }
        guard bytes[0] >> 4 == PairingCode.version else { throw .version(bytes[0] >> 4) }
        guard bytes[0] & 0xF <= 1 else { throw .kind(bytes[0] & 0xF) }
        let kind: Kind = bytes[0] & 0xF == 0 ? .once : .label
        guard bytes.count >= 4 else { throw .length(bytes.count) }
        guard bytes[1] & ~1 == 0 else { throw .flags(bytes[1]) }
        let hasHint = bytes[1] == 1
        guard bytes.count == (hasHint ? PairingCode.byteCountWithHint : PairingCode.byteCountWithoutHint)
        else { throw .length(bytes.count) }

        let expiry = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard kind == .label || expiry != 0 else { throw .onceWithoutExpiry }
        guard let secret = TicketSecret(bytes: bytes[6..<16]), let hub = Pin(bytes: bytes[16..<48]) else {
            throw .length(bytes.count)
        }
        self.init(
            kind: kind, expirySeconds: expiry == 0 ? nil : expiry, secret: secret, hub: hub,
            addressHint: hasHint
                ? AddressHint(ipv4: bytes[48..<52], port: UInt16(bytes[52]) << 8 | UInt16(bytes[53])) : nil
        )
    }

    private static func decode<Text: StringProtocol>(
        _ text: Text, after start: Text.Index
    ) throws(PairingCodeError) -> [UInt8] {
        let offset = text.utf8.distance(from: text.startIndex, to: start)
        do {
            return try CrockfordBase32.decode(Array(text.utf8.dropFirst(offset)))
        } catch {
            switch error {
            case .invalidCharacter(_, let position): throw .alphabet(position: offset + position)
            case .invalidLength(let count): throw .base32Length(count)
            case .unusedBitsSet: throw .unusedBitsSet
            }
        }
    }
}

/// The first two bytes of SHA-256 over `bytes`. It detects misread characters; it does not protect against
/// forgery.
func checksum(of bytes: some Sequence<UInt8>) -> [UInt8] {
    Array(SHA256.hash(data: Array(bytes)).prefix(2))
}
