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
    /// Nil for an appliance that answers its server.
    let silent: LastKnownAppliance?

    init(
        _ device: ControlledDevice, of session: HomeSession, units: StateUnits = StateUnits(),
        silent: LastKnownAppliance? = nil
    ) {
        (self.device, self.session, self.units, self.silent) = (device, session, units, silent)
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append("{\"activators\":[")
        for (index, activator) in device.activators.enumerated() {
            bytes.append(index == 0 ? "{\"activator\":" : ",{\"activator\":")
            JSONValue.write(activator.id, to: &bytes)
            bytes.append(",\"name\":")
            JSONValue.write(activator.name, to: &bytes)
            bytes.append(",\"rank\":")
            JSONValue.integer(Int64(activator.rank)).write(to: &bytes)
            bytes.append(",\"state\":")
            activator.state.write(to: &bytes)
            bytes.append(",\"type\":")
            JSONValue.write(activator.kind.word, to: &bytes)
            if !units.isEmpty, let amount = units.amount(activator.state, of: device.id, activator.id) {
                bytes.append(",\"unit\":")
                JSONValue.write(amount.unit, to: &bytes)
                bytes.append(",\"value\":")
                JSONValue.number(amount.value).write(to: &bytes)
            }
            bytes.append("}")
        }
        bytes.append("]")
        if let silent {
            bytes.append(",\"age\":")
            (silent.age.map { JSONValue.integer(Int64($0)) } ?? .null).write(to: &bytes)
            bytes.append(",\"answers\":false")
        }
        bytes.append(",\"device\":")
        JSONValue.write(device.id, to: &bytes)
        bytes += session.hubMembers
        bytes.append(",\"name\":")
        JSONValue.write(device.name, to: &bytes)
        bytes.append(",\"type\":")
        JSONValue.write(device.type, to: &bytes)
        bytes.append(session.hub.isUnprotected ? ",\"unprotected\":true}" : ",\"unprotected\":false}")
    }
}

extension [String: JSONValue] {
    /// Adds `value` and `unit` of a state, beside its level; nothing for what has no unit.
    mutating func add(_ amount: (value: Double, unit: String)?) {
        guard let amount else { return }
        (self["value"], self["unit"]) = (.number(amount.value), .string(amount.unit))
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}

extension Table {
    /// The appliances of a hub. Names from a server may have any length, so the columns have limits.
    ///
    /// - Parameters:
    ///   - header: the title of a last column, if there is one.
    ///   - note: the text in it, by the appliance's id.
    ///   - groups: the same appliances in groups, each under its title; nil: without groups.
    ///   - units: in which states are told.
    ///   - silent: those that do not answer, by their ids: their states are told with their age.
    init(
        _ devices: [ControlledDevice], groups: [ApplianceGroup]? = nil, units: StateUnits = StateUnits(),
        silent: [String: LastKnownAppliance] = [:], header: String? = nil,
        note: (String) -> String? = { _ in nil }
    ) {
        let titles = ["APPLIANCE", "TYPE", "STATE"] + (header.map { [$0] } ?? [])
        func row(_ device: ControlledDevice, indent: String) -> [String] {
            var state = device.main.map { units.text($0, of: device.id) } ?? "-"
            if let last = silent[device.id] {
                state += last.age.map { ", \(Duration.seconds($0).words) ago" } ?? ", some time ago"
            }
            let cells = [indent + device.name, device.type, state].map {
                shortened($0)
            }
            return header == nil ? cells : cells + [note(device.id) ?? ""]
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
