import GatewayRules
import Pairing

/// What a browser shows that the hub does not let in: what this is, and how to get in. A few lines, without a
/// script.
struct StrangerPage {
    let bytes: [UInt8]

    /// Nil if the refusal is for a program: the request's `Accept` does not name HTML, or the refusal is not
    /// about who asks.
    init?(_ refusal: RequestRefusal, hub: HubDescription, to head: RequestHead) {
        guard let reason = StrangerPage.reason(for: refusal), head.fields.asksForHTML else { return nil }
        let name = htmlText(hub.name.description)
        bytes = plainPage(
            hub.name.description,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1 dir="auto">\(name)</h1>
            <p>This is a home hub. It guards the appliances of a house, and lets in only devices that its \
            owner has approved.</p>
            <p><strong>\(reason.text)</strong></p>
            \(reason.isStranger ? StrangerPage.waysIn : "")
            <p class="small">The hub’s fingerprint is <code>\(hub.id)</code>.</p>
            </main>
            """)
    }

    private static let waysIn = """
        <h2>How to get in</h2>
        <ul>
        <li>On a computer: install hubpair, run <code>hubpair pair</code> with a code that the owner prints, \
        and then <code>hubpair open</code>. It shows the hub’s page in this browser.</li>
        <li>On a phone, or without hubpair: ask the owner for a certificate file for this browser, which \
        <code>hubpair devices add</code> makes on the hub. Import it, and open this page again.</li>
        </ul>
        """

    private static func reason(for refusal: RequestRefusal) -> (text: String, isStranger: Bool)? {
        switch refusal {
        case .noCertificate: ("This browser has not shown a certificate.", true)
        case .wrongKey:
            ("The certificate that this browser has shown is not one of a device of this hub.", true)
        case .stranger, .notApproved(.unknown), .notApproved(.approved):
            ("The hub does not know the certificate that this browser has shown.", true)
        case .notApproved(.pending):
            ("The owner has not approved this browser yet. Load this page again when that is done.", false)
        case .notApproved(.revoked):
            (
                "The owner has taken back this browser’s access. Only a new code or certificate lets it in.",
                true
            )
        case .notApproved(.expired):
            ("The time for which this browser was let in is over. The owner can extend it.", false)
        case .notApproved(.unknownRole):
            (
                "The hub’s file gives this browser a role that does not exist. “hubpair doctor” on the "
                    + "hub says which.",
                false
            )
        case .unreadable:
            ("The hub cannot read its list of devices now. “hubpair doctor” on the hub says why.", false)
        case .crossSite:
            (
                "Another site has sent this browser here. Type the hub’s address yourself, or use a "
                    + "bookmark.",
                false
            )
        default: nil
        }
    }
}
