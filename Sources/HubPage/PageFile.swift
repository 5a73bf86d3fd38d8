import CPage
package import GatewayRules
import Languages

/// A file of the hub's page, as browsers get it.
package struct PageFile: Sendable {
    package let bytes: [UInt8]
    /// The same in the gzip format; nil where that saves nothing.
    package let packed: [UInt8]?
    /// A strong validator (RFC 9110 § 8.8.3): of a newer program it is another one.
    package let entityTag: String
    /// The value of `Content-Type`.
    package let contentType: String

    private init(_ path: PagePath, _ bytes: [UInt8]) {
        contentType = path.contentType
        self.bytes = bytes
        packed = GZip.bytes(of: bytes)
        entityTag = EntityTag(of: bytes).text
    }

    /// As it stands in the sources; what is joined, one behind the other.
    static func source(_ path: PagePath) -> [UInt8] {
        guard let file = embedded(path) else { return WordsScript.bytes(of: Language.all) }
        return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }

    private static func served(_ path: PagePath) -> [UInt8] {
        guard path.isText else { return source(path) }
        let bytes = ServedText.bytes(of: source(path), path)
        guard ServedText.joined.contains(path) else { return bytes }
        let text = String(decoding: bytes, as: UTF8.self)
        return Array(replaced(WordsScript.place, by: WordsScript.names(of: Language.all), in: text).utf8)
    }

    private static func replaced(_ name: String, by value: String, in text: String) -> String {
        text.split(separator: name, omittingEmptySubsequences: false).joined(separator: value)
    }

    private static let texts = Dictionary(uniqueKeysWithValues: PagePath.allCases.map { ($0, served($0)) })

    /// Of all files together: what the page names its files with, so that a browser may keep them for ever.
    package static let tag = String(
        EntityTag(of: PagePath.allCases.flatMap { texts[$0] ?? [] }).text.dropFirst().dropLast())

    /// Made when the first browser asks.
    private static let all: [PagePath: PageFile] = Dictionary(
        uniqueKeysWithValues: PagePath.allCases.map { path in
            var bytes = texts[path] ?? []
            if path.namesFiles { bytes = named(bytes) }
            return (path, PageFile(path, bytes))
        })

    /// With the paths of this version in place of those that a file names, and of all of them in place of
    /// `"/hubpair/page/*"`.
    private static func named(_ bytes: [UInt8]) -> [UInt8] {
        var text = String(decoding: bytes, as: UTF8.self)
        func replace(_ name: String, _ value: String) { text = replaced(name, by: value, in: text) }
        let quoted = PagePath.allCases.map { path in
            (name: "\"\(path.rawValue)\"", path: "\"\(path.path(tag: tag))\"")
        }
        for (name, path) in quoted { replace(name, path) }
        let kept = quoted.filter { $0.name != $0.path }.map(\.path)
        replace("\"/hubpair/page/*\"", kept.joined(separator: ","))
        return Array(text.utf8)
    }

    /// The manifest of the app, with the hub's name in it.
    package init(manifest bytes: [UInt8]) { self.init(.manifest, bytes) }

    package static func at(_ path: PagePath) -> PageFile { all[path] ?? PageFile(path, served(path)) }

    /// The file with this path; nil if the page has no such file, or had it in another version.
    package static func at(path: some StringProtocol) -> (file: PageFile, isLasting: Bool)? {
        guard let (file, tag) = PagePath.split(path.utf8), tag == nil || tag == PageFile.tag else {
            return nil
        }
        return (at(file), tag != nil)
    }

    /// What the answer says, beside the file's own type: for how long it is good, and how it is packed.
    ///
    /// A browser asks each time whether there is a newer page: pages and scripts of two versions of the hub
    /// would not understand each other. What has the version in its path is never another.
    package static func cacheControl(isLasting: Bool) -> String {
        isLasting ? "private, max-age=31536000, immutable" : "no-cache"
    }

    /// The bytes for a browser, and the fields that tell of their form.
    ///
    /// - Parameter codings: the elements of `Accept-Encoding`, in lower case.
    package func form(for codings: [some StringProtocol]) -> (bytes: [UInt8], fields: [(String, String)]) {
        let takesPacked = codings.contains { coding in
            let parts = coding.split(separator: ";").map { $0.drop { $0 == " " } }
            // "q=0" means: not this one (RFC 9110 § 12.4.2).
            let isRefused = parts.dropFirst().contains { quality in
                quality.hasPrefix("q=0") && !quality.contains { "123456789".contains($0) }
            }
            return parts.first.map { $0 == "gzip" } ?? false && !isRefused
        }
        let vary = packed == nil ? [] : [("Vary", "Accept-Encoding")]
        guard takesPacked, let packed else { return (bytes, vary) }
        return (packed, vary + [("Content-Encoding", "gzip")])
    }

    private static func embedded(_ path: PagePath) -> hubpair_page_file? {
        switch path {
        case .words: nil
        case .page: hubpair_page_index()
        case .icon: hubpair_page_icon()
        case .style: hubpair_page_style()
        case .plainStyle: hubpair_page_plain_style()
        case .start: hubpair_page_start()
        case .script: hubpair_page_page()
        case .sheet: hubpair_page_sheet()
        case .many: hubpair_page_many()
        case .scenes: hubpair_page_scenes()
        case .about: hubpair_page_about()
        case .front: hubpair_page_front()
        case .add: hubpair_page_add()
        case .history: hubpair_page_history()
        case .timers: hubpair_page_timers()
        case .camera: hubpair_page_picture()
        case .owner: hubpair_page_owner()
        case .code: hubpair_page_code()
        case .edit: hubpair_page_edit()
        case .hubs: hubpair_page_hubs()
        case .houses: hubpair_page_houses()
        case .services: hubpair_page_services()
        case .rights: hubpair_page_rights()
        case .enter: hubpair_page_enter()
        case .session: hubpair_page_session()
        case .push: hubpair_page_push()
        case .worker: hubpair_page_worker()
        case .manifest: hubpair_page_manifest()
        case .icon192: hubpair_page_icon_192()
        case .icon512: hubpair_page_icon_512()
        }
    }
}
