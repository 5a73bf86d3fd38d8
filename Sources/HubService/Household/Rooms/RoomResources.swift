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
            case ("PUT", let id?): try await put(id, request)
            case ("DELETE", let id?): try await remove(id, request)
            default: .object(["rooms": .array(try await store.read().rooms.map(\.json.tagged))])
            }
        }
    }

    private func put(_ id: String, _ request: HubRequest) async throws -> HubAnswer {
        let room = try Room(id: id, body: request.body)
        let precondition = request.precondition
        let isNew = try await store.change { (rooms) throws(HouseholdError) in
            let before = rooms.room(id)
            try rooms.put(room)
            guard precondition.holds(for: before.map { EntityTag(of: $0.json) }) else {
                throw .changed(.room, id)
            }
            return before == nil
        }
        return .written(room.json, isNew: isNew)
    }

    private func remove(_ id: String, _ request: HubRequest) async throws -> HubAnswer {
        let precondition = request.precondition
        try await store.change { (rooms) throws(HouseholdError) in
            if let before = rooms.room(id), !precondition.holds(for: EntityTag(of: before.json)) {
                throw .changed(.room, id)
            }
            try rooms.remove(id)
        }
        return .done
    }
}
