package import Home
import Identity
import JSON
package import Pairing

/// The hub's file `rooms`: which appliances are in which room, what the levels of some count, and what some
/// do.
///
///     [keyfile]
///     format=1
///
///     [room kitchen]
///     name=Kitchen
///     area=Ground floor
///     devices=["6b4d5c","6b4d5d"]
///
///     [unit 6b4d5c/6b4d5e]
///     symbol=°C
///     from=5
///     to=30
///
///     [kind 6b4d5c]
///     kind=gate
///     guests=true
///
/// The room's id, 1 to 64 unreserved characters of RFC 3986 § 2.3, but neither `.` nor `..`, which clients
/// take out of a path. `name` and `area` are a `PeerName(known:)`; `area` may be missing. `devices` is a JSON
/// array of the appliances' ids, each of 1 to 256 bytes, and may be missing. No two rooms have the same name,
/// whatever its case, and no appliance is in two.
///
/// `made` and `changed` may be in every group: an ``AuthorMark``.
///
/// A unit is a ``StateUnit`` of the activator whose id stands behind the appliance's; both are ids as of a
/// room. A kind is an ``ApplianceKind`` of an appliance; `guests` is `true` or `false`, and may be missing.
///
/// Accepted: the above. Rejected: no `name`, `[room küche]`, `devices=6b4d5c`, a second room `KITCHEN`, an
/// appliance that stands twice, `[unit 6b4d5c]`, `to=5`, `kind=portal`, another kind of group, `format=2`.
package struct Rooms: HouseholdFile, Equatable {
    package static let fileName = "rooms"
    package static let words = "the rooms"
    private static let kind = "room"
    /// A house has fewer. More would let a member fill the hub's memory and disk.
    package static let maximumCount = 1000
    /// The most appliances in a room, for the same reason.
    package static let maximumDeviceCount = 1000

    /// The rooms in the file's order.
    package private(set) var rooms: [Room] = []
    /// The units in the file's order.
    package private(set) var units: [ActivatorUnit] = []
    /// The kinds in the file's order.
    package private(set) var kinds: [DeviceKind] = []
    package var file: KeyFile

    package init() { file = .empty(comment: "The rooms of this house; 'hubpair home room' changes them.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        var names: Set<String> = []
        var seen: Set<String> = []
        let unitGroups = file.groupNames.filter { $0.hasPrefix(ActivatorUnit.groupStart) }
        units = try ActivatorUnit.all(unitGroups, in: file)
        let kindGroups = file.groupNames.filter { $0.hasPrefix(DeviceKind.groupStart) }
        kinds = try DeviceKind.all(kindGroups, in: file)
        for id in try file.identifiers(of: Rooms.kind, besides: Set(unitGroups + kindGroups)) {
            let group = "\(Rooms.kind) \(id)"
            guard HouseholdNames.isPathID(id) else { throw .unknownGroup(group) }
            let name = try file.name("name", in: group)
            guard rooms.count < Rooms.maximumCount else {
                throw .invalidValue("more than \(Rooms.maximumCount) rooms", key: "name", group: group)
            }
            guard names.insert(HouseholdNames.folded(name)).inserted else {
                throw .invalidValue("another room has this name", key: "name", group: group)
            }
            let hasArea = file.value("area", in: group) != nil
            let area = hasArea ? try file.name("area", in: group).description : nil
            let devices = try Rooms.devices(file.value("devices", in: group), group: group)
            for device in devices where !seen.insert(device).inserted {
                throw .invalidValue("\(quoted(device)) stands twice", key: "devices", group: group)
            }
            rooms.append(Room(id: id, name: name.description, area: area, devices: devices))
        }
        try checkAuthors()
    }

    private static func devices(_ text: String?, group: String) throws(KeyFileError) -> [String] {
        guard let text else { return [] }
        guard let devices = try? JSONReader.read([String].self, from: Array(text.utf8)),
            devices.allSatisfy(HouseholdNames.isID)
        else { throw .invalidValue("not ids in a JSON array", key: "devices", group: group) }
        guard devices.count <= maximumDeviceCount else {
            throw .invalidValue("more than \(maximumDeviceCount) appliances", key: "devices", group: group)
        }
        return devices
    }

    package var serialized: [UInt8] { file.serialized }

    /// The room with this id.
    package func room(_ id: String) -> Room? { index(id).map { rooms[$0] } }

    // Swift's == takes the Kelvin sign for a K; among ids it is exact.
    private func index(_ id: String) -> Int? {
        HouseholdNames.isPathID(id) ? rooms.firstIndex { $0.id == id } : nil
    }

    /// Adds a room, or changes the one with its id. Its appliances leave the rooms that they were in.
    package mutating func put(_ room: Room) throws(HouseholdError) {
        try check(room)
        let taken = Set(room.devices)
        for (index, other) in rooms.enumerated() where other.id != room.id {
            let left = other.devices.filter { !taken.contains($0) }
            guard left.count < other.devices.count else { continue }
            rooms[index] = Room(id: other.id, name: other.name, area: other.area, devices: left)
            write(devices: left, of: other.id)
        }
        if let index = index(room.id) {
            rooms[index] = room
        } else {
            rooms.append(room)
        }
        let group = "\(Rooms.kind) \(room.id)"
        file.set("name", to: room.name, in: group)
        file.set("area", to: room.area, in: group)
        write(devices: room.devices, of: room.id)
    }

    private func check(_ room: Room) throws(HouseholdError) {
        guard HouseholdNames.isPathID(room.id) else {
            throw .badName(.room, "an id has 1 to 64 letters, digits, or characters of \"-._~\"")
        }
        let name = try HouseholdNames.new(room.name, of: .room)
        if let area = room.area { _ = try HouseholdNames.new(area, of: .room) }
        guard room.devices.count <= Rooms.maximumDeviceCount else {
            throw .badBody("a room has at most \(Rooms.maximumDeviceCount) appliances")
        }
        guard room.devices.allSatisfy(HouseholdNames.isID) else {
            throw .badBody("an appliance's id has 1 to \(HouseholdNames.maximumIDByteCount) bytes")
        }
        var seen: Set<String> = []
        for device in room.devices where !seen.insert(device).inserted {
            throw .badBody("the appliance \(quoted(device)) stands twice")
        }
        let others = rooms.filter { $0.id != room.id }
        for other in others where other.name.lowercased() == HouseholdNames.folded(name) {
            throw .nameInUse(.room, other.name)
        }
        guard others.count < Rooms.maximumCount else { throw .tooMany(.room, limit: Rooms.maximumCount) }
    }

    private mutating func write(devices: [String], of id: String) {
        let list = JSONValue.array(devices.map(JSONValue.string)).text
        file.set("devices", to: devices.isEmpty ? nil : list, in: "\(Rooms.kind) \(id)")
    }

    /// The unit of an activator.
    package func unit(_ device: String, _ activator: String) -> ActivatorUnit? {
        units.first {
            $0.device.utf8.elementsEqual(device.utf8) && $0.activator.utf8.elementsEqual(activator.utf8)
        }
    }

    /// Gives an activator a unit, or another one.
    package mutating func put(_ unit: ActivatorUnit) throws(HouseholdError) {
        if let index = units.firstIndex(where: { $0.group == unit.group }) {
            units[index] = unit
        } else {
            guard units.count < ActivatorUnit.maximumCount else {
                throw .tooMany(.unit, limit: ActivatorUnit.maximumCount)
            }
            units.append(unit)
        }
        unit.write(to: &file)
    }

    /// Takes the unit of an activator away.
    package mutating func removeUnit(_ device: String, _ activator: String) throws(HouseholdError) {
        guard let unit = unit(device, activator) else { throw .unknown(.unit, "\(device)/\(activator)") }
        units.removeAll { $0 == unit }
        file.removeGroup(unit.group)
    }

    /// The kind of an appliance, if somebody has said it.
    package func kind(_ device: String) -> DeviceKind? {
        kinds.first { $0.device.utf8.elementsEqual(device.utf8) }
    }

    /// Says what an appliance does, or something else than before.
    package mutating func put(_ kind: DeviceKind) throws(HouseholdError) {
        if let index = kinds.firstIndex(where: { $0.group == kind.group }) {
            kinds[index] = kind
        } else {
            guard kinds.count < DeviceKind.maximumCount else {
                throw .tooMany(.kind, limit: DeviceKind.maximumCount)
            }
            kinds.append(kind)
        }
        kind.write(to: &file)
    }

    /// Takes back what was said of an appliance.
    package mutating func removeKind(_ device: String) throws(HouseholdError) {
        guard let kind = kind(device) else { throw .unknown(.kind, device) }
        kinds.removeAll { $0 == kind }
        file.removeGroup(kind.group)
    }

    /// Removes the room with this id; its appliances are in none then.
    package mutating func remove(_ id: String) throws(HouseholdError) {
        guard let index = index(id) else { throw .unknown(.room, id) }
        rooms.remove(at: index)
        file.removeGroup("\(Rooms.kind) \(id)")
    }
}
