import Home
import Identity
import JSON

// Appliances as JSON, and as rows of a table.

extension ControlledDevice {
    /// The line of `home --json`.
    func json(of session: HomeSession) -> JSONValue {
        var members = session.json
        members["device"] = .string(id)
        members["name"] = .string(name)
        members["type"] = .string(type)
        members["activators"] = .array(
            activators.map {
                .object([
                    "activator": .string($0.id), "name": .string($0.name), "type": .string($0.kind.word),
                    "rank": .integer(Int64($0.rank)), "state": $0.state,
                ])
            })
        return .object(members)
    }
}

extension Table {
    /// The appliances of a hub. Names from a server may have any length, so the columns have limits.
    ///
    /// - Parameters:
    ///   - header: the title of a last column, if there is one.
    ///   - note: the text in it, by the appliance's id.
    init(
        _ devices: [ControlledDevice], header: String? = nil, note: (String) -> String? = { _ in nil }
    ) {
        let titles = ["APPLIANCE", "TYPE", "STATE"] + (header.map { [$0] } ?? [])
        let rows = devices.map { device in
            let cells = [device.name, device.type, device.main?.stateText ?? "-"].map { shortened($0) }
            return header == nil ? cells : cells + [note(device.id) ?? ""]
        }
        self.init(columns: titles, rows: rows, limits: [60, 16, 24])
    }
}
