package import Home
import Household
import Identity
import JSON

/// The rooms of a house, as its hub keeps them for everybody.
package struct ArrangeRooms: Sendable {
    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// All rooms, in the hub's order.
    package func all() async throws -> [Room] {
        try await link.changeable("rooms", by: "id", ArrangeRooms.room)
    }

    /// Makes a room, or changes the one with its id. Its appliances leave the rooms that they were in.
    package func put(_ room: Room) async throws {
        _ = try await link.ask("PUT", ["rooms", room.id], body: room.json)
    }

    package func remove(_ room: Room) async throws { _ = try await link.ask("DELETE", ["rooms", room.id]) }

    private static func room(_ value: JSONValue) -> Room? {
        guard let members = value.asObject, let id = members["id"]?.asString,
            let name = members["name"]?.asString, case .array(let devices)? = members["devices"]
        else { return nil }
        return Room(
            id: id, name: name, area: members["area"]?.asString, devices: devices.compactMap(\.asString))
    }

    /// An id for a new room: its name in the characters that an id may have, so that people who read the
    /// file or a log know it again.
    package static func newID(for name: String, among rooms: [Room]) -> String {
        var id = ""
        for byte in name.lowercased().utf8 {
            let isPlain = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            if isPlain { id.unicodeScalars.append(Unicode.Scalar(byte)) } else if id.last != "-" { id += "-" }
        }
        while id.hasPrefix("-") { id.removeFirst() }
        id = String(id.prefix(48))
        while id.hasSuffix("-") { id.removeLast() }
        if id.isEmpty { id = "room" }
        let taken = Set(rooms.map(\.id))
        guard taken.contains(id) else { return id }
        var number = 2
        while taken.contains("\(id)-\(number)") { number += 1 }
        return "\(id)-\(number)"
    }
}
