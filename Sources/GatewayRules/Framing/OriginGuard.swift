/// What the header fields of an upstream's answer may do to the origin that it shares with the hub's page.
///
/// The threat is an upstream that is hostile, or shows what others have written. To a browser, its answers
/// are of the same origin as the page with which an owner lets devices in: a script in one of them could do
/// all that the owner can. So a document of the upstream's gets an origin of its own, and nothing that it
/// sends holds for more than the one answer.
package enum OriginGuard {
    /// Written below the upstream's own fields.
    ///
    /// - `sandbox`: the document has an opaque origin, and neither scripts nor forms. It stands in a field of
    ///   its own, so that the upstream's policies hold as well (CSP3 § 8.1), and behind them: of several
    ///   `sandbox` directives HTML takes the last (§ 7.1.5), and browsers take all of them together.
    /// - `nosniff`: what is not called HTML or a script does not become one (Fetch § 3.6).
    package static let added = [
        ("Content-Security-Policy", "sandbox"), ("X-Content-Type-Options", "nosniff"),
    ]

    /// Names, in lower case, of fields that hold for the whole origin, or for more, and are never passed on:
    ///
    /// - a service worker with a larger scope;
    /// - what deletes the page's storage, or makes browsers refuse or leave this address for a year;
    /// - where the browser reports what happens on this origin, with its paths: by a POST of its own;
    /// - sessions that the browser keeps alive by posting to a path of the upstream's choice;
    /// - the one that is written anew.
    ///
    /// Passed on, since they reach no further than the sandboxed document or what programs do with them:
    /// `Location` and `Refresh` (a GET, which changes nothing; the page follows no redirection), `Link`,
    /// `Access-Control-*` (requests of other sites are refused before), `Cross-Origin-*`,
    /// `Permissions-Policy`, `WWW-Authenticate` (the hub takes no passwords), `Accept-CH`.
    package static let dropped: Set<String> = [
        "service-worker-allowed",
        "clear-site-data", "strict-transport-security", "public-key-pins", "public-key-pins-report-only",
        "expect-ct", "alt-svc",
        "report-to", "reporting-endpoints", "nel",
        "secure-session-registration", "secure-session-challenge", "sec-session-registration",
        "sec-session-challenge",
        "x-content-type-options",
    ]

    /// Those of them that reach beyond one origin, to the whole host or site, and so are not passed on from a
    /// service with an origin of its own either: `Clear-Site-Data` deletes the cookies of all ports, `NEL`
    /// and the policies of HTTPS hold for hosts, `Alt-Svc` sends browsers to another port, and sessions that
    /// a browser keeps alive may be a site's.
    package static let droppedForHost: Set<String> = dropped.subtracting([
        "service-worker-allowed", "report-to", "reporting-endpoints", "x-content-type-options",
    ])
}
