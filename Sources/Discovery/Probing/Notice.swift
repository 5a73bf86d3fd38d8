/// A hub's hint that it is worth asking now: broadcast at its start, on a change of its network, and when it
/// opens for pairing.
///
///     notice = "HPN1" 12 zero bytes    ; exactly 16 bytes
///
/// It carries no fact, so there is nothing in it to forge: a device that receives it sends a ``Probe``.
///
/// Accepted: `HPN1` and 12 zeros. Rejected: `HPN1` alone, 11 or 13 zeros, a one among them.
public struct Notice: Hashable, Sendable {
    /// The length of every notice.
    public static let byteCount = 16
    static let magic = Array("HPN1".utf8)

    /// A notice; all are the same.
    public init() {}

    /// Reads a datagram.
    public init(parsing bytes: [UInt8]) throws(ProbeError) {
        guard bytes.starts(with: Notice.magic) else { throw .wrongMagic }
        guard bytes.count == Notice.byteCount else { throw .wrongLength(bytes.count) }
        guard bytes[Notice.magic.count...].allSatisfy({ $0 == 0 }) else { throw .nonzeroPadding }
    }

    /// The datagram, 16 bytes.
    public var bytes: [UInt8] {
        Notice.magic + [UInt8](repeating: 0, count: Notice.byteCount - Notice.magic.count)
    }
}
