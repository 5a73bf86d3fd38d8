import GatewayRules
import JSON
import Pairing

// PUT push/hub.
extension OwnerPaths {
    func push(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let body = try OwnerRequestBody(request.body, keys: ["on"])
        guard case .boolean(let isOn)? = body.members["on"] else {
            throw BadOwnerRequest(message: "on is true or false")
        }
        let changed = try AdministerPush(state: state).set(isOn)
        if changed {
            tell(request, "has switched messages through browsers' makers \(isOn ? "on" : "off")")
        }
        return reply(["on": .boolean(isOn), "changed": .boolean(changed)])
    }
}
