import GatewayRules
import Home
import Household
import HubService

/// The rooms: `GET rooms`, `PUT rooms/ID`, `DELETE rooms/ID`; and what stands with them, the units:
/// `PUT units/DEVICE/ACTIVATOR`, `DELETE units/DEVICE/ACTIVATOR`, and the kinds: `PUT kinds/DEVICE`, `DELETE
/// kinds/DEVICE`.
struct RoomResources: HubResources {
    let store: HouseholdStore<Rooms>
    let guests: GuestRights
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rooms.words) {
            switch request.resource.pattern {
            case .room: return try await store.change(Room.self, request)
            case .unit: return try await store.change(ActivatorUnit.self, request)
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
}
