/// Keeps other sites' pages from using the hub with the certificate of a browser that it lets in: a browser
/// sends its certificate for whatever page asks it to.
///
/// A request is refused
/// - whose `Sec-Fetch-Site` (Fetch Metadata, W3C) is neither `same-origin` nor `none`,
/// - whose `Origin` (RFC 6454 § 7) is not `https://` and the request's own `Host`, byte for byte,
/// - and, if it has one of the two or another `Sec-Fetch-*`, whose `Host` is not this hub's: a page can give
///   its own name the hub's address (DNS rebinding), and is of the same origin then. This is said first, and
///   apart: most often a router has a name for the hub that the hub does not know. It also holds for a
///   stranger who asks for HTML, as old browsers do without any of these fields.
///
/// A request with none of these fields is not a browser's, and is not judged here: a program knows the hub by
/// its key. A field that stands twice is refused: two readers may take two values.
///
/// Hosts of the hub are ``HubNames``; ports do not matter here, since an `Origin` has to have that of `Host`.
/// A proxy ends TLS itself, and may show what the browser asked for in `X-Forwarded-Host`, which counts from
/// a trusted proxy only, and before `Host`.
///
/// Allowed: no such field; `Sec-Fetch-Site: same-origin` with `Host: kitchen.local:8000`; that and
/// `Origin: https://kitchen.local:8000`. Refused: `Origin: null`, `Sec-Fetch-Site: same-site`,
/// `Origin: https://evil.example` with `Host: evil.example`.
package struct CrossSiteRule: Sendable {
    package enum Verdict: Equatable, Sendable {
        case allowed
        /// A page of another site has sent it.
        case otherSite
        /// The browser knows the hub by a host that is not the hub's; nil: what it sent is no host.
        case otherHost(WebHost?)
    }

    private let isOurs: @Sendable (WebHost) -> Bool

    /// - Parameter isOurs: true for a name or an address of this hub; asked for each request of a browser.
    package init(isOurs: @escaping @Sendable (WebHost) -> Bool) { self.isOurs = isOurs }

    /// - Parameters:
    ///   - isTrustedProxy: true if the owner trusts what the client's address says of others.
    ///   - isStranger: true if the client shows no certificate, and speaks for nobody who does.
    package func verdict(
        _ fields: FieldBlock, isTrustedProxy: Bool, isStranger: Bool = false
    ) -> Verdict {
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
        guard isBrowser || !sites.isEmpty || !origins.isEmpty else {
            guard isStranger, fields.asksForHTML, let host = host(fields, isTrustedProxy) else {
                return .allowed
            }
            let name = WebHost(field: host)
            return name.map(isOurs) == true ? .allowed : .otherHost(name)
        }
        guard sites.count <= 1, origins.count <= 1, let host = host(fields, isTrustedProxy) else {
            return .otherSite
        }
        let name = WebHost(field: host)
        guard let name, isOurs(name) else { return .otherHost(name) }
        if let site = sites.first.map(fields.value),
            !site.elementsEqual("same-origin".utf8), !site.elementsEqual("none".utf8)
        {
            return .otherSite
        }
        if let origin = origins.first.map(fields.value) {
            let scheme = "https://".utf8
            guard origin.starts(with: scheme), origin.dropFirst(scheme.count).elementsEqual(host) else {
                return .otherSite
            }
        }
        return .allowed
    }

    private func host(_ fields: FieldBlock, _ isTrustedProxy: Bool) -> ArraySlice<UInt8>? {
        let isForwarded = isTrustedProxy && fields.has(.forwardedHost)
        return fields.onlyValue(isForwarded ? .forwardedHost : .host)
    }
}
