import GatewayRules
import JSON
package import Pairing

// GET devices · PUT devices/ID · POST devices/ID/approve, /refuse, /revoke.
//
// ID is the device's fingerprint, or its name, as the command line takes them: see PeerSelector.
extension OwnerPaths {
    func devices(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let now = clock()
        let administer = AdministerDevices(state: state)
        let all = try administer.list(at: now)
        let records = DeviceRecord.all(all, seen: try administer.lastSeen(), at: now)
        return reply(
            [
                "devices": .array(records.map(\.json)),
                "self": .string(request.device.fingerprint.description),
            ], at: now)
    }

    func decide(_ request: ResourceRequest) throws -> ResourceAnswer {
        _ = try QueryItems(request.resource.query, names: [])
        let now = clock()
        let administer = AdministerDevices(state: state, by: request.author)
        let device = PeerSelector(request.resource.segments[0])
        let result: (device: ApprovedDevice, changed: Bool)
        var left: [String: JSONValue] = [:]
        switch request.resource.pattern {
        case .deviceApproval:
            let body = try OwnerRequestBody(request.body, keys: ["role", "for", "until"])
            guard let end = ApprovalEnd(members: body.members) else {
                throw BadOwnerRequest(
                    message:
                        "'for' is a number of seconds, 'until' a time like 2026-11-30T18:00:00Z or null; "
                        + "one of them, or none")
            }
            result = try administer.approve(device, end: end, role: body.role(), now: now)
        case .deviceRefusal:
            _ = try OwnerRequestBody(request.body, keys: [])
            result = try administer.refuse(device, now: now)
        case .deviceRevocation:
            let body = try OwnerRequestBody(request.body, keys: ["take_away"])
            let takesAway = try body.flag("take_away")
            result = try administer.revoke(device, now: now)
            left = try whatIsLeft(by: result.device, takesAway, request, at: now)
        default:
            let body = try OwnerRequestBody(request.body, keys: ["name", "role"])
            let name = try body.value("name", "a name") { try PeerName($0) }
            let role = try body.role()
            guard name != nil || role != nil else {
                throw BadOwnerRequest(message: "the body says neither 'name' nor 'role'")
            }
            result = try administer.change(device, name: name, role: role, now: now)
        }
        if result.changed {
            let device = result.device
            tell(
                request,
                "has changed the device \"\(device.name)\" (\(device.fingerprint)): "
                    + "\(device.status.rawValue), \(device.role ?? Role.member.rawValue)")
        }
        // What else there is says whether its name looks like another's.
        let seen = try administer.lastSeen()[result.device.fingerprint]
        let others = DeviceLikeness(try administer.list(at: now)).resembled(by: result.device)
        let record = DeviceRecord(result.device, resembling: others, seen: seen, at: now)
        var members = left
        (members["device"], members["changed"]) = (record.json, .boolean(result.changed))
        if result.device.pin == request.device.pin, result.device.status == .revoked {
            members["message"] = .string(
                "this device has revoked itself, and is let in no more; "
                    + "the command line on the hub, or another owner, can let it in again with a new code")
        }
        return reply(members, at: now)
    }

    /// `left` and `taken`. The device is out, whatever else fails: without `left` it is not known.
    private func whatIsLeft(
        by device: ApprovedDevice, _ takesAway: Bool, _ request: ResourceRequest, at now: Moment
    ) throws -> [String: JSONValue] {
        let behind = LeftBehind(of: device.fingerprint, state: state)
        guard takesAway else {
            let left = try? behind.things(at: now)
            return left.map { ["left": .array($0.map(\.json)), "taken": .array([])] } ?? [:]
        }
        let taken = try behind.takeAway(by: request.author, at: now)
        if !taken.isEmpty { tell(request, "has taken away what \"\(device.name)\" left: \(taken.count)") }
        return ["left": .array([]), "taken": .array(taken.map(\.json))]
    }
}

extension DeviceRecord {
    /// The records of all devices, in their order.
    ///
    /// - Parameter seen: when they were last let in; nil where nobody knows, as in a backup.
    package static func all(
        _ devices: [ApprovedDevice], seen: LastSeen? = nil, at now: Moment
    ) -> [DeviceRecord] {
        let likeness = DeviceLikeness(devices)
        return devices.map {
            DeviceRecord($0, resembling: likeness.resembled(by: $0), seen: seen?[$0.fingerprint], at: now)
        }
    }
}
