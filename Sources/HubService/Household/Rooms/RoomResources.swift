import GatewayRules
import Home
import Household
import JSON
import NIOHTTP1

/// The rooms: `GET rooms`, `PUT rooms/ID`, `DELETE rooms/ID`.
struct RoomResources: HubResources {
    let store: HouseholdStore<Rooms>
    let answers: HouseholdAnswers

    func answer(_ request: HubRequest) async -> HubAnswer {
        await answers.answer(request, about: Rooms.words) {
            switch (request.method, request.resource.segments.first) {
            case ("PUT", let id?): try await put(id, request.body)
            case ("DELETE", let id?): try await remove(id)
            default: .object(["rooms": .array(try await store.read().rooms.map(\.json))])
            }
        }
    }

    private func put(_ id: String, _ body: [UInt8]) async throws -> HubAnswer {
        let room = try Room(id: id, body: body)
        let isNew = try await store.change { (rooms) throws(HouseholdError) in
            let isNew = rooms.room(id) == nil
            try rooms.put(room)
            return isNew
        }
        return .json(room.json, isNew ? .created : .ok)
    }

    private func remove(_ id: String) async throws -> HubAnswer {
        try await store.change { (rooms) throws(HouseholdError) in try rooms.remove(id) }
        return .done
    }
}
