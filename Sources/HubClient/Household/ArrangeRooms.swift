package import Home
package import Household
import Identity
import JSON

/// The rooms of a house, as its hub keeps them for everybody.
package struct ArrangeRooms: Sendable {
    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// All rooms in the hub's order, what the levels of some activators count, what some appliances are, and
    /// who made the rooms, by their ids. A hub that is older tells of no units, kinds or people.
    package func all() async throws -> (
        rooms: [Room], units: StateUnits, kinds: ApplianceKinds, authors: [String: Authors]
    ) {
        let members = try await link.changeable("rooms", by: Room.idKey)
        let rooms = try HouseholdLink.entries("rooms", of: members, SharedRecord<Room>.init)
        let authors = Dictionary(rooms.map { ($0.id, $0.authors) }) { first, _ in first }
        return (
            rooms.map(\.room), StateUnits(ArrangeRooms.readable(members["units"])),
            ApplianceKinds(ArrangeRooms.readable(members["kinds"])), authors
        )
    }

    /// What this version can read: without its unit a level is told as a percentage, and without its kind an
    /// appliance is what its type and name tell.
    private static func readable<Record: Kept>(_ list: JSONValue?) -> [Record] {
        if case .array(let values)? = list { values.compactMap { Record(answer: $0) } } else { [] }
    }

    /// Says what an appliance does; nil takes that back.
    package func put(_ given: ApplianceKinds.Given?, device: String) async throws {
        guard let given else { return try await link.remove(DeviceKind.self, device) }
        try await put(try DeviceKind(device: device, given: given))
    }

    /// Gives an activator a unit; nil takes it away.
    package func put(_ unit: StateUnit?, device: String, activator: String) async throws {
        guard let unit else {
            return try await link.remove(ActivatorUnit.self, ActivatorUnit.id(device, activator))
        }
        try await put(try ActivatorUnit(device: device, activator: activator, unit: unit))
    }

    private func put<Record: Kept>(_ record: Record) async throws {
        try await link.put(Record.self, record.id, .object(record.values))
    }

    /// Makes a room, or changes the one with its id. Its appliances leave the rooms that they were in.
    package func put(_ room: Room) async throws { try await link.put(Room.self, room.id, room.json) }

    package func remove(_ room: Room) async throws { try await link.remove(Room.self, room.id) }

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

extension SharedRecord<Room> {
    fileprivate var room: Room {
        Room(
            id: id, name: text("name"), area: self["area"]?.asString, devices: self["devices"]?.asTexts ?? [])
    }
}
