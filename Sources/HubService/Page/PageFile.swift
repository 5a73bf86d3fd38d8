import CPage
import Crypto
import GatewayRules
import NIOHTTP1

/// A file of the hub's page, as it is in the program.
struct PageFile: Sendable {
    let bytes: [UInt8]
    /// A strong validator (RFC 9110 § 8.8.3): of a newer program it is another one.
    let entityTag: String

    private init(_ file: hubpair_page_file) {
        bytes = Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
        let digest = SHA256.hash(data: bytes).prefix(8)
        entityTag = "\"" + digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\""
    }

    /// Made when the first browser asks.
    private static let all: [PagePath: PageFile] = Dictionary(
        uniqueKeysWithValues: PagePath.allCases.map { ($0, PageFile(embedded($0))) })

    static func at(_ path: PagePath) -> PageFile { all[path] ?? PageFile(embedded(path)) }

    private static func embedded(_ path: PagePath) -> hubpair_page_file {
        switch path {
        case .page: hubpair_page_index()
        case .icon: hubpair_page_icon()
        case .style: hubpair_page_style()
        case .plainStyle: hubpair_page_plain_style()
        case .script: hubpair_page_page()
        case .dom: hubpair_page_dom()
        case .hub: hubpair_page_hub()
        case .house: hubpair_page_house()
        case .card: hubpair_page_card()
        case .home: hubpair_page_home()
        case .messages: hubpair_page_messages()
        case .owner: hubpair_page_owner()
        case .code: hubpair_page_code()
        case .edit: hubpair_page_edit()
        }
    }
}

extension ServeReply {
    /// A file of the page, or that the browser has it already.
    ///
    /// A browser asks each time whether there is a newer one: pages and scripts of two versions of the hub
    /// would not understand each other.
    init(_ path: PagePath, to head: RequestHead) {
        let file = PageFile.at(path)
        let isKnown = head.fields.hasContent(file.entityTag)
        self.init(
            isKnown ? .notModified : .ok, page: isKnown ? [] : file.bytes, type: path.contentType,
            cacheControl: "no-cache", headers: PageHeaders.page + [("ETag", file.entityTag)])
    }
}
