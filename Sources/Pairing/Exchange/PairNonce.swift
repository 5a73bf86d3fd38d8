/// A nonce of the exchange: 16 random bytes. Device and hub each contribute one to every attempt to pair.
public struct PairNonce: Hashable, Sendable {
    /// The number of bytes in a nonce.
    public static let byteCount = 16

    /// The 16 bytes.
    public let bytes: [UInt8]

    /// Creates a nonce; nil unless `bytes` has exactly 16 bytes.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == PairNonce.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A new nonce from the system's random number generator (getrandom).
    public static func random() -> PairNonce {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new nonce from `generator`; for tests with a generator of their own.
    public static func random(using generator: inout some RandomNumberGenerator) -> PairNonce {
        PairNonce(unchecked: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
