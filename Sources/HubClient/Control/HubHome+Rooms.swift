package import Home
import JSON

extension HubHome {
    /// The rooms that the hub keeps; none at a stock hub, or if they cannot be had.
    package func rooms() async -> [Room] {
        guard
            let body = try? await answer(to: HubRequest(method: "GET", target: "/hubpair/v1/rooms")),
            case .object(let members) = JSONValue(parsing: body), case .array(let rooms) = members["rooms"]
        else { return [] }
        return rooms.compactMap { room in
            guard let room = room.asObject, let id = room["id"]?.asString, let name = room["name"]?.asString,
                case .array(let devices) = room["devices"] ?? .array([])
            else { return nil }
            return Room(
                id: id, name: name, area: room["area"]?.asString, devices: devices.compactMap(\.asString))
        }
    }
}
