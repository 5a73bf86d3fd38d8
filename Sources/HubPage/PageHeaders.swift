/// The header fields of what browsers show, beside `X-Content-Type-Options: nosniff`, which every answer has.
package enum PageHeaders {
    private static let always = [
        ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private static func policy(_ more: String) -> (String, String) {
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; \(more)"
        )
    }

    /// One text alone becomes a script's address: that of the app's worker.
    private static let worker =
        "worker-src 'self'; require-trusted-types-for 'script'; trusted-types worker"

    private static let noReferrer = ("Referrer-Policy", "no-referrer")

    /// Of the page and its files. Nothing from elsewhere, nothing inline; pictures of codes are `data:`,
    /// which run nothing. A text that becomes HTML by mistake is an error in browsers that know trusted
    /// types.
    package static let page =
        always + [
            policy(
                "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "form-action 'self'; manifest-src 'self'; \(worker)"),
            // The page may need neither.
            noReferrer, ("Permissions-Policy", "geolocation=(), microphone=(), camera=()"),
        ]

    /// Of the page on a computer of its own user's, where a camera may look for a code.
    package static let local =
        page.filter { $0.0 != "Permissions-Policy" } + [
            ("Permissions-Policy", "geolocation=(), microphone=(), camera=(self)")
        ]

    /// Added to what a hub answers to such a page: whatever it is, no script of the hub's runs where this
    /// computer's own page may pair and forget. A policy more only takes away (CSP3 § 8.1).
    package static let relayed =
        [
            ("X-Frame-Options", "DENY"), policy("style-src 'self'; img-src 'self'; form-action 'self'"),
        ]

    /// Of what strangers see: the script that lets their browser in, and perhaps a camera that sees the code.
    package static let stranger =
        always + [
            policy(
                "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                    + "form-action 'none'; \(worker)"),
            noReferrer, ("Permissions-Policy", "geolocation=(), microphone=(), camera=(self)"),
        ]

    /// Of pages without a script.
    package static let plain =
        always + [noReferrer, policy("style-src 'self'; img-src 'self'; form-action 'none'")]

    /// Of pages without a script, with forms. Under `no-referrer` a form would be posted with `Origin: null`
    /// (Fetch § 3.2), which the hub refuses.
    package static let forms =
        always + [
            ("Referrer-Policy", "same-origin"),
            policy("style-src 'self'; img-src 'self'; form-action 'self'"),
        ]
}
