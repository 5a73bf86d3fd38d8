import CPage
package import GatewayRules

/// A file of the hub's page, as browsers get it.
package struct PageFile: Sendable {
    package let bytes: [UInt8]
    /// A strong validator (RFC 9110 § 8.8.3): of a newer program it is another one.
    package let entityTag: String
    /// The value of `Content-Type`.
    package let contentType: String

    private init(_ path: PagePath) {
        let file = PageFile.embedded(path)
        contentType = path.contentType
        bytes = ServedText.bytes(
            of: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)),
            isScript: path.rawValue.hasSuffix(".js"))
        entityTag = EntityTag(of: bytes).text
    }

    /// Made when the first browser asks.
    private static let all: [PagePath: PageFile] = Dictionary(
        uniqueKeysWithValues: PagePath.allCases.map { ($0, PageFile($0)) })

    package static func at(_ path: PagePath) -> PageFile { all[path] ?? PageFile(path) }

    /// The file with this path; nil if the page has no such file.
    package init?(path: String) {
        guard let path = PagePath(rawValue: path) else { return nil }
        self = PageFile.at(path)
    }

    private static func embedded(_ path: PagePath) -> hubpair_page_file {
        switch path {
        case .page: hubpair_page_index()
        case .icon: hubpair_page_icon()
        case .style: hubpair_page_style()
        case .plainStyle: hubpair_page_plain_style()
        case .start: hubpair_page_start()
        case .script: hubpair_page_page()
        case .dom: hubpair_page_dom()
        case .hub: hubpair_page_hub()
        case .house: hubpair_page_house()
        case .kinds: hubpair_page_kinds()
        case .card: hubpair_page_card()
        case .home: hubpair_page_home()
        case .messages: hubpair_page_messages()
        case .owner: hubpair_page_owner()
        case .code: hubpair_page_code()
        case .edit: hubpair_page_edit()
        case .hubs: hubpair_page_hubs()
        }
    }
}
