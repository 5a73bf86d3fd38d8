import GatewayRules
import Home
import Household
import JSON
import NIOHTTP1

/// The rooms: `GET rooms`, `PUT rooms/ID`, `DELETE rooms/ID`; and the units, which stand with them:
/// `PUT units/DEVICE/ACTIVATOR`, `DELETE units/DEVICE/ACTIVATOR`.
struct RoomResources: HubResources {
    let store: HouseholdStore<Rooms>
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rooms.words) {
            let segments = request.resource.segments
            if segments.count == 2 {
                guard request.method == "PUT" else {
                    return try await removeUnit(segments[0], segments[1], request)
                }
                return try await putUnit(segments[0], segments[1], request)
            }
            switch (request.method, segments.first) {
            case ("PUT", let id?): return try await put(id, request)
            case ("DELETE", let id?): return try await remove(id, request)
            default:
                let content = try await store.read()
                return .object([
                    "rooms": .array(content.rooms.map(\.json.tagged)),
                    "units": .array(content.units.map(\.json.tagged)),
                ])
            }
        }
    }

    private func put(_ id: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
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

    private func remove(_ id: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let precondition = request.precondition
        try await store.change { (rooms) throws(HouseholdError) in
            if let before = rooms.room(id), !precondition.holds(for: EntityTag(of: before.json)) {
                throw .changed(.room, id)
            }
            try rooms.remove(id)
        }
        return .done
    }

    private func putUnit(_ device: String, _ activator: String, _ request: ResourceRequest) async throws
        -> ResourceAnswer
    {
        let unit = try ActivatorUnit(device: device, activator: activator, body: request.body)
        let precondition = request.precondition
        let isNew = try await store.change { (rooms) throws(HouseholdError) in
            let before = rooms.unit(device, activator)
            guard precondition.holds(for: before.map { EntityTag(of: $0.json) }) else {
                throw .changed(.unit, "\(device)/\(activator)")
            }
            try rooms.put(unit)
            return before == nil
        }
        return .written(unit.json, isNew: isNew)
    }

    private func removeUnit(_ device: String, _ activator: String, _ request: ResourceRequest) async throws
        -> ResourceAnswer
    {
        let precondition = request.precondition
        try await store.change { (rooms) throws(HouseholdError) in
            if let before = rooms.unit(device, activator),
                !precondition.holds(for: EntityTag(of: before.json))
            {
                throw .changed(.unit, "\(device)/\(activator)")
            }
            try rooms.removeUnit(device, activator)
        }
        return .done
    }
}
