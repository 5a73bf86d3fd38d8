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
    static func again(_ target: String) -> ServeReply {
        let page = plainPage(
            "One moment",
            "<meta http-equiv=\"refresh\" content=\"0; url=\(htmlText(target))\"><p>One moment …</p>")
        return ServeReply(.ok, page: page, headers: PageHeaders.plain)
    }

    /// Nil if the refusal is for a program, or not about who asks.
    init?(
        _ refusal: RequestRefusal, _ service: WebService, hub: HubDescription, port: UInt16,
        to head: RequestHead
    ) {
        guard head.fields.asksForHTML else { return nil }
        let host = head.fields.onlyValue(.host).flatMap { WebHost(field: $0) }
        let page = host.map {
            htmlText("https://\($0):\(port)\(PagePath.page.rawValue)?service=\(service.port)")
        }
        let name = htmlText(service.name.description)
        let words: String
        switch refusal {
        case .noCertificate, .wrongKey, .stranger, .notApproved:
            words = """
                <p>Only devices that the owner of the hub \
                <strong dir="auto">\(htmlText(hub.name.description))</strong> has let in come here, and this \
                browser has not shown that it is one.</p>
                \(page.map { "<p><a href=\"\($0)\">Go on by the hub’s page</a></p>" } ?? "")
                """
        case .serviceNotAllowed:
            words = """
                <p>This browser is let in at the hub, and may not use this service. The owner can change \
                that: <code>hubpair hub service</code> on the hub says who may.</p>
                """
        case .crossSite where head.method == "GET":
            words = """
                <p>A page of another site has sent this browser here. If you have followed a link that you \
                trust, go on:</p>
                <p><a href="\(htmlText(head.target))">Open it</a></p>
                """
        default: return nil
        }
        bytes = plainPage(
            service.name.description,
            """
            <main class="plain">
            <img src="\(PagePath.icon.rawValue)" alt="" width="48" height="48">
            <h1 dir="auto">\(name)</h1>
            \(words)
            </main>
            """)
    }
}
