package import Identity

/// A DNS-SD service type over TCP (RFC 6763 § 7, RFC 6335 § 5.1), as a person types it.
///
///     type = "_" name "._tcp"
///     name = 1*15( ALPHA / DIGIT / "-" )   ; a letter in it, no hyphen at an end or beside another
///
/// Accepted: `_hestia._tcp`. Rejected: `hestia`, `_hestia._udp`, `_-._tcp`, `_a-name-that-is-too-long._tcp`.
package struct ServiceType: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package static let hestia = ServiceType(checked: "_hestia._tcp")

    package init(_ text: String) throws(ServiceNameError) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].elementsEqual("_tcp".utf8), parts[0].first == UInt8(ascii: "_")
        else { throw .type(text) }
        let name = parts[0].dropFirst()
        let hyphen = UInt8(ascii: "-")
        guard (1...15).contains(name.count), name.first != hyphen, name.last != hyphen,
            !zip(name, name.dropFirst()).contains(where: { $0 == hyphen && $1 == hyphen }),
            name.allSatisfy({ ServiceType.isLetter($0) || (0x30...0x39).contains($0) || $0 == hyphen }),
            name.contains(where: ServiceType.isLetter)
        else { throw .type(text) }
        description = text
    }

    private init(checked text: String) { description = text }

    /// The names of its instances end with this one.
    package func name(in domain: DNSName) -> DNSName { DNSName(labels: labels + domain.labels) }

    /// The instance's own label, and the domain, if this is the name of an instance (RFC 6763 § 4.1).
    func instance(_ name: DNSName) -> (label: [UInt8], domain: DNSName)? {
        guard name.labels.count > 3, let label = name.labels.first,
            DNSName(labels: Array(name.labels[1...2])) == DNSName(labels: labels)
        else { return nil }
        return (label, DNSName(labels: Array(name.labels[3...])))
    }

    private var labels: [[UInt8]] { description.split(separator: ".").map { Array($0.utf8) } }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}

/// A domain that is searched by unicast DNS, as a person types it; a dot at its end is allowed.
///
///     domain = label *( "." label ) [ "." ]         ; at most 180 bytes: an instance's name has 255
///     label  = 1*63( ALPHA / DIGIT / "-" / "_" )
///
/// Accepted: `example.org`, `home.arpa.`. Rejected: `local` (multicast DNS has it), `a..b`, `müller.example`.
package struct SearchDomain: Hashable, Sendable, CustomStringConvertible {
    /// Without the dot at its end.
    package let description: String
    package let name: DNSName

    private static let maximumByteCount = 180

    package init(_ text: String) throws(ServiceNameError) {
        let trimmed = text.utf8.last == UInt8(ascii: ".") ? text.utf8.dropLast() : text.utf8[...]
        let labels = trimmed.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII(text) }
        guard (1...SearchDomain.maximumByteCount).contains(trimmed.count),
            labels.allSatisfy({ (1...63).contains($0.count) && $0.allSatisfy(DNSName.isPlain) })
        else { throw .domain(text) }
        description = String(decoding: trimmed, as: UTF8.self)
        name = DNSName(labels: labels.map { Array($0) })
        guard name.labels.last.map({ DNSName(labels: [$0]) }) != DNSName.local else { throw .local }
    }
}

package enum ServiceNameError: Hashable, UserError {
    case type(String)
    case domain(String)
    case notASCII(String)
    case local

    package var description: String {
        switch self {
        case .type(let text): "\"\(text)\" is not a service type"
        case .domain(let text), .notASCII(let text): "\"\(text)\" is not a domain name"
        case .local: "local is the network that this computer is on, and no domain of name servers"
        }
    }

    package var kind: UserErrorKind { .usage }

    package var hint: String? {
        switch self {
        case .type:
            "a type has the form _name._tcp, like _hestia._tcp, with at most 15 letters, digits and hyphens"
        case .domain: "give one like example.org"
        case .notASCII: "write it as DNS has it, in ASCII: xn--..."
        case .local: "leave out --domain to search it"
        }
    }
}
