package import Addresses
import Identity

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
///
/// A balancer in front may write version 1 (§ 2.1) instead, a line of at most 107 bytes:
///
///     PROXY TCP4 192.0.2.7 192.0.2.1 49152 8000\r\n
package enum ProxyHeader {
    package static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    private static let maximumLength = 512
    private static let maximumLineLength = 107

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

    /// Reads the beginning of a connection that a balancer passes on: either version.
    package static func readEither(_ bytes: [UInt8]) -> Verdict {
        let start = Array("PROXY ".utf8)
        guard bytes.first == start[0] else { return read(bytes) }
        guard bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count)) else { return .malformed }
        let line = bytes.prefix(maximumLineLength)
        guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else {
            return line.count < maximumLineLength ? .more : .malformed
        }
        guard line[end - 1] == UInt8(ascii: "\r") else { return .malformed }
        let words = String(decoding: line[..<(end - 1)], as: UTF8.self)
            .split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, let source = NetworkAddress(String(words[2])), source.scope == nil,
            let destination = NetworkAddress(String(words[3])), destination.family == source.family,
            words[1] == (source.family == .ipv4 ? "TCP4" : "TCP6"),
            let port = Int(digits: words[4]), let port = UInt16(exactly: port),
            let ownPort = Int(digits: words[5]), UInt16(exactly: ownPort) != nil
        else { return .malformed }
        return .source(source, port: port, byteCount: end + 1)
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
