import Crypto
import FoundationEssentials

/// What a pairing code carries in secret: 10 random bytes (80 bits).
///
/// The hub forgets it once the code is printed and keeps only what is derived from it. It never appears in a
/// description, so that no log or error message can show it, and is overwritten in memory when nothing refers
/// to it any more.
public struct TicketSecret: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes in a secret.
    public static let byteCount = 10

    private let content: SecretBytes

    /// 10 bytes: a copy, which is not overwritten.
    public var bytes: [UInt8] { content.copy }

    /// A secret from its 10 bytes, or nil if there are not exactly 10.
    public init?(bytes: some Sequence<UInt8>) {
        guard let content = SecretBytes(bytes, count: TicketSecret.byteCount) else { return nil }
        self.content = content
    }

    /// A new secret from the system (getrandom).
    public static func random() -> TicketSecret {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new secret from `generator`, for tests that bring their own.
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

    /// Hands the 10 bytes to `body` where they are.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        content.withUnsafeBytes(body)
    }

    /// Always the same text: a secret is not to be shown.
    public var description: String { "TicketSecret(hidden)" }

    /// No children: a secret is not to be dumped.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Both secrets are the same; takes the same time wherever they differ.
    public static func == (one: TicketSecret, other: TicketSecret) -> Bool {
        one.content == other.content
    }

    /// What the hub and the device call the ticket: HKDF-SHA256 (RFC 5869) without salt, info
    /// `hubpair/1 ticket`, 8 bytes.
    public var ticketID: TicketID {
        TicketID(unchecked: derived(info: "hubpair/1 ticket", byteCount: TicketID.byteCount).copy)
    }

    /// The key of the proofs: HKDF-SHA256 (RFC 5869) without salt, info `hubpair/1 proof`, 32 bytes.
    public var proofKey: ProofKey {
        ProofKey(derived(info: "hubpair/1 proof", byteCount: ProofKey.byteCount))
    }

    private func derived(info: String, byteCount: Int) -> SecretBytes {
        // A SymmetricKey overwrites its own bytes when it goes.
        let key = content.withUnsafeBytes { SymmetricKey(data: $0) }
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Data(info.utf8), outputByteCount: byteCount)
        return derived.withUnsafeBytes { bytes in SecretBytes(count: byteCount) { $0.copyMemory(from: bytes) }
        }
    }
}

/// The public name of a ticket, derived from its secret: 8 bytes, written as 13 characters of Crockford
/// base32.
public struct TicketID: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a ticket ID.
    public static let byteCount = 8

    /// 8 bytes.
    public let bytes: [UInt8]

    /// A ticket ID from its 8 bytes, or nil if there are not exactly 8.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == TicketID.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A ticket ID from its text, or nil if that is not the strict base32 of 8 bytes.
    public init?(_ text: String) {
        guard let bytes = try? CrockfordBase32.decode(text.utf8), bytes.count == TicketID.byteCount else {
            return nil
        }
        self.bytes = bytes
    }

    fileprivate init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// 13 characters of Crockford base32.
    public var description: String { CrockfordBase32.encode(bytes) }
}

/// The key under which device and hub prove that they know a ticket's secret: 32 bytes for HMAC-SHA256.
public struct ProofKey: Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    /// The number of bytes in a proof key.
    public static let byteCount = 32

    private let content: SecretBytes

    /// 32 bytes: a copy, which is not overwritten.
    public var bytes: [UInt8] { content.copy }

    /// A proof key from its 32 bytes, or nil if there are not exactly 32.
    public init?(bytes: some Sequence<UInt8>) {
        guard let content = SecretBytes(bytes, count: ProofKey.byteCount) else { return nil }
        self.content = content
    }

    fileprivate init(_ content: SecretBytes) { self.content = content }

    /// Hands the 32 bytes to `body` where they are.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        content.withUnsafeBytes(body)
    }

    /// As the cryptography takes it; overwritten when it goes.
    var symmetric: SymmetricKey { content.withUnsafeBytes { SymmetricKey(data: $0) } }

    /// Always the same text: a key is not to be shown.
    public var description: String { "ProofKey(hidden)" }

    /// No children: a key is not to be dumped.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
