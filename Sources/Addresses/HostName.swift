#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc
#endif

/// The names of hosts: this machine's own, and the grammar of them all (RFC 1123 § 2.1, with "_" as in names
/// of services).
///
///     name  = label *( "." label )    ; 1 to 253 bytes; the last label is not of digits alone
///     label = 1*63( ALPHA / DIGIT / "-" / "_" )    ; no "-" in front
///
/// Accepted: `hub`, `Kitchen-2.local`, `3com.example`, `HestiaServer._hestia._tcp.local`. Rejected: `-hub`,
/// `a..b`, `hub.`, `1.2.3`, `hüb`.
package enum HostName {
    #if os(Linux) && !HUBPAIR_PORTABLE
    /// This machine's host name up to the first dot (gethostname(2)). It may break the rules for names.
    package static func own() -> String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let label = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
            .map(UInt8.init(bitPattern:))
        return String(decoding: label, as: UTF8.self)
    }
    #endif

    /// True for a valid host name. A name whose last label is all digits is a mistyped IPv4 address (WHATWG
    /// URL § 3.5), never a host name.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { isLabel($0.utf8) }
            && labels.last?.utf8.allSatisfy { (0x30...0x39).contains($0) } == false
    }

    private static func isLabel(_ label: some Collection<UInt8>) -> Bool {
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
            && label.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }
}
