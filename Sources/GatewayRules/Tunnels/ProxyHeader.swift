package import Addresses

/// The address of a caller in front of its bytes: version 2 of the PROXY protocol (HAProxy, "The PROXY
/// protocol", § 2.2), the command PROXY over TCP.
///
///     header = signature(12) %x21 family(1) length(2) source destination source-port(2)
///              destination-port(2) *TLV
///
/// `family` is 11 (IPv4, addresses of 4 bytes) or 21 (IPv6, of 16). A relay writes it inside of the hub's own
/// TLS connection; nobody else can. Destinations and TLVs are not used.
///
/// Accepted: 28 bytes for IPv4, 52 for IPv6, more with TLVs. Rejected: version 1, the command LOCAL, UDP, a
/// length that is too small, or above 512.
package enum ProxyHeader {
    package static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let maximumLength = 512

    package enum Verdict: Equatable, Sendable {
        case more
        /// The caller's address, and how many bytes the header has.
        case source(NetworkAddress, port: UInt16, byteCount: Int)
        case malformed
    }

    /// The header for a caller.
    package static func bytes(source: NetworkAddress, port: UInt16) -> [UInt8] {
        let isIPv4 = source.family == .ipv4
        let zeros = [UInt8](repeating: 0, count: source.bytes.count)
        let length = source.bytes.count * 2 + 4
        return signature + [0x21, isIPv4 ? 0x11 : 0x21, UInt8(length >> 8), UInt8(length & 0xFF)]
            + source.bytes + zeros + [UInt8(port >> 8), UInt8(port & 0xFF), 0, 0]
    }

    /// Reads the beginning of a connection.
    package static func read(_ bytes: [UInt8]) -> Verdict {
        guard bytes.prefix(12).elementsEqual(signature.prefix(bytes.count)) else { return .malformed }
        guard bytes.count >= 16 else { return .more }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] == 0x21, length <= maximumLength else { return .malformed }
        let size: Int
        switch bytes[13] {
        case 0x11: size = 4
        case 0x21: size = 16
        default: return .malformed
        }
        guard length >= size * 2 + 4 else { return .malformed }
        guard bytes.count >= 16 + length else { return .more }
        guard let address = NetworkAddress(bytes: Array(bytes[16..<16 + size])) else { return .malformed }
        let port = UInt16(bytes[16 + size * 2]) << 8 | UInt16(bytes[17 + size * 2])
        return .source(address, port: port, byteCount: 16 + length)
    }
}
