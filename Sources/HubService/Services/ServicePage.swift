import GatewayRules
import HubPage
import NIOHTTP1
import Pairing

/// What a browser shows at the port of a service that does not let it in: how to get there by the hub's page,
/// where it has its key.
struct ServicePage {
    let bytes: [UInt8]

    /// The browser asks again, from this page of the same origin: so do all redirections that follow. What
    /// stands behind `#` in a link of another's is gone then.
    static func again(_ head: RequestHead) -> ServeReply {
        let t = PageWords(for: head)
        let page = plainPage(
            t("One moment …"), in: t.language,
            """
            <meta http-equiv="refresh" content="0; url=\(htmlText(head.target))">
            <p>\(t("One moment …"))</p>
            """)
        return ServeReply(.ok, page: page, headers: PageHeaders.plain)
    }

    /// Nil if the refusal is for a program, or not about who asks.
    init?(
        _ refusal: RequestRefusal, _ service: WebService, hub: HubDescription, port: UInt16,
        to head: RequestHead
    ) {
        guard head.fields.asksForHTML else { return nil }
        let t = PageWords(for: head)
        let host = head.fields.onlyValue(.host).flatMap { WebHost(field: $0) }
        let page = host.map {
            htmlText("https://\($0):\(port)\(PagePath.page.rawValue)?service=\(service.port)")
        }
        let name = htmlText(service.name.description)
        let words: String
        switch refusal {
        case .noCertificate, .wrongKey, .stranger, .notApproved:
            let hub = "<strong dir=\"auto\">\(htmlText(hub.name.description))</strong>"
            let only = t(
                "Only devices that the owner of the hub {0} has let in come here, and this browser has not "
                    + "shown that it is one.", hub)
            words =
                "<p>\(only)</p>"
                + (page.map { "<p><a href=\"\($0)\">\(t("Go on by the hub’s page"))</a></p>" } ?? "")
        case .serviceNotAllowed:
            let role = t(
                "This browser is let in at the hub, and may not use this service. The owner can change that: "
                    + "{0} on the hub says who may.", "<code>hubpair hub service</code>")
            words = "<p>\(role)</p>"
        case .crossSite where head.method == "GET":
            let site = t(
                "A page of another site has sent this browser here. If you have followed a link that you "
                    + "trust, go on:")
            words = "<p>\(site)</p><p><a href=\"\(htmlText(head.target))\">\(t("Open it"))</a></p>"
        default: return nil
        }
        bytes = plainPage(
            name, in: t.language,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1 dir="auto">\(name)</h1>
            \(words)
            </main>
            """)
    }
}
