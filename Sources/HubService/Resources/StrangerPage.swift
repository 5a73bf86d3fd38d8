import GatewayRules
import Pairing

/// What a browser shows that the hub does not let in: what this is, and the script that lets it in.
struct StrangerPage {
    let bytes: [UInt8]
    /// True if it has the script that lets a browser in. With a certificate that is another device's, a key
    /// of the browser's own does not count.
    let mayEnter: Bool

    /// Nil if the refusal is for a program: the request's `Accept` does not name HTML, or the refusal is not
    /// about who asks.
    init?(_ refusal: RequestRefusal, hub: HubDescription, to head: RequestHead) {
        guard head.fields.asksForHTML else { return nil }
        if case .otherHost(let host) = refusal {
            bytes = StrangerPage.otherHost(host)
            mayEnter = false
            return
        }
        guard let reason = StrangerPage.reason(for: refusal) else { return nil }
        switch refusal {
        case .noCertificate, .wrongKey: mayEnter = true
        default: mayEnter = false
        }
        let name = htmlText(hub.name.description)
        bytes = plainPage(
            hub.name.description,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1 dir="auto">\(name)</h1>
            <p>This is a home hub. It guards the appliances of a house, and lets in only devices that its \
            owner has approved.</p>
            <div id="way"><p><strong>\(reason.text)</strong></p></div>
            \(reason.isStranger ? StrangerPage.waysIn : "")
            <p class="small">The hub’s fingerprint is <code>\(hub.id)</code>.</p>
            </main>
            \(mayEnter ? StrangerPage.script : "")
            """)
    }

    /// It says nothing of this hub: a page of another site that has given its own name the hub's address
    /// could read it.
    private static func otherHost(_ host: WebHost?) -> [UInt8] {
        let name = host.map { "the name <code>\(htmlText($0.description))</code>" } ?? "this name"
        let command = host.map { "<pre><code>hubpair hub names add \(htmlText($0.description))</code></pre>" }
        return plainPage(
            "A name that the hub does not know",
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1>A name that the hub does not know</h1>
            <p>There is a home hub at this address, and it does not know \(name) as its own. It answers \
            only by names that it knows, so that no page of another site can pass for it.</p>
            <h2>If it is a name of your hub</h2>
            <p>Add it once, on the hub; it counts at once. Then load this page again.</p>
            \(command ?? "")
            <p class="small">Or use a name that the hub knows: <code>hubpair hub names</code> on the hub \
            lists them.</p>
            </main>
            """)
    }

    private static let script = "<script type=\"module\" src=\"\(PagePath.enter.rawValue)\"></script>"

    private static let waysIn = """
        <noscript>
        <p>A code lets in a browser that runs JavaScript.</p>
        </noscript>
        <details>
        <summary>How to get in another way</summary>
        <ul>
        <li>Does the browser warn of this page? <a href="\(TrustPath.page.rawValue)">How it learns to know \
        the hub.</a></li>
        <li>On a computer: install hubpair, run <code>hubpair pair</code> with a code that the owner prints, \
        and then <code>hubpair open</code>. It shows the hub’s page in this browser.</li>
        <li>A browser that takes certificates: ask the owner for a file for it, which \
        <code>hubpair devices add</code> makes on the hub. Import it, and open this page again.</li>
        </ul>
        </details>
        """

    private static func reason(for refusal: RequestRefusal) -> (text: String, isStranger: Bool)? {
        switch refusal {
        case .noCertificate: ("This browser is not let in yet.", true)
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
