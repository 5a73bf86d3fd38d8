import Addresses
import Glibc

/// The names by which browsers reach this machine.
enum HubHosts {
    /// The most names in the settings.
    static let maximumCount = 16

    /// The machine's name in multicast DNS (RFC 6762 § 3): the first label of its host name and `.local`.
    static var localName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        gethostname(&buffer, buffer.count - 1)
        let host = buffer.prefix { $0 != 0 && $0 != CChar(bitPattern: UInt8(ascii: ".")) }
            .map(UInt8.init(bitPattern:))
        return String(decoding: host, as: UTF8.self).lowercased() + ".local"
    }

    /// True for a DNS name or an IP address, without a port.
    ///
    ///     name  = label *( "." label ) ; 1 to 253 characters
    ///     label = 1*63( ALPHA / DIGIT / "-" / "_" )
    static func isHost(_ text: some StringProtocol) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        return NetworkAddress(String(text)) != nil
            || text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                        default: false
                        }
                    }
            }
    }
}
