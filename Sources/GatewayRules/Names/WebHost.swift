package import Addresses
import Identity

/// What stands in front of the port in a browser's address: a name, or an IP address without its zone.
///
///     host = name [ "." ] / IPv4 / IPv6 / "[" IPv6 "]"      ; name: see HostName
///
/// Names are compared in lower case, and without the dot that ends them.
///
/// Accepted: `Kitchen.local`, `kitchen.local.`, `192.168.1.20`, `[fd77::1]`, `fd77::1`. Rejected:
/// `kitchen.local:8000`, `kitchen..local`, `3232235796`, `[kitchen.local]`, an empty text.
package enum WebHost: Hashable, Sendable, CustomStringConvertible {
    /// In lower case, without a dot at its end.
    case name(String)
    case address(NetworkAddress)

    package init?(_ text: some StringProtocol) {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]"), let address = NetworkAddress(String(text.dropFirst().dropLast())),
                address.family == .ipv6
            else { return nil }
            self.init(address)
        } else if let address = NetworkAddress(String(text)) {
            self.init(address)
        } else {
            let name = text.hasSuffix(".") ? String(text.dropLast()) : String(text)
            guard HostName.isValid(name) else { return nil }
            self = .name(name.lowercased())
        }
    }

    /// Without the zone, which other machines do not share.
    package init(_ address: NetworkAddress) {
        self = .address(NetworkAddress(bytes: address.bytes) ?? address)
    }

    /// The host in the value of a `Host` field, `host [ ":" port ]`; nil if it is not one.
    package init?(field value: some Collection<UInt8>) {
        guard let text = String(validating: value, as: UTF8.self) else { return nil }
        let end = text.hasPrefix("[") ? text.firstIndex(of: "]").map(text.index(after:)) : nil
        // A bracket that stays open makes no host.
        let host = end.map { text[..<$0] } ?? text.prefix { $0 != ":" }
        let rest = text.dropFirst(host.count)
        guard rest.isEmpty || rest.utf8.first == UInt8(ascii: ":") && UInt16(digits: rest.dropFirst()) != nil
        else { return nil }
        // An IPv6 address without brackets would end at its first colon.
        self.init(host)
    }

    /// What a person has pasted: a host, or an address as a browser shows it,
    /// `https://kitchen.fritz.box:8000/hubpair/`.
    package init?(pasted text: String) {
        if let host = WebHost(text) {
            self = host
            return
        }
        var rest = text[...]
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        self.init(field: rest.prefix { !"/?#".contains($0) }.utf8)
    }

    /// As it stands in an address: IPv6 in brackets.
    package var description: String {
        switch self {
        case .name(let name): name
        case .address(let address): address.family == .ipv6 ? "[\(address)]" : "\(address)"
        }
    }
}
