import GatewayRules
import JSON
import Pairing

// GET services/rights · PUT services/SERVICE/devices/ID.
//
// SERVICE is its name or its port, ID a device as in devices/ID.
extension OwnerPaths {
    func services(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let manage = ManageServices(state: state, by: request.author)
        guard request.resource.pattern == .serviceDevice else {
            let devices = try AdministerDevices(state: state).list(at: clock())
            return reply(["services": .array(try manage.list().map { rights($0, of: devices) })])
        }
        let body = try OwnerRequestBody(request.body, keys: ["use"])
        guard case .boolean(let mayUse)? = body.members["use"] else {
            throw body.fault("use", "true or false")
        }
        let (name, selector) = (request.resource.segments[0], PeerSelector(request.resource.segments[1]))
        let (service, changes) = try manage.set(name, for: [selector], mayUse: mayUse)
        for (device, changed) in changes where changed {
            let title = "\"\(device.name)\" (\(device.fingerprint))"
            tell(
                request, "has \(mayUse ? "let" : "kept") \(title) \(mayUse ? "use" : "from") \(service.name)")
        }
        let devices = try AdministerDevices(state: state).list(at: clock())
        return reply([
            "service": rights(service, of: devices), "changed": .boolean(changes.contains(where: \.changed)),
        ])
    }

    /// - Parameter devices: all that the hub knows.
    private func rights(_ service: WebService, of devices: [ApprovedDevice]) -> JSONValue {
        let may = devices.filter { $0.status == .approved && service.rights.admits($0) }
        return .object([
            "name": .string(service.name.description), "port": .integer(Int64(service.port)),
            "role": .string(service.rights.role.rawValue),
            "may": .array(may.map { .string($0.fingerprint.description) }),
        ])
    }
}
