package import Home
package import JSON

/// What the levels of one activator count, as the house keeps it beside its rooms.
///
///     {"device": "6b4d5c", "activator": "6b4d5e", "unit": "°C", "from": 5, "to": 30}
package struct ActivatorUnit: Equatable, Sendable {
    /// The ids of the server behind the hub.
    package let device: String
    package let activator: String
    package let unit: StateUnit

    /// The ids are of the characters of a room's id, so that both can stand in a path and in the name of a
    /// group. Those of a Hestia server are.
    package init(device: String, activator: String, unit: StateUnit) throws(HouseholdError) {
        guard HouseholdNames.isPathID(device), HouseholdNames.isPathID(activator) else {
            throw .badName(.unit, HouseholdNames.pathIDRule)
        }
        (self.device, self.activator, self.unit) = (device, activator, unit)
    }
}

extension ActivatorUnit: Kept {
    package static let kind = HouseholdError.Kind.unit
    package static let mainKey = "symbol"
    package static var list: WritableKeyPath<Rooms, KeptList<ActivatorUnit>> { \.unitList }
    package static let fields = [
        Field("unit", fileKey: "symbol"), Field("from", .number), Field("to", .number),
    ]

    package var id: String { ActivatorUnit.id(device, activator) }
    package var idMembers: [String: JSONValue] {
        ["device": .string(device), "activator": .string(activator)]
    }

    package static func id(in members: [String: JSONValue]) -> String? {
        guard let device = members["device"]?.asString, let activator = members["activator"]?.asString else {
            return nil
        }
        return id(device, activator)
    }
    package static func path(of id: String) -> [String] { id.split(separator: "/").map(String.init) }
    package static func id(_ device: String, _ activator: String) -> String { "\(device)/\(activator)" }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        let ids = id.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard ids.count == 2 else { throw .refused(.badName(.unit, HouseholdNames.pathIDRule)) }
        let unit: StateUnit
        do {
            unit = try StateUnit(
                symbol: values.text("unit"), from: values.number("from"), to: values.number("to"))
        } catch {
            throw .invalid("unit", error.description, body: error.description)
        }
        do {
            try self.init(device: ids[0], activator: ids[1], unit: unit)
        } catch {
            throw .refused(error)
        }
    }

    package var values: [String: JSONValue] {
        ["unit": .string(unit.symbol), "from": .number(unit.from), "to": .number(unit.to)]
    }
}

extension StateUnits {
    package init(_ units: [ActivatorUnit]) {
        self.init()
        for unit in units { self[unit.device, unit.activator] = unit.unit }
    }
}
