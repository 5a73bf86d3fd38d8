package import Home
package import Household
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

    /// All rooms, what the levels of some activators count, what some appliances are, and who made the rooms,
    /// by their ids. A hub that is older tells of no units, kinds or people.
    package func allWithUnits() async throws -> (
        rooms: [Room], units: StateUnits, kinds: ApplianceKinds, authors: [String: Authors]
    ) {
        let members = try await link.changeable("rooms", by: "id")
        let rooms = try HouseholdLink.entries("rooms", of: members) { value in
            ArrangeRooms.room(value).map { ($0, Authors(value.asObject ?? [:])) }
        }
        let authors = Dictionary(rooms.map { ($0.id, $1) }) { first, _ in first }
        return (rooms.map(\.0), StateUnits(members["units"]), ApplianceKinds(members["kinds"]), authors)
    }

    /// Says what an appliance does; nil takes that back.
    package func put(_ given: ApplianceKinds.Given?, device: String) async throws {
        let path = ["kinds", device]
        guard let given else {
            _ = try await link.ask("DELETE", path)
            return
        }
        let body: [String: JSONValue] = [
            "kind": .string(given.kind.rawValue), "guests": .boolean(given.allowsGuests),
        ]
        _ = try await link.ask("PUT", path, body: .object(body))
    }

    /// Gives an activator a unit; nil takes it away.
    package func put(_ unit: StateUnit?, device: String, activator: String) async throws {
        let path = ["units", device, activator]
        guard let unit else {
            _ = try await link.ask("DELETE", path)
            return
        }
        let body: [String: JSONValue] = [
            "unit": .string(unit.symbol), "from": .number(unit.from), "to": .number(unit.to),
        ]
        _ = try await link.ask("PUT", path, body: .object(body))
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

extension ApplianceKinds {
    /// The kinds in an answer of the hub. One that this version does not know is left out: the appliance is
    /// then what its type and name tell.
    init(_ value: JSONValue?) {
        self.init()
        guard case .array(let values)? = value else { return }
        for case .object(let members) in values {
            guard let device = members["device"]?.asString,
                let kind = members["kind"]?.asString.flatMap(ApplianceKind.init(rawValue:))
            else { continue }
            self[device] = Given(kind, allowsGuests: members["guests"] == .boolean(true))
        }
    }
}

extension StateUnits {
    /// The units in an answer of the hub. One that this version cannot read is left out: its levels are
    /// then told as percentages.
    init(_ value: JSONValue?) {
        self.init()
        guard case .array(let values)? = value else { return }
        for case .object(let members) in values {
            guard let device = members["device"]?.asString, let activator = members["activator"]?.asString,
                let symbol = members["unit"]?.asString, let from = members["from"]?.asDouble,
                let to = members["to"]?.asDouble,
                let unit = try? StateUnit(symbol: symbol, from: from, to: to)
            else { continue }
            self[device, activator] = unit
        }
    }
}
