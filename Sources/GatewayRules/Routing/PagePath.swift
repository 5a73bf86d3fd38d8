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
    /// The page's texts in all languages but English.
    case words = "/hubpair/page/words.js"
    case sheet = "/hubpair/page/sheet.js"
    case many = "/hubpair/page/many.js"
    case scenes = "/hubpair/page/scenes.js"
    case about = "/hubpair/page/about.js"
    case front = "/hubpair/page/front.js"
    case add = "/hubpair/page/add.js"
    case history = "/hubpair/page/history.js"
    case timers = "/hubpair/page/timers.js"
    case camera = "/hubpair/page/picture.js"
    case owner = "/hubpair/page/owner.js"
    case code = "/hubpair/page/code.js"
    case edit = "/hubpair/page/edit.js"
    case hubs = "/hubpair/page/hubs.js"
    case houses = "/hubpair/page/houses.js"
    case services = "/hubpair/page/services.js"
    case rights = "/hubpair/page/rights.js"
    /// What lets a stranger's browser in.
    case enter = "/hubpair/page/enter.js"
    /// Of a browser that has a key of its own.
    case session = "/hubpair/page/session.js"
    /// What makes the page an app. The worker's scope is the folder that its path names.
    case push = "/hubpair/page/push.js"
    case worker = "/hubpair/worker.js"
    case manifest = "/hubpair/app.webmanifest"
    case icon192 = "/hubpair/page/icon-192.png"
    case icon512 = "/hubpair/page/icon-512.png"

    private static let folder = "/hubpair/page/"
    private static let tagLength = 16

    /// The file that a path names, and the version that it must be of.
    /// `/hubpair/page/0123456789abcdef/page.js` is the file of that version alone, and may be kept for ever.
    package static func split(_ path: some Sequence<UInt8>) -> (file: PagePath, tag: String?)? {
        let bytes = Array(path)
        if let file = allCases.first(where: { bytes.elementsEqual($0.rawValue.utf8) }) { return (file, nil) }
        guard bytes.starts(with: folder.utf8) else { return nil }
        let rest = bytes.dropFirst(folder.utf8.count)
        let (tag, name) = (rest.prefix(tagLength), rest.dropFirst(tagLength))
        let areDigits = tag.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard tag.count == tagLength, areDigits, name.first == UInt8(ascii: "/") else { return nil }
        let whole = Array(folder.utf8) + name.dropFirst()
        return allCases.first { $0 != .page && whole.elementsEqual($0.rawValue.utf8) }
            .map { ($0, String(decoding: tag, as: UTF8.self)) }
    }

    /// Where the file of a version lies. The worker's path stays, since by it a browser knows what it
    /// replaces, and the manifest's, since the hub's name in it may change.
    package func path(tag: String) -> String {
        rawValue.hasPrefix(PagePath.folder)
            ? PagePath.folder + tag + "/" + rawValue.dropFirst(PagePath.folder.utf8.count) : rawValue
    }

    /// The allowed methods, in the order of the `Allow` header field (RFC 9110 § 10.2.1).
    package static let methods = ["GET", "HEAD"]

    /// True if it is for everybody: what strangers are shown is made of it, and it says nothing of this hub.
    package var isPublic: Bool {
        switch self {
        case .icon, .icon192, .icon512, .plainStyle, .enter, .words, .worker: true
        default: false
        }
    }

    /// True for a file that names others by their paths: these become those of its version.
    package var namesFiles: Bool { self == .page || self == .worker || self == .manifest }

    package var isText: Bool { contentType != PagePath.picture }

    private static let picture = "image/png"

    /// The value of `Content-Type`.
    package var contentType: String {
        switch rawValue.suffix(4) {
        case ".css": "text/css; charset=utf-8"
        case ".svg": "image/svg+xml"
        case ".png": PagePath.picture
        case "fest": "application/manifest+json"
        case "air/": "text/html; charset=utf-8"
        default: "text/javascript; charset=utf-8"
        }
    }
}
