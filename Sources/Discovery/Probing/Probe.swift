/// The question "which hubs are here?", sent as one UDP datagram to port 8000 of everybody on the link.
///
///     probe  = "HPQ1" nonce padding    ; exactly 256 bytes
///     nonce  = 16 bytes                ; random, comes back under the reply's signature
///     padding = 236 zero bytes         ; checked
///
/// The padding makes a probe larger than any reply, so that a forged source gains nothing by it.
///
/// Accepted: `HPQ1`, 16 bytes, 236 zeros. Rejected: the same with 235 or 237 zeros, or with a one among them.
public struct Probe: Hashable, Sendable {
    /// The length of every probe.
    public static let byteCount = 256
    /// The length of a nonce.
    public static let nonceByteCount = 16
    static let magic = Array("HPQ1".utf8)

    /// 16 bytes, never used for two probes.
    public let nonce: [UInt8]

    /// A probe with a nonce from `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        nonce = (0..<Probe.nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Reads a datagram.
    public init(parsing bytes: [UInt8]) throws(ProbeError) {
        guard bytes.starts(with: Probe.magic) else { throw .wrongMagic }
        guard bytes.count == Probe.byteCount else { throw .wrongLength(bytes.count) }
        let end = Probe.magic.count + Probe.nonceByteCount
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { throw .nonzeroPadding }
        nonce = Array(bytes[Probe.magic.count..<end])
    }

    /// The datagram, 256 bytes.
    public var bytes: [UInt8] {
        let start = Probe.magic + nonce
        return start + [UInt8](repeating: 0, count: Probe.byteCount - start.count)
    }
}

/// Why a datagram is not a probe, or not a notice.
public enum ProbeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It begins with something else.
    case wrongMagic
    /// It has this many bytes.
    case wrongLength(Int)
    /// It holds something where zeros belong.
    case nonzeroPadding

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .wrongMagic: "the datagram is of another kind"
        case .wrongLength(let count): "the datagram has \(count) bytes, which none of its kind has"
        case .nonzeroPadding: "the datagram's padding is not zero"
        }
    }
}
