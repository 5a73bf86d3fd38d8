import GatewayRules
import HubPage
import NIOHTTP1

extension ServeReply {
    /// A file of the page, or that the browser has it already.
    ///
    /// A page of another version may still ask for its files: then it is told that they are gone, and begins
    /// anew.
    init(_ path: PagePath, to head: RequestHead) {
        let target = head.target.prefix { $0 != "?" }
        guard let (file, isLasting) = PageFile.at(path: target) else {
            self.init(RequestRefusal.notFound)
            return
        }
        let isKnown = head.fields.hasContent(file.entityTag)
        let (bytes, fields) = file.form(for: head.fields.acceptedCodings)
        self.init(
            isKnown ? .notModified : .ok, page: isKnown ? [] : bytes, type: path.contentType,
            cacheControl: PageFile.cacheControl(isLasting: isLasting),
            headers: PageHeaders.page + [("ETag", file.entityTag)] + (isKnown ? [] : fields))
    }
}
