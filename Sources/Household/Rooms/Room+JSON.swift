package import Home
package import JSON

/// A room as requests and answers have it.
///
///     {"id": "kitchen", "name": "Kitchen", "area": "Ground floor", "devices": ["6b4d5c"]}
///
/// `area` is missing, or null, for a room that belongs to none.
extension Room {
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "name": .string(name), "devices": .array(devices.map(JSONValue.string)),
        ]
        if let area { members["area"] = .string(area) }
        return .object(members)
    }

    /// The room in the body of `PUT rooms/ID`: `name`, `area` and `devices`, without which it has none. Other
    /// members are ignored, `id` too: the path has it.
    package init(id: String, body: [UInt8]) throws(HouseholdError) {
        let fields: Fields
        do {
            fields = try JSONReader.read(Fields.self, from: body, duplicateKeys: .refused)
        } catch {
            throw .badBody("the body is not a room: \(error)")
        }
        self.init(id: id, name: fields.name, area: fields.area, devices: fields.devices)
    }

    private struct Fields: JSONReadable {
        let name: String
        let area: String?
        let devices: [String]

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var (name, area): (String?, String?)
            var devices: [String] = []
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "name": name = try reader.string()
                case "area": area = try reader.stringOrNull()
                case "devices": devices = try [String](reading: &reader)
                default: _ = try JSONValue(reading: &reader)
                }
            }
            self.name = try name.required("name")
            (self.area, self.devices) = (area, devices)
        }
    }
}
