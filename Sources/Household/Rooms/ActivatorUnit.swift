package import Home
package import JSON
import Pairing

/// What the levels of one activator count, as the house keeps it beside its rooms.
///
///     {"device": "6b4d5c", "activator": "6b4d5e", "unit": "°C", "from": 5, "to": 30}
package struct ActivatorUnit: Equatable, Sendable {
    static let groupStart = "unit "
    /// The most units of a house.
    package static let maximumCount = 1000

    /// The ids of the server behind the hub.
    package let device: String
    package let activator: String
    package let unit: StateUnit

    /// The ids are of the characters of a room's id, so that both can stand in a path and in the name of a
    /// group. Those of a Hestia server are.
    package init(device: String, activator: String, unit: StateUnit) throws(HouseholdError) {
        guard HouseholdNames.isPathID(device), HouseholdNames.isPathID(activator) else {
            throw .badName(.unit, "an id has 1 to 64 letters, digits, or characters of \"-._~\"")
        }
        (self.device, self.activator, self.unit) = (device, activator, unit)
    }

    /// The unit in the body of `PUT units/DEVICE/ACTIVATOR`: `unit`, `from` and `to`. Other members are
    /// ignored; the path has the ids.
    package init(device: String, activator: String, body: [UInt8]) throws(HouseholdError) {
        let fields: Fields
        do {
            fields = try JSONReader.read(Fields.self, from: body, duplicateKeys: .refused)
        } catch {
            throw .badBody("the body is not a unit: \(error)")
        }
        let unit: StateUnit
        do {
            unit = try StateUnit(symbol: fields.symbol, from: fields.from, to: fields.to)
        } catch {
            throw .badBody(error.description)
        }
        try self.init(device: device, activator: activator, unit: unit)
    }

    private struct Fields: JSONReadable {
        let symbol: String
        let from: Double
        let to: Double

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var symbol: String?
            var (from, to): (JSONValue?, JSONValue?)
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "unit": symbol = try reader.string()
                case "from": from = try JSONValue(reading: &reader)
                case "to": to = try JSONValue(reading: &reader)
                default: _ = try JSONValue(reading: &reader)
                }
            }
            self.symbol = try symbol.required("unit")
            // What is no number is in no range.
            self.from = try from.required("from").asDouble ?? .nan
            self.to = try to.required("to").asDouble ?? .nan
        }
    }

    package var json: JSONValue {
        .object([
            "device": .string(device), "activator": .string(activator), "unit": .string(unit.symbol),
            "from": .number(unit.from), "to": .number(unit.to),
        ])
    }

    // MARK: The file

    var group: String { "\(ActivatorUnit.groupStart)\(device)/\(activator)" }

    func write(to file: inout KeyFile) {
        file.set("symbol", to: unit.symbol, in: group)
        file.set("from", to: StateUnit.text(unit.from), in: group)
        file.set("to", to: StateUnit.text(unit.to), in: group)
    }

    /// The units in these groups.
    static func all(_ groups: [String], in file: KeyFile) throws(KeyFileError) -> [ActivatorUnit] {
        var units: [ActivatorUnit] = []
        for group in groups {
            let ids = group.dropFirst(groupStart.count).split(
                separator: "/", omittingEmptySubsequences: false)
            guard ids.count == 2, units.count < maximumCount else { throw .unknownGroup(group) }
            let symbol = try file.required("symbol", in: group)
            let range = "\(try file.required("from", in: group))..\(try file.required("to", in: group))"
            let unit: StateUnit
            do {
                unit = try StateUnit(symbol: symbol, range: range)
            } catch {
                throw .invalidValue(error.description, key: "symbol", group: group)
            }
            do {
                units.append(
                    try ActivatorUnit(device: String(ids[0]), activator: String(ids[1]), unit: unit))
            } catch {
                throw .unknownGroup(group)
            }
        }
        return units
    }
}
