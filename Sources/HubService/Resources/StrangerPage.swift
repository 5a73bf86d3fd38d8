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
        let t = PageWords(for: head)
        if case .otherHost(let host) = refusal {
            bytes = StrangerPage.otherHost(host, t)
            mayEnter = false
            return
        }
        guard let reason = StrangerPage.reason(for: refusal, t) else { return nil }
        switch refusal {
        case .noCertificate, .wrongKey: mayEnter = true
        default: mayEnter = false
        }
        let name = htmlText(hub.name.description)
        let what = t(
            "This is a home hub. It guards the appliances of a house, and lets in only devices that its "
                + "owner has approved.")
        bytes = plainPage(
            name, in: t.language,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1 dir="auto">\(name)</h1>
            <p>\(what)</p>
            <div id="way"><p><strong>\(reason.text)</strong></p></div>
            \(reason.isStranger ? StrangerPage.waysIn(t) : "")
            <p class="small">\(t("The hub’s fingerprint is {0}.", "<code>\(hub.id)</code>"))</p>
            </main>
            \(mayEnter ? StrangerPage.script : "")
            """)
    }

    /// It says nothing of this hub: a page of another site that has given its own name the hub's address
    /// could read it.
    private static func otherHost(_ host: WebHost?, _ t: PageWords) -> [UInt8] {
        let name =
            host.map { t("the name {0}", "<code>\(htmlText($0.description))</code>") } ?? t("this name")
        let command = host.map { "<pre><code>hubpair hub names add \(htmlText($0.description))</code></pre>" }
        let title = t("A name that the hub does not know")
        let what = t(
            "There is a home hub at this address, and it does not know {0} as its own. It answers only by "
                + "names that it knows, so that no page of another site can pass for it.", name)
        let other = t(
            "Or use a name that the hub knows: {0} on the hub lists them.", "<code>hubpair hub names</code>")
        return plainPage(
            title, in: t.language,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1>\(title)</h1>
            <p>\(what)</p>
            <h2>\(t("If it is a name of your hub"))</h2>
            <p>\(t("Add it once, on the hub; it counts at once. Then load this page again."))</p>
            \(command ?? "")
            <p class="small">\(other)</p>
            </main>
            """)
    }

    private static let script = "<script type=\"module\" src=\"\(PagePath.enter.rawValue)\"></script>"

    private static func waysIn(_ t: PageWords) -> String {
        let trust = "<a href=\"\(TrustPath.page.rawValue)\">\(t("How it learns to know the hub."))</a>"
        let computer = t(
            "On a computer: install hubpair, run {0} with a code that the owner prints, and then {1}. It "
                + "shows the hub’s page in this browser.", "<code>hubpair pair</code>",
            "<code>hubpair open</code>")
        let file = t(
            "A browser that takes certificates: ask the owner for a file for it, which {0} makes on the hub. "
                + "Import it, and open this page again.", "<code>hubpair devices add</code>")
        return """
            <noscript>
            <p>\(t("A code lets in a browser that runs JavaScript."))</p>
            </noscript>
            <details>
            <summary>\(t("How to get in another way"))</summary>
            <ul>
            <li>\(t("Does the browser warn of this page?")) \(trust)</li>
            <li>\(computer)</li>
            <li>\(file)</li>
            </ul>
            </details>
            """
    }

    private static func reason(
        for refusal: RequestRefusal, _ t: PageWords
    ) -> (text: String, isStranger: Bool)? {
        switch refusal {
        case .noCertificate: (t("This browser is not let in yet."), true)
        case .wrongKey:
            (t("The certificate that this browser has shown is not one of a device of this hub."), true)
        case .stranger, .notApproved(.unknown), .notApproved(.approved):
            (t("The hub does not know the certificate that this browser has shown."), true)
        case .notApproved(.pending):
            (t("The owner has not approved this browser yet. Load this page again when that is done."), false)
        case .notApproved(.revoked):
            (
                t(
                    "The owner has taken back this browser’s access. Only a new code or certificate lets "
                        + "it in."), true
            )
        case .notApproved(.expired):
            (t("The time for which this browser was let in is over. The owner can extend it."), false)
        case .notApproved(.unknownRole):
            (
                t(
                    "The hub’s file gives this browser a role that does not exist. “hubpair doctor” on the "
                        + "hub says which."),
                false
            )
        case .unreadable:
            (t("The hub cannot read its list of devices now. “hubpair doctor” on the hub says why."), false)
        case .crossSite:
            (
                t(
                    "Another site has sent this browser here. Type the hub’s address yourself, or use a "
                        + "bookmark."),
                false
            )
        default: nil
        }
    }
}
