import Home
import HubClient
import Identity
import JSON

// Appliances as JSON, and as rows of a table.

/// The line of `home --json`: a hub may have a thousand appliances, so it is written without a `JSONValue` in
/// between. Its keys are in alphabetical order, as those of every line.
struct HomeDeviceLine: JSONWritable {
    let device: ControlledDevice
    let session: HomeSession
    /// What its levels count.
    let units: StateUnits

    init(_ device: ControlledDevice, of session: HomeSession, units: StateUnits = StateUnits()) {
        (self.device, self.session, self.units) = (device, session, units)
    }

    func write(to bytes: inout [UInt8]) {
        JSONMembers.write(to: &bytes) { line in
            line.add("activators", each: device.activators) { activator, member in
                member.add("activator", activator.id)
                member.add("name", activator.name)
                member.add("rank", .integer(Int64(activator.rank)))
                member.add("state", activator.state)
                member.add("type", activator.kind.word)
                if !units.isEmpty, let amount = units.amount(activator.state, of: device.id, activator.id) {
                    member.add("unit", amount.unit)
                    member.add("value", .number(amount.value))
                }
            }
            if let silence = session.silence(of: device.id) {
                line.add("age", .count(silence.age))
                line.add("answers", .boolean(false))
            }
            line.add("device", device.id)
            line.add("hub", session.json["hub"] ?? .null)
            line.add("hub_name", session.hub.name.description)
            line.add("kind", device.kind.rawValue)
            line.add("means", device.means(units).map(JSONValue.string) ?? .null)
            line.add("name", device.name)
            line.add("type", device.type)
            line.add("unprotected", .boolean(session.hub.isUnprotected))
        }
    }
}

extension [String: JSONValue] {
    /// Adds `value` and `unit` of a state, beside its level; nothing for what has no unit.
    mutating func add(_ amount: (value: Double, unit: String)?) {
        guard let amount else { return }
        (self["value"], self["unit"]) = (.number(amount.value), .string(amount.unit))
    }
}

extension Table {
    /// The appliances of a hub. Names from a server may have any length, so the columns have limits.
    ///
    /// - Parameters:
    ///   - house: says which of them do not answer, and for how long; nil: all do.
    ///   - header: the title of a last column, if there is one.
    ///   - note: the text in it, by the appliance's id.
    ///   - groups: the same appliances in groups, each under its title; nil: without groups.
    ///   - units: in which states are told.
    init(
        _ devices: [ControlledDevice], groups: [ApplianceGroup]? = nil, units: StateUnits = StateUnits(),
        silentIn house: KnownHouse? = nil, header: String? = nil,
        note: (String) -> String? = { _ in nil }
    ) {
        let hasSilent = devices.contains { house?.silence(of: $0.id) != nil }
        let titles = ["APPLIANCE", "TYPE", "STATE"] + (header.map { [$0] } ?? []) + (hasSilent ? [""] : [])
        func row(_ device: ControlledDevice, indent: String) -> [String] {
            let cells = [indent + device.name, device.type, device.means(units) ?? "-"].map { shortened($0) }
            return cells + (header == nil ? [] : [note(device.id) ?? ""])
                + (hasSilent ? [house?.silence(of: device.id)?.words ?? ""] : [])
        }
        var rows: [[String]] = []
        for group in groups ?? [] {
            rows.append([group.title] + [String](repeating: "", count: titles.count - 1))
            for device in group.devices { rows.append(row(device, indent: "  ")) }
        }
        if groups == nil { rows = devices.map { row($0, indent: "") } }
        self.init(columns: titles, rows: rows, limits: [60, 16, 24])
    }
}
