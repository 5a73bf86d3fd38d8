/// The question "which hubs are here?": one UDP datagram, broadcast or multicast to port 8000 on the link.
///
///     probe   = "HPQ1" nonce padding    ; exactly 256 bytes
///     nonce   = 16 bytes                ; random; the reply repeats it under its signature
///     padding = 236 zero bytes          ; checked to be zero
///
/// The padding makes a probe larger than any reply, so that an attacker who forges the source address gains
/// no amplification.
///
/// Accepted: `HPQ1`, 16 bytes, 236 zero bytes. Rejected: the same with 235 or 237 zero bytes, or with a
/// nonzero byte among them.
public struct Probe: Hashable, Sendable {
    /// The length of a probe in bytes.
    public static let byteCount = 256
    /// The length of a nonce in bytes.
    public static let nonceByteCount = 16
    static let magic = Array("HPQ1".utf8)

    /// 16 random bytes, new for every probe.
    public let nonce: [UInt8]

    /// Creates a probe with a nonce from `generator`.
    public init(using generator: inout some RandomNumberGenerator) {
        nonce = (0..<Probe.nonceByteCount).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    /// Parses the bytes of a datagram.
    public init(parsing bytes: [UInt8]) throws(ProbeError) {
        guard bytes.starts(with: Probe.magic) else { throw .wrongMagic }
        guard bytes.count == Probe.byteCount else { throw .wrongLength(bytes.count) }
        let end = Probe.magic.count + Probe.nonceByteCount
        guard bytes[end...].allSatisfy({ $0 == 0 }) else { throw .nonzeroPadding }
        nonce = Array(bytes[Probe.magic.count..<end])
    }

    /// The 256 bytes to send.
    public var bytes: [UInt8] {
        let start = Probe.magic + nonce
        return start + [UInt8](repeating: 0, count: Probe.byteCount - start.count)
    }
}

/// Why a datagram is not a probe, or not a notice. Never reaches a user: such datagrams are dropped.
public enum ProbeError: Error, Hashable, Sendable {
    /// It begins with another magic number.
    case wrongMagic
    /// Its length, in bytes, is not that of a probe or notice.
    case wrongLength(Int)
    /// Its padding has a byte other than zero.
    case nonzeroPadding
}
