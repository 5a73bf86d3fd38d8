import Identity

/// The source of connections or pairing attempts, for rate limits: an IPv4 address or an IPv6 /64. A single
/// host can use any number of addresses within its /64.
///
///     text = "ipv4 " 1*3DIGIT 3( "." 1*3DIGIT )
///          / "ipv6 " 4HEXDIG 3( ":" 4HEXDIG ) [ "%" interface ]    ; the first 64 bits, lower case
///
/// `%relay` stands behind an address that is a relay's word.
///
/// Accepted: `ipv4 192.0.2.7`, `ipv6 fd77:0000:0000:0001`, `ipv6 fe80:0000:0000:0000%eth0`. Rejected:
/// `192.0.2.7`, `ipv4 192.0.2.07`, `ipv6 fd77::1`.
public struct SourcePrefix: Hashable, Sendable, CustomStringConvertible {
    /// The 4 bytes of an IPv4 address, or the first 8 bytes of an IPv6 address.
    private let bytes: [UInt8]
    /// The interface of a link-local prefix; empty for all other prefixes.
    private let scope: String

    /// In the place of an interface: the address is a relay's word.
    private static let relay = "relay"

    /// The source of an address. An IPv4-mapped IPv6 address (RFC 4291 § 2.5.5.2) counts as the IPv4 address.
    public init(_ address: NetworkAddress) {
        let isMapped = address.bytes.count == 16 && address.bytes.starts(with: NetworkAddress.mappedPrefix)
        switch address.family {
        case .ipv4: bytes = address.bytes
        case .ipv6: bytes = isMapped ? Array(address.bytes.suffix(4)) : Array(address.bytes.prefix(8))
        }
        scope = address.scope.flatMap { SourcePrefix.isInterface($0) ? $0 : nil } ?? ""
    }

    /// The source of a caller whose address is a relay's word. It is never equal to that of a neighbour, so a
    /// relay that lies cannot use up the attempts of anybody at home. IPv4 addresses stand in 2002::/16,
    /// which no host has any more (RFC 7526).
    package init(relayed address: NetworkAddress) {
        let plain = SourcePrefix(address)
        bytes = plain.bytes.count == 4 ? [0x20, 0x02] + plain.bytes + [0, 0] : plain.bytes
        scope = SourcePrefix.relay
    }

    /// Parses a source; nil unless `text` has the form above.
    public init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, text.utf8.count <= 64 else { return nil }
        let address: NetworkAddress?
        switch words[0] {
        case "ipv4":
            let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
            let bytes = parts.compactMap { UInt8(digits: $0) }
            address = bytes.count == 4 ? NetworkAddress(bytes: bytes) : nil
        case "ipv6":
            let parts = words[1].split(separator: "%", maxSplits: 1)
            let groups = (parts.first ?? "").split(separator: ":").compactMap { UInt16($0, radix: 16) }
            let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            address =
                bytes.count == 8
                ? NetworkAddress(
                    bytes: bytes + [UInt8](repeating: 0, count: 8),
                    scope: parts.count == 2 ? String(parts[1]) : nil)
                : nil
        default: return nil
        }
        guard let address else { return nil }
        if words[1].hasSuffix("%\(SourcePrefix.relay)") {
            self.init(relayed: address)
        } else {
            self.init(address)
        }
        guard description == text else { return nil }
    }

    /// The text form, as in the keyfile `attempts`.
    public var description: String {
        if bytes.count == 4 { return "ipv4 " + bytes.map(String.init).joined(separator: ".") }
        let groups = stride(from: 0, to: 8, by: 2).map { offset in
            let digits = String(UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]), radix: 16)
            return String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "ipv6 " + groups.joined(separator: ":") + (scope.isEmpty ? "" : "%" + scope)
    }

    // The text is part of a group name in a keyfile, so brackets are not allowed.
    private static func isInterface(_ text: String) -> Bool {
        (1...15).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"/:%[]".utf8.contains($0) }
    }
}
