/// A hub's invitation to send probes now: broadcast when it starts, when its network changes, and when it
/// opens for pairing.
///
///     notice = "HPN1" 12 zero bytes    ; exactly 16 bytes
///
/// A notice carries no data, so forging one gains nothing: a device that receives it sends a ``Probe``.
///
/// Accepted: `HPN1` and 12 zero bytes. Rejected: `HPN1` alone, 11 or 13 zero bytes, or a nonzero byte among
/// them.
public struct Notice: Hashable, Sendable {
    /// The length of a notice in bytes.
    public static let byteCount = 16
    static let magic = Array("HPN1".utf8)

    /// Creates a notice; all are equal.
    public init() {}

    /// Parses the bytes of a datagram.
    public init(parsing bytes: [UInt8]) throws(ProbeError) {
        guard bytes.starts(with: Notice.magic) else { throw .wrongMagic }
        guard bytes.count == Notice.byteCount else { throw .wrongLength(bytes.count) }
        guard bytes[Notice.magic.count...].allSatisfy({ $0 == 0 }) else { throw .nonzeroPadding }
    }

    /// The 16 bytes to send.
    public var bytes: [UInt8] {
        Notice.magic + [UInt8](repeating: 0, count: Notice.byteCount - Notice.magic.count)
    }
}
