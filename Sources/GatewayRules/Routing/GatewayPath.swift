import Identity
package import Pairing

/// What a request's target refers to. Targets are compared as raw bytes before `?`, and forwarded unchanged.
///
/// All paths under `/hubpair` belong to the hub, and nothing that any server might read as one of them is
/// forwarded: the server behind the gateway must never answer in the hub's name. So a target is interpreted
/// in all the ways that servers use (percent-decoding once or repeatedly, doubled slashes, dot segments,
/// backslashes, path parameters, either case), and withheld if any of them leads to `/hubpair…`.
///
/// Own: `/hubpair/v1/hub`, `/hubpair/v1/hub?x=1`, `/hubpair/`. Withheld: `/hubpair`, `/hubpairing`,
/// `//hubpair`, `/%68ubpair`, `/x/..%2fHUBPAIR`. Forwarded: `/devices/`, `/x/hubpair`.
package enum GatewayPath: Equatable, Sendable {
    /// One of the hub's own endpoints.
    case own(PairEndpoint)
    /// A file of the hub's page.
    case page(PagePath)
    /// What a browser needs to trust the hub.
    case trust(TrustPath)
    /// One of the hub's own resources.
    case resource(HubResource)
    /// Under `/hubpair` but neither of them, or another spelling of such a path.
    case withheld
    /// A path of the upstream.
    case upstream

    /// Interprets a target, which must begin with `/`.
    ///
    /// - Parameter method: the request's; it decides between two resources of one path.
    package init(target: some StringProtocol, method: String = "GET") {
        let bytes = target.utf8
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        // Fast path: a path of these bytes alone can be read in only one way.
        let isPlain = path.allSatisfy {
            switch $0 {
            case 0x61...0x7A, 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "/"): true
            default: false
            }
        }
        if path.starts(with: "/hubpair".utf8) {
            let endpoint = PairEndpoint.allCases.first { path.elementsEqual($0.rawValue.utf8) }
            let file = PagePath.split(path)?.file
            let trust = TrustPath.allCases.first { path.elementsEqual($0.rawValue.utf8) }
            self =
                endpoint.map(GatewayPath.own) ?? file.map(GatewayPath.page) ?? trust.map(GatewayPath.trust)
                ?? HubResource(target: target, method: method).map(GatewayPath.resource) ?? .withheld
        } else if isPlain, !path.starts(with: "//".utf8) {
            self = .upstream
        } else {
            self = GatewayPath.leadsToHubpair(Array(path)) ? .withheld : .upstream
        }
    }

    private static func leadsToHubpair(_ path: [UInt8]) -> Bool {
        var path = path
        // Each iteration decodes one level. A path that still changes after this many is withheld.
        for _ in 0..<8 {
            if namesHubpair(path) { return true }
            let decoded = PercentCoding.decoded(path[...])
            guard decoded != path else { return false }
            path = decoded
        }
        return true
    }

    /// True if the path's first segment is `hubpair…`, as it stands or at any point while dot segments are
    /// removed (RFC 3986 § 5.2.4).
    private static func namesHubpair(_ path: [UInt8]) -> Bool {
        var depth = 0
        for segment in path.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
            // Remove path parameters (RFC 3986 § 3.3), what a server in C cuts off at a NUL, and leading
            // white space that a server may trim.
            let name = segment.prefix { $0 != UInt8(ascii: ";") && $0 != 0 }.drop { $0 <= 0x20 }
            if name.isEmpty || name.elementsEqual(".".utf8) { continue }
            if name.elementsEqual("..".utf8) {
                depth = max(0, depth - 1)
                continue
            }
            if depth == 0, name.count >= 7, zip(name, "hubpair".utf8).allSatisfy({ $0 | 0x20 == $1 }) {
                return true
            }
            depth += 1
        }
        return false
    }
}
