import GatewayRules
import Home
import Household
import JSON
import NIOHTTP1

/// The rooms: `GET rooms`, `PUT rooms/ID`, `DELETE rooms/ID`; and what stands with them, the units:
/// `PUT units/DEVICE/ACTIVATOR`, `DELETE units/DEVICE/ACTIVATOR`, and the kinds: `PUT kinds/DEVICE`, `DELETE
/// kinds/DEVICE`.
struct RoomResources: HubResources {
    let store: HouseholdStore<Rooms>
    let guests: GuestRights
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: Rooms.words) {
            let segments = request.resource.segments
            if request.resource.pattern == .kind, let device = segments.first {
                let answer =
                    try await request.method == "PUT"
                    ? putKind(device, request) : removeKind(device, request)
                await guests.filesChanged()
                return answer
            }
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
                    "rooms": .array(
                        content.rooms.map {
                            $0.json.tagged.with(content.authors(of: "room \($0.id)").members)
                        }),
                    "units": .array(
                        content.units.map {
                            $0.json.tagged.with(
                                content.authors(of: "unit \($0.device)/\($0.activator)").members)
                        }),
                    "kinds": .array(
                        content.kinds.map {
                            $0.json.tagged.with(content.authors(of: "kind \($0.device)").members)
                        }),
                ])
            }
        }
    }

    private func put(_ id: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let room = try Room(id: id, body: request.body)
        return try await store.put(room.json, .room, id, request, title: room.name) {
            $0.room(id)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.put(room)
        }
    }

    private func remove(_ id: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        try await store.remove(.room, id, request) {
            $0.room(id)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.remove(id)
        }
    }

    private func putUnit(_ device: String, _ activator: String, _ request: ResourceRequest) async throws
        -> ResourceAnswer
    {
        let unit = try ActivatorUnit(device: device, activator: activator, body: request.body)
        return try await store.put(unit.json, .unit, "\(device)/\(activator)", request) {
            $0.unit(device, activator)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.put(unit)
        }
    }

    private func putKind(_ device: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        let kind = try DeviceKind(device: device, body: request.body)
        return try await store.put(kind.json, .kind, device, request) {
            $0.kind(device)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.put(kind)
        }
    }

    private func removeKind(_ device: String, _ request: ResourceRequest) async throws -> ResourceAnswer {
        try await store.remove(.kind, device, request) {
            $0.kind(device)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.removeKind(device)
        }
    }

    private func removeUnit(_ device: String, _ activator: String, _ request: ResourceRequest) async throws
        -> ResourceAnswer
    {
        try await store.remove(.unit, "\(device)/\(activator)", request) {
            $0.unit(device, activator)?.json
        } change: { (rooms) throws(HouseholdError) in
            try rooms.removeUnit(device, activator)
        }
    }
}
