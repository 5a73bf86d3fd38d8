import GatewayRules
import HubPage
import JSON
import NIOHTTP1
import Pairing

extension ServeReply {
    /// A file of the page, or that the browser has it already.
    ///
    /// A page of another version may still ask for its files: then it is told that they are gone, and begins
    /// anew. The app is called as the hub is.
    init(_ path: PagePath, to head: RequestHead, of hub: HubDescription) {
        let target = head.target.prefix { $0 != "?" }
        guard let (kept, isLasting) = PageFile.at(path: target) else {
            self.init(RequestRefusal.notFound)
            return
        }
        var file = kept
        if path == .manifest, case .object(var members)? = JSONValue(parsing: file.bytes) {
            for name in ["name", "short_name"] { members[name] = .string(hub.name.description) }
            var bytes: [UInt8] = []
            JSONValue.object(members).write(to: &bytes)
            file = PageFile(manifest: bytes)
        }
        let isKnown = head.fields.hasContent(file.entityTag)
        let (bytes, fields) = file.form(for: head.fields.acceptedCodings)
        self.init(
            isKnown ? .notModified : .ok, page: isKnown ? [] : bytes, type: path.contentType,
            cacheControl: PageFile.cacheControl(isLasting: isLasting),
            headers: PageHeaders.page + [("ETag", file.entityTag)] + (isKnown ? [] : fields))
    }
}
