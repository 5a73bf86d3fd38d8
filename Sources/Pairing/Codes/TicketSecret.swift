import Crypto
import FoundationEssentials

/// The secret in a pairing code: 10 random bytes (80 bits).
///
/// The hub discards it once the code is printed, and keeps only values derived from it. Its description hides
/// it, so that logs and error messages cannot reveal it. Its memory is overwritten when the last reference
/// goes.
public struct TicketSecret: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes in a secret.
    public static let byteCount = 10

    private let content: SecretBytes

    /// A copy of the 10 bytes; the copy is not overwritten.
    public var bytes: [UInt8] { content.copy }

    /// Creates a secret; nil unless `bytes` has exactly 10 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        guard let content = SecretBytes(bytes, count: TicketSecret.byteCount) else { return nil }
        self.content = content
    }

    /// A new secret from the system's random number generator (getrandom).
    public static func random() -> TicketSecret {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new secret from `generator`; for tests with a generator of their own.
    public static func random(
        using generator: inout some RandomNumberGenerator
    ) -> TicketSecret {
        TicketSecret(
            SecretBytes(count: byteCount) { buffer in
                for index in buffer.indices {
                    buffer[index] = UInt8.random(in: .min ... .max, using: &generator)
                }
            })
    }

    private init(_ content: SecretBytes) { self.content = content }

    /// Calls `body` with the bytes in place, without a copy.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        content.withUnsafeBytes(body)
    }

    /// A constant text that hides the secret.
    public var description: String { "TicketSecret(hidden)" }

    /// No children, so that dump() cannot reveal the secret.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// True if both secrets are equal; runs in constant time.
    public static func == (one: TicketSecret, other: TicketSecret) -> Bool {
        one.content == other.content
    }

    /// The ticket ID: HKDF-SHA256 (RFC 5869) of the secret without salt, info `hubpair/1 ticket`, 8 bytes.
    public var ticketID: TicketID {
        TicketID(unchecked: derived(info: "hubpair/1 ticket", byteCount: TicketID.byteCount).copy)
    }

    /// The proof key: HKDF-SHA256 (RFC 5869) of the secret without salt, info `hubpair/1 proof`, 32 bytes.
    public var proofKey: ProofKey {
        ProofKey(derived(info: "hubpair/1 proof", byteCount: ProofKey.byteCount))
    }

    private func derived(info: String, byteCount: Int) -> SecretBytes {
        // HKDF's first step is done here, since swift-crypto frees a hash with the bytes that did not fill
        // a block, which are the secret (its `zeroize` overwrites 8 bytes in all): others take their place.
        var extraction = HMAC<SHA256>(key: SymmetricKey(data: [UInt8]()))
        content.withUnsafeBytes { extraction.update(data: $0) }
        let key = extraction.finalize()
        extraction.update(data: [UInt8](repeating: 0, count: SHA256.blockByteCount))
        let derived = HKDF<SHA256>.expand(
            pseudoRandomKey: key, info: Array(info.utf8), outputByteCount: byteCount)
        return derived.withUnsafeBytes { bytes in SecretBytes(count: byteCount) { $0.copyMemory(from: bytes) }
        }
    }
}

/// The public identifier of a ticket (the hub's record of a code), derived from the code's secret: 8 bytes,
/// written as 13 characters of Crockford base32.
public struct TicketID: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a ticket ID.
    public static let byteCount = 8

    /// The 8 bytes.
    public let bytes: [UInt8]

    /// Creates a ticket ID; nil unless `bytes` has exactly 8 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == TicketID.byteCount else { return nil }
        self.bytes = bytes
    }

    /// Parses a ticket ID; nil unless `text` is the strict base32 of 8 bytes.
    public init?(_ text: String) {
        guard let bytes = try? CrockfordBase32.decode(text.utf8), bytes.count == TicketID.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A name of its own, for what has no secret.
    package static func random() -> TicketID {
        var random = SystemRandomNumberGenerator()
        return TicketID(
            unchecked: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// 13 characters of Crockford base32.
    public var description: String { CrockfordBase32.encode(bytes) }
}

/// The key with which device and hub prove to each other that they know a ticket's secret: 32 bytes for
/// HMAC-SHA256.
public struct ProofKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes in a proof key.
    public static let byteCount = 32

    private let content: SecretBytes

    /// A copy of the 32 bytes; the copy is not overwritten.
    public var bytes: [UInt8] { content.copy }

    /// Creates a proof key; nil unless `bytes` has exactly 32 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        guard let content = SecretBytes(bytes, count: ProofKey.byteCount) else { return nil }
        self.content = content
    }

    fileprivate init(_ content: SecretBytes) { self.content = content }

    /// Calls `body` with the bytes in place, without a copy.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        content.withUnsafeBytes(body)
    }

    /// The key as a SymmetricKey, which overwrites its bytes when it is released.
    var symmetric: SymmetricKey { content.withUnsafeBytes { SymmetricKey(data: $0) } }

    /// A constant text that hides the key.
    public var description: String { "ProofKey(hidden)" }

    /// No children, so that dump() cannot reveal the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
