package import Addresses
import Identity

/// Keeps other sites' pages from using the hub with the certificate of a browser that it lets in: a browser
/// sends its certificate for whatever page asks it to.
///
/// A request is refused
/// - whose `Sec-Fetch-Site` (Fetch Metadata, W3C) is neither `same-origin` nor `none`,
/// - whose `Origin` (RFC 6454 § 7) is not `https://` and the request's own `Host`, byte for byte,
/// - and, if it has one of the two or another `Sec-Fetch-*`, whose `Host` is not this hub's: a page can give
///   its own name the hub's address (DNS rebinding), and is of the same origin then.
///
/// A request with none of these fields is not a browser's, and is not judged here. A field that stands twice
/// is refused: two readers may take two values.
///
///     host = name [ "." ] / IPv4 / "[" IPv6 "]"         ; of Host, without its port
///
/// Hosts of the hub are its names, `localhost`, and its addresses, loopback included; ports do not matter
/// here, since an `Origin` has to have that of `Host`. A proxy ends TLS itself, and may show what the browser
/// asked for in `X-Forwarded-Host`, which counts from a trusted proxy only, and before `Host`.
///
/// Allowed: no such field; `Sec-Fetch-Site: same-origin` with `Host: kitchen.local:8000`; that and
/// `Origin: https://kitchen.local:8000`. Refused: `Origin: null`, `Sec-Fetch-Site: same-site`,
/// `Origin: https://evil.example` with `Host: evil.example`.
package struct CrossSiteRule: Sendable {
    private let names: Set<String>
    private let addresses: [NetworkAddress]
    private let isOwn: @Sendable (NetworkAddress) -> Bool

    /// - Parameters:
    ///   - hosts: the hub's names and addresses beside `localhost` and those of the machine, without ports.
    ///   - isOwn: true for an address of this machine; asked for each request of a browser that names one.
    package init(hosts: [String], isOwn: @escaping @Sendable (NetworkAddress) -> Bool) {
        addresses = hosts.compactMap { NetworkAddress($0) }
        names = Set(hosts.map { $0.lowercased() } + ["localhost"])
        self.isOwn = isOwn
    }

    /// - Parameter isTrustedProxy: true if the owner trusts what the client's address says of others.
    package func allows(_ fields: FieldBlock, isTrustedProxy: Bool) -> Bool {
        var sites: [FieldBlock.Field] = []
        var origins: [FieldBlock.Field] = []
        var isBrowser = false
        for field in fields.fields {
            switch field.role {
            case .fetchSite: sites.append(field)
            case .origin: origins.append(field)
            case .fetchOther: isBrowser = true
            default: break
            }
        }
        guard isBrowser || !sites.isEmpty || !origins.isEmpty else { return true }
        guard sites.count <= 1, origins.count <= 1, let host = host(fields, isTrustedProxy) else {
            return false
        }
        if let site = sites.first.map(fields.value),
            !site.elementsEqual("same-origin".utf8), !site.elementsEqual("none".utf8)
        {
            return false
        }
        if let origin = origins.first.map(fields.value) {
            let scheme = "https://".utf8
            guard origin.starts(with: scheme), origin.dropFirst(scheme.count).elementsEqual(host) else {
                return false
            }
        }
        return isOurs(host)
    }

    private func host(_ fields: FieldBlock, _ isTrustedProxy: Bool) -> ArraySlice<UInt8>? {
        let isForwarded = isTrustedProxy && fields.has(.forwardedHost)
        return fields.onlyValue(isForwarded ? .forwardedHost : .host)
    }

    /// True if the value of a `Host` field names this hub.
    private func isOurs(_ value: ArraySlice<UInt8>) -> Bool {
        guard let text = String(validating: value, as: UTF8.self)?.lowercased() else { return false }
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]"), CrossSiteRule.isPort(text[end...].dropFirst()),
                let address = NetworkAddress(String(text[..<end].dropFirst())), address.family == .ipv6
            else { return false }
            return isOurs(address)
        }
        let name = text.prefix { $0 != ":" }
        guard CrossSiteRule.isPort(text[name.endIndex...]) else { return false }
        if let address = NetworkAddress(String(name)) { return isOurs(address) }
        return names.contains(String(name.hasSuffix(".") ? name.dropLast() : name))
    }

    private func isOurs(_ address: NetworkAddress) -> Bool {
        address.isLoopback || addresses.contains { $0.bytes == address.bytes } || isOwn(address)
    }

    private static func isPort(_ text: some StringProtocol) -> Bool {
        text.isEmpty || text.utf8.first == UInt8(ascii: ":") && UInt16(digits: text.dropFirst()) != nil
    }
}
