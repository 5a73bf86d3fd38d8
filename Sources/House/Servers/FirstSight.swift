import Home
import Household
import HubService
import Identity
import Pairing

/// Puts things that the house sees for the first time where their server has them: in the room of that name,
/// and with the units that they count in. From then on it is the people's, who may change all of it.
struct FirstSight: Sendable {
    let rooms: HouseholdStore<Rooms>
    let log: ServeLog

    func take(_ hints: [ThingHints]) async {
        guard !hints.isEmpty else { return }
        do {
            try await rooms.change { (rooms: inout Rooms) throws(HouseholdError) in
                FirstSight.put(hints, into: &rooms)
            }
        } catch {
            log.warning(.fault, "new appliances are in no room: \(describing(error))")
        }
    }

    /// What does not fit, a name that no room can have or more units than the house keeps, is left out.
    static func put(_ hints: [ThingHints], into rooms: inout Rooms) {
        let placed = Set(rooms.rooms.flatMap(\.devices))
        let areas = Dictionary(grouping: hints.filter { !placed.contains($0.thing) }) { $0.room ?? "" }
        for (name, hints) in areas.sorted(by: { $0.key < $1.key }) where !name.isEmpty {
            let things = hints.map(\.thing)
            let room = rooms.rooms.first { $0.name.lowercased() == name.lowercased() }
            let new = Room(
                id: room?.id ?? id(for: name, in: rooms), name: room?.name ?? name, area: room?.area,
                devices: (room?.devices ?? []) + things)
            try? rooms.put(new)
        }
        let known = Set(rooms.units.map(\.id))
        for hint in hints {
            for (activator, unit) in hint.units.sorted(by: { $0.key < $1.key })
            where !known.contains(ActivatorUnit.id(hint.thing, activator)) {
                guard let unit = try? ActivatorUnit(device: hint.thing, activator: activator, unit: unit),
                    (try? rooms.put(unit)) != nil
                else { continue }
            }
        }
    }

    /// One that no room has, made of the name's letters.
    private static func id(for name: String, in rooms: Rooms) -> String {
        let letters = name.lowercased().utf8.filter {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0)
        }
        let start = letters.isEmpty ? "room" : String(decoding: letters.prefix(40), as: UTF8.self)
        let ids = Set(rooms.rooms.map(\.id))
        var id = start
        var number = 2
        while ids.contains(id) {
            id = "\(start)-\(number)"
            number += 1
        }
        return id
    }
}
