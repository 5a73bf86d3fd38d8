import GatewayRules
import HubPage
import NIOHTTP1

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
