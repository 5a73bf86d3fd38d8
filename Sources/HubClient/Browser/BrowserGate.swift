import Crypto

/// Decides which requests on this computer's own address are passed on to the hub: those of the browser that
/// was opened here, and no others.
///
/// The threats: another user of this computer, a program that tries every port, and every page of every site
/// that the browser shows. The address that the browser is given holds a token. It works once, and is
/// exchanged for a cookie that scripts cannot read and that no other site's request carries. `Host` keeps out
/// names of other sites that lead here (DNS rebinding), `Origin` and `Sec-Fetch-Site` what their pages send.
/// Cookies are not kept apart by port: a page of another port of the same address is another origin here. The
/// cookie is good in the browser that got it, as it names itself: copied into another one it is refused. That
/// stops a mistake, and not a program of the same user's, which can call itself what it likes.
///
///     address = "http://127.0.0.1:" port "/?token=" token           ; token: 32 characters of 0-9, a-f
///
/// Let in: `Host: 127.0.0.1:4321` with the cookie. Refused: `Host: evil.example:4321`, `Origin: null`,
/// `Sec-Fetch-Site: same-site`, a second request with the token, two `Host` fields.
package struct BrowserGate: Sendable {
    /// What becomes of a request.
    package enum Verdict: Equatable, Sendable {
        case pass
        /// The browser gets the cookie, and is sent to the page.
        case enter
        case refuse(status: Int, word: String, message: String)
    }

    private let hosts: [String]
    /// Digests are compared in constant time.
    private var token: SHA256.Digest?
    private let secret: SHA256.Digest
    /// What the browser that got the cookie calls itself.
    private var agents: [String] = []

    /// The value of `Set-Cookie` (RFC 6265 § 4.1): for the session, and for this port by its name.
    package let cookie: String
    private let cookieName: String

    /// - Parameters:
    ///   - port: the port that is listened on.
    ///   - token: for the address; works once.
    ///   - secret: for the cookie.
    package init(port: Int, token: String, secret: String) {
        // A forwarding of ssh may have been given the one or the other.
        hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        self.token = SHA256.hash(data: Array(token.utf8))
        self.secret = SHA256.hash(data: Array(secret.utf8))
        cookieName = "hubpair-\(port)"
        cookie = "\(cookieName)=\(secret); Path=/; HttpOnly; SameSite=Strict"
    }

    /// Judges a request by its head.
    package mutating func verdict(
        method: String, target: String, fields: [(name: String, value: String)]
    ) -> Verdict {
        func values(_ name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name }.map(\.value)
        }
        let (host, origin, site) = (values("host"), values("origin"), values("sec-fetch-site"))
        guard host.count == 1, hosts.contains(host[0]), origin.isEmpty || origin == ["http://\(host[0])"],
            site.isEmpty || site == ["same-origin"] || site == ["none"]
        else {
            return .refuse(
                status: 403, word: "cross_site", message: "another site has sent this request; it is refused")
        }
        guard values("service-worker").isEmpty else {
            return .refuse(
                status: 403, word: "service_worker",
                message: "no service worker is installed under this address: it could answer in its place")
        }
        guard target.utf8.first == UInt8(ascii: "/") else {
            return .refuse(status: 400, word: "bad_request", message: "the target does not begin with '/'")
        }
        guard ["GET", "POST", "PUT", "DELETE"].contains(method) else {
            return .refuse(
                status: 405, word: "method_not_allowed", message: "this takes GET, POST, PUT and DELETE")
        }
        if method == "GET", target.hasPrefix(BrowserGate.entrance) {
            let sent = SHA256.hash(data: Array(target.utf8.dropFirst(BrowserGate.entrance.utf8.count)))
            guard let token, token == sent else {
                return .refuse(
                    status: 403, word: "token_used",
                    message: "this address has been used, or is not right; run 'hubpair open' again")
            }
            self.token = nil
            agents = values("user-agent")
            return .enter
        }
        guard hasCookie(values("cookie")), values("user-agent") == agents else {
            return .refuse(
                status: 403, word: "no_cookie",
                message:
                    "this is for the browser that 'hubpair open' has opened; run it again for another one")
        }
        return .pass
    }

    /// The beginning of the address's target, before the token.
    package static let entrance = "/?token="

    private func hasCookie(_ fields: [String]) -> Bool {
        fields.flatMap { $0.split(separator: ";") }.contains { pair in
            let parts = pair.drop { $0 == " " }.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return parts.count == 2 && parts[0] == cookieName
                && SHA256.hash(data: Array(parts[1].utf8)) == secret
        }
    }
}
