import ArgumentParser
import Home
import Household
import HubClient
import Identity

/// The rooms of one hub, and which appliances are in them.
struct HouseRooms: Sendable {
    let rooms: [Room]
    /// What the levels of some activators count.
    let units: StateUnits
    /// What some appliances were said to be.
    let kinds: ApplianceKinds
    /// Who made the rooms, by their ids.
    let authors: [String: Authors]
    private let byDevice: [String: Room]

    init(
        _ rooms: [Room] = [], _ units: StateUnits = StateUnits(), _ kinds: ApplianceKinds = ApplianceKinds(),
        _ authors: [String: Authors] = [:]
    ) {
        (self.rooms, self.units, self.kinds, self.authors) = (rooms, units, kinds, authors)
        byDevice = Dictionary(rooms.flatMap { room in room.devices.map { ($0, room) } }) { first, _ in first }
    }

    /// The room of an appliance; nil if it is in none.
    subscript(device: String) -> Room? { byDevice[device] }

    /// The one room that a text names: by its id, its name in any case, or the beginning of it.
    func room(_ text: String) throws -> Room {
        if let room = rooms.first(where: { $0.id.utf8.elementsEqual(text.utf8) }) { return room }
        let name = try rooms.isEmpty ? "" : Selection(text).offer(among: rooms.map(\.name), kind: "room")
        guard let room = rooms.first(where: { $0.name == name }) else {
            throw Failure(
                .notFound, "the hub has no rooms yet", hint: "'hubpair home room add Kitchen' makes one")
        }
        return room
    }

    /// The ids of the appliances in the room, or in all rooms of the area, that a text names.
    func devices(in text: String) throws -> Set<String> {
        do {
            return Set(try room(text).devices)
        } catch let error as SelectionError {
            let inArea = rooms.filter { $0.area?.lowercased() == text.lowercased() }
            guard case .unknown = error, !inArea.isEmpty else { throw error }
            return Set(inArea.flatMap(\.devices))
        }
    }

    /// The appliances by their rooms, areas together, each in the hub's order; those in no room come last.
    func groups(_ devices: [ControlledDevice]) -> [ApplianceGroup] {
        var areas: [String?] = []
        for room in rooms where !areas.contains(room.area) { areas.append(room.area) }
        let sorted = areas.flatMap { area in rooms.filter { $0.area == area } }
        let members = Dictionary(grouping: devices) { byDevice[$0.id]?.id }
        var groups = sorted.compactMap { room in
            members[room.id].map { ApplianceGroup(title: room.title, devices: $0) }
        }
        if let rest = members[String?.none] {
            groups.append(ApplianceGroup(title: "in no room", devices: rest))
        }
        return groups
    }
}

/// A hub's appliances, and the rooms that they are in.
struct HouseLook: Sendable {
    let house: KnownHouse
    let rooms: HouseRooms

    /// The appliances, as what they were said to be.
    var devices: [ControlledDevice] { rooms.kinds.applied(to: house.devices) }
}

/// Appliances that are listed together.
struct ApplianceGroup: Sendable {
    let title: String
    let devices: [ControlledDevice]

    /// The appliances by their types, in the order in which the types appear.
    static func byType(_ devices: [ControlledDevice]) -> [ApplianceGroup] {
        var types: [String] = []
        for device in devices where !types.contains(device.type) { types.append(device.type) }
        let members = Dictionary(grouping: devices, by: \.type)
        return types.map { ApplianceGroup(title: $0, devices: members[$0] ?? []) }
    }
}

/// By what `hubpair home` groups appliances.
enum Grouping: String, CaseIterable, ExpressibleByArgument {
    case room, type, hub
}

extension Room {
    /// `Kitchen (Ground floor)`.
    var title: String { shortened(name) + (area.map { " (\(shortened($0)))" } ?? "") }
}

extension HomeSession {
    /// The hub's rooms.
    ///
    /// - Parameter isNeeded: false if it does without them: a stock hub, an older one, or one whose file has
    ///   a fault is then taken for one without rooms.
    func rooms(isNeeded: Bool = true) async throws -> HouseRooms {
        guard isNeeded else {
            guard !hub.isUnprotected, let all = try? await ArrangeRooms(household).all()
            else { return HouseRooms() }
            return HouseRooms(all.rooms, all.units, all.kinds, all.authors)
        }
        let all = try await ArrangeRooms(household).all()
        return HouseRooms(all.rooms, all.units, all.kinds, all.authors)
    }

    /// The rooms with their units, if what was said needs them.
    func units(for setting: SaidSetting) async throws -> HouseRooms {
        switch setting {
        // A percentage is told back in the unit; and an appliance may be of a kind that is asked about first.
        case .setting, .colour: return try await rooms(isNeeded: false)
        case .amount:
            guard !hub.isUnprotected else { return HouseRooms() }
            do {
                return try await rooms()
            } catch HouseholdRefusal.older {
                return HouseRooms()
            }
        // Other errors are not passed over: without its unit, 1 °C would be all of the heating.
        }
    }
}
