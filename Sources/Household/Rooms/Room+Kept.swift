package import Home
import Identity
package import JSON

/// A room as the house keeps it.
///
///     {"id": "kitchen", "name": "Kitchen", "area": "Ground floor", "devices": ["6b4d5c"]}
///
/// `area` is missing, or null, for a room that belongs to none, and `devices` may be. In a file: ``Rooms``.
extension Room: Kept {
    package static let kind = HouseholdError.Kind.room
    package static let mainKey = "name"
    package static let idKey = "id"
    package static var list: WritableKeyPath<Rooms, KeptList<Room>> { \.roomList }
    package static let fields = [
        Field("name"), Field("area", .text, .optional),
        Field("devices", .list(of: "ids"), .usual(.array([])), unwritten: .array([])),
    ]
    /// The most appliances in a room: more would let a member fill the hub's memory and disk.
    package static let maximumDeviceCount = 1000

    package var title: String? { name }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        let devices = values.texts("devices") ?? []
        self.init(id: id, name: values.text("name"), area: values.optionalText("area"), devices: devices)
        // What is wrong with a new one is told of in another order.
        guard !values.isNew else { return }
        guard HouseholdNames.isPathID(id) else { throw .refused(.unknown(.room, id)) }
        for (key, text) in [("name", name), ("area", area)] {
            if let text { _ = try values.name(text, of: .room, key: key) }
        }
        guard devices.allSatisfy(HouseholdNames.isID) else {
            throw .invalid("devices", "not ids in a JSON array")
        }
        guard devices.count <= Room.maximumDeviceCount else {
            throw .invalid("devices", "more than \(Room.maximumDeviceCount) appliances")
        }
    }

    package var values: [String: JSONValue] {
        var values: [String: JSONValue] = ["name": .string(name), "devices": .texts(devices)]
        values["area"] = area.map(JSONValue.string)
        return values
    }

    package func checkNew() throws(HouseholdError) {
        guard HouseholdNames.isPathID(id) else { throw .badName(.room, HouseholdNames.pathIDRule) }
        _ = try HouseholdNames.new(name, of: .room)
        if let area { _ = try HouseholdNames.new(area, of: .room) }
        guard devices.count <= Room.maximumDeviceCount else {
            throw .badBody("a room has at most \(Room.maximumDeviceCount) appliances")
        }
        guard devices.allSatisfy(HouseholdNames.isID) else {
            throw .badBody("an appliance's id has 1 to \(HouseholdNames.maximumIDByteCount) bytes")
        }
        var seen: Set<String> = []
        for device in devices where !seen.insert(device).inserted {
            throw .badBody("the appliance \(quoted(device)) stands twice")
        }
    }

    /// An appliance that is put in one room leaves the others.
    package func yielding(to other: Room) -> Room? {
        let taken = Set(other.devices)
        let left = devices.filter { !taken.contains($0) }
        return left.count == devices.count ? nil : with(devices: left)
    }

    /// The room with other appliances.
    package func with(devices: [String]) -> Room { Room(id: id, name: name, area: area, devices: devices) }
}
