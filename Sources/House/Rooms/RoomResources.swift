import GatewayRules
import Home
import Household
import HubService

/// The rooms: `GET rooms`, `PUT rooms/ID`, `DELETE rooms/ID`; and what stands with them, the units:
/// `PUT units/DEVICE/ACTIVATOR`, `DELETE units/DEVICE/ACTIVATOR`, and the kinds: `PUT kinds/DEVICE`, `DELETE
/// kinds/DEVICE`.
struct RoomResources: HubResources {
    let store: HouseholdStore<Rooms>
    let rules: HouseholdStore<Rules>
    let guests: GuestRights
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rooms.words) {
            switch request.resource.pattern {
            case .room: return try await store.change(Room.self, request)
            case .unit:
                let id = request.resource.segments.joined(separator: "/")
                let before = try await store.read().record(ActivatorUnit.self, id)?.unit
                let answer = try await store.change(ActivatorUnit.self, request)
                let after = try await store.read().record(ActivatorUnit.self, id)?.unit
                try await retell(id, from: before, to: after)
                return answer
            case .kind:
                let answer = try await store.change(DeviceKind.self, request)
                await guests.filesChanged()
                return answer
            default:
                let content = try await store.read()
                return .object([
                    "rooms": content.entries(Room.self), "units": content.entries(ActivatorUnit.self),
                    "kinds": content.entries(DeviceKind.self),
                ])
            }
        }
    }

    /// Rules whose text says their line say it in the new unit.
    private func retell(_ id: String, from before: StateUnit?, to after: StateUnit?) async throws {
        guard before != after else { return }
        try await rules.change { (rules) throws(HouseholdError) in
            for rule in rules.rules where ActivatorUnit.id(rule.device, rule.activator) == id {
                if let retold = rule.retold(from: before, to: after) { try rules.put(retold) }
            }
        }
    }
}
