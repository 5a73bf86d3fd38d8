/// The first 10 bytes (80 bits) of a pin, for people: `K7QF-2M9D-X0TW-8RHC`.
///
/// Four groups of four Crockford base32 characters, upper case, joined by hyphens.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes in a fingerprint.
    public static let byteCount = 10

    /// 10 bytes.
    public let bytes: [UInt8]

    /// The fingerprint of `pin`.
    public init(of pin: Pin) {
        bytes = Array(pin.bytes.prefix(Fingerprint.byteCount))
    }

    /// A fingerprint in exactly the form `XXXX-XXXX-XXXX-XXXX`, as files and the network carry it; nil for
    /// anything else.
    public init?(_ text: String) {
        guard let fingerprint = Fingerprint(forgiving: text), fingerprint.description == text else {
            return nil
        }
        self = fingerprint
    }

    /// A fingerprint as a person types it: ASCII case, white space and hyphens do not matter, I and L are
    /// read as 1, O as 0. Nil if it is not 16 characters of the alphabet then.
    public init?(forgiving text: String) {
        guard text.utf8.count <= 64, let symbols = CrockfordBase32.symbols(typed: text), symbols.count == 16,
            let bytes = try? CrockfordBase32.decode(symbols)
        else { return nil }
        self.bytes = bytes
    }

    private static let serverDomain = ".hub.invalid"

    /// The server name (RFC 6066 § 3) under which a client asks for the hub with this fingerprint wherever
    /// the connection leads: `k7qf-2m9d-x0tw-8rhc.hub.invalid`. A relay goes by it; a gateway ignores it.
    /// Nobody can own a name in `invalid` (RFC 6761 § 6.4).
    package var serverName: String { description.lowercased() + Fingerprint.serverDomain }

    /// The fingerprint in such a name, in any case; nil for any other name.
    package init?(serverName: String) {
        let name = serverName.lowercased()
        guard name.hasSuffix(Fingerprint.serverDomain) else { return nil }
        self.init(name.dropLast(Fingerprint.serverDomain.count).uppercased())
    }

    /// `XXXX-XXXX-XXXX-XXXX`: 19 ASCII characters.
    public var description: String { CrockfordBase32.grouped(CrockfordBase32.encode(bytes)) }
}

extension CrockfordBase32 {
    /// The strict symbols of what a person typed, or nil if a character stands for none: ASCII white space
    /// and hyphens are dropped, lower case is raised, I and L become 1, O becomes 0. U stays refused.
    package static func symbols(typed text: String) -> [UInt8]? {
        var symbols: [UInt8] = []
        for byte in text.utf8 {
            let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            switch upper {
            case 0x09...0x0D, 0x20, UInt8(ascii: "-"): continue
            case UInt8(ascii: "I"), UInt8(ascii: "L"): symbols.append(UInt8(ascii: "1"))
            case UInt8(ascii: "O"): symbols.append(UInt8(ascii: "0"))
            default:
                guard value(of: upper) != nil else { return nil }
                symbols.append(upper)
            }
        }
        return symbols
    }

    /// `text` (ASCII) in groups of four, joined by hyphens.
    package static func grouped(_ text: String) -> String {
        var grouped: [UInt8] = []
        for (index, symbol) in text.utf8.enumerated() {
            if index > 0, index % 4 == 0 { grouped.append(UInt8(ascii: "-")) }
            grouped.append(symbol)
        }
        return String(decoding: grouped, as: UTF8.self)
    }
}
