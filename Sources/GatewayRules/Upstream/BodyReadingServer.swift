import Identity

/// Servers that read a request's body completely or close the connection, whatever the program behind them
/// does; known by `Server` (RFC 9110 § 10.2.4).
///
/// Any other server may answer without having read the body, and then takes the body for the next request on
/// the connection: one that this gateway has not checked, with a role of the client's own choice. Whether it
/// does is a matter of what is asked, so no answer shows that it does not. And no content is safe: servers
/// part a line at bytes of their own choice, and HTTP::Daemon ignores what follows `HTTP/1.1` on a line, so
/// that a body needs no line end. So after a body, a server that is not named here gets no other request.
///
///     server = name "/" version [ SP comments ] / "Caddy"        ; the only field of that name
///
/// A version counts, since older ones failed in just this: nginx with some `error_page` (CVE-2019-20372),
/// Apache after errors (CVE-2022-22720). Servers that cannot be known: those that send no `Server`, such as
/// Go's net/http, for which the owner can speak (`reads-bodies`), and Werkzeug, in which some versions and
/// settings keep connections and leave bodies unread. A stock Hestia server stands on Werkzeug, so that it is
/// not one of these although the hub recognizes it: up to Werkzeug 2.0 it speaks HTTP/1.0 and closes after
/// each answer, 2.1.0 and 2.1.1 keep the connection and leave the body in it (pallets/werkzeug#2397), and
/// from 2.1.2 on it says `Connection: close`. With none of them would it gain anything.
///
/// Known: `nginx/1.22.1`, `Apache/2.4.62 (Debian)`, `Caddy`. Not known: `nginx`, `nginx/1.14.2`,
/// `nginx-like/2.0`, two fields.
package enum BodyReadingServer {
    /// Names, and the first version of each.
    private static let first: [String: [Int]] = [
        "nginx": [1, 17, 7], "openresty": [1, 17, 8], "Apache": [2, 4, 53], "lighttpd": [1, 4], "Caddy": [],
    ]

    /// True if the fields of an answer name one of these servers.
    package static func isNamed(in fields: FieldBlock) -> Bool {
        guard let value = fields.onlyValue(.server) else { return false }
        let product = String(decoding: value.prefix { $0 != 0x20 }, as: UTF8.self)
        let parts = product.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = first[String(parts[0])] else { return false }
        let version = parts.dropFirst().flatMap { $0.split(separator: ".") }.map { Int(digits: $0) ?? 0 }
        return !version.lexicographicallyPrecedes(first)
    }
}
