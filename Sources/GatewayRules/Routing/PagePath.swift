/// The paths of the hub's page for browsers: the page itself, and the files that it is made of. They are
/// compared as raw bytes, like all paths of the hub; a query belongs to none of them, and is ignored.
///
/// Accepted: `/hubpair/`, `/hubpair/page/page.css`, `/hubpair/?x`. Rejected: `/hubpair`,
/// `/hubpair/index.html`, `/hubpair/page/`, `/hubpair/page/%70age.css`.
package enum PagePath: String, CaseIterable, Sendable {
    case page = "/hubpair/"
    case icon = "/hubpair/page/icon.svg"
    case style = "/hubpair/page/page.css"
    /// The style of what strangers see.
    case plainStyle = "/hubpair/page/plain.css"
    case start = "/hubpair/page/start.js"
    case script = "/hubpair/page/page.js"
    case dom = "/hubpair/page/dom.js"
    case hub = "/hubpair/page/hub.js"
    case house = "/hubpair/page/house.js"
    case kinds = "/hubpair/page/kinds.js"
    case card = "/hubpair/page/card.js"
    case home = "/hubpair/page/home.js"
    case messages = "/hubpair/page/messages.js"
    case owner = "/hubpair/page/owner.js"
    case code = "/hubpair/page/code.js"
    case edit = "/hubpair/page/edit.js"
    case hubs = "/hubpair/page/hubs.js"

    /// The allowed methods, in the order of the `Allow` header field (RFC 9110 § 10.2.1).
    package static let methods = ["GET", "HEAD"]

    /// True if it is for everybody: what strangers are shown is made of it, and it says nothing of this hub.
    package var isPublic: Bool { self == .icon || self == .plainStyle }

    /// The value of `Content-Type`.
    package var contentType: String {
        switch rawValue.suffix(4) {
        case ".css": "text/css; charset=utf-8"
        case ".svg": "image/svg+xml"
        case "air/": "text/html; charset=utf-8"
        default: "text/javascript; charset=utf-8"
        }
    }
}
