/// What makes one attempt to pair unlike every other: 16 random bytes of the device, and 16 of the hub.
public struct PairNonce: Hashable, Sendable {
    /// The number of bytes in a nonce.
    public static let byteCount = 16

    /// 16 bytes.
    public let bytes: [UInt8]

    /// A nonce from its 16 bytes, or nil if there are not exactly 16.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == PairNonce.byteCount else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// A new nonce from the system (getrandom).
    public static func random() -> PairNonce {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// A new nonce from `generator`, for tests that bring their own.
    public static func random(using generator: inout some RandomNumberGenerator) -> PairNonce {
        PairNonce(unchecked: (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    }
}
