/// The header fields of what browsers show.
enum PageHeaders {
    private static let always = [
        ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
        ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]

    private static func policy(_ more: String) -> (String, String) {
        (
            "Content-Security-Policy",
            "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; \(more)"
        )
    }

    private static let noReferrer = ("Referrer-Policy", "no-referrer")

    /// Of the page and its files. Nothing from elsewhere, nothing inline; pictures of codes are `data:`,
    /// which run nothing. A text that becomes HTML by mistake is an error in browsers that know trusted
    /// types.
    static let page =
        always + [
            policy(
                "script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                    + "form-action 'self'; require-trusted-types-for 'script'; trusted-types 'none'"),
            // The page may need neither.
            noReferrer, ("Permissions-Policy", "geolocation=(), microphone=(), camera=()"),
        ]

    /// Of pages without a script: what strangers see.
    static let plain = always + [noReferrer, policy("style-src 'self'; img-src 'self'; form-action 'none'")]

    /// Of pages without a script, with forms. Under `no-referrer` a form would be posted with `Origin: null`
    /// (Fetch § 3.2), which the hub refuses.
    static let forms =
        always + [
            ("Referrer-Policy", "same-origin"),
            policy("style-src 'self'; img-src 'self'; form-action 'self'"),
        ]
}
