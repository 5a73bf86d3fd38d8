import JSON

/// One way to a hub, as the hub tells it to its devices.
///
///     {"address": "192.0.2.7:8000", "kind": "home"}
///
/// `address` is `HOST:PORT`, a hint as every address is: the handshake checks the hub's key. Members of
/// ``HubDescription/ways``; one that is not understood is left out, at most 32 are read.
public struct HubWay: Equatable, Sendable {
    /// Where the way leads.
    public enum Kind: String, Sendable {
        /// To one of the hub's own links: for the same network.
        case home
        /// Another that the hub's owner has named: a VPN's name, a forwarded port, a tunnel.
        case added
        /// To a relay, which goes by the server name of the handshake.
        case relay
    }

    /// The most that are told and read.
    package static let maximumCount = 32
    /// The longest address in bytes: a host name of 253, and a port.
    package static let maximumByteCount = 264

    /// `HOST:PORT`.
    public let address: String
    /// Where it leads.
    public let kind: Kind

    /// A way of these parts.
    public init(address: String, kind: Kind) {
        self.address = address
        self.kind = kind
    }

    init?(_ value: JSONValue) {
        guard let members = value.asObject, let address = members["address"]?.asString,
            let kind = members["kind"]?.asString.flatMap(Kind.init), HubWay.isAddress(address)
        else { return nil }
        self.init(address: address, kind: kind)
    }

    /// True for what can be an address: visible ASCII without the marks of the keyfile's list.
    static func isAddress(_ text: some StringProtocol) -> Bool {
        (1...maximumByteCount).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ";") }
    }

    /// As keyfiles have it: `192.0.2.7:8000 home`.
    package var text: String { "\(address) \(kind.rawValue)" }

    /// The ways of a list with `;` between them; nil if one is malformed. A newer version's kind is left out.
    package static func list(_ text: String) -> [HubWay]? {
        var ways: [HubWay] = []
        for part in text.split(separator: ";") {
            let words = part.split(separator: " ")
            guard words.count == 2, isAddress(words[0]), ways.count < maximumCount else { return nil }
            guard let kind = Kind(rawValue: String(words[1])) else { continue }
            ways.append(HubWay(address: String(words[0]), kind: kind))
        }
        return ways
    }

    var json: JSONValue {
        .object(["address": .string(address), "kind": .string(kind.rawValue)])
    }
}
