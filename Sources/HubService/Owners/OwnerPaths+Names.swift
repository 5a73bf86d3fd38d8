import GatewayRules
import JSON
import Pairing

// GET names · PUT names/HOST · DELETE names/HOST.
extension OwnerPaths {
    func names(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let administer = AdministerNames(state: state)
        guard request.resource.pattern == .name else {
            return reply(["names": .array(try administer.list().map(\.json))])
        }
        _ = try OwnerRequestBody(request.body, keys: [])
        guard let host = WebHost(request.resource.segments[0]) else {
            throw BadOwnerRequest(message: "the path names no host")
        }
        if request.method == "DELETE" {
            try administer.remove(host)
            tell(request, "has taken the hub's name \(host) back")
            return reply(["changed": .boolean(true)])
        }
        let (record, changed) = try administer.add(host)
        if changed { tell(request, "has given the hub the name \(host)") }
        return reply(["name": record.json, "changed": .boolean(changed)])
    }
}
