package import JSON

/// An appliance that the hub controls. The server's API calls it a device.
///
///     {"deviceId": string, "name": string, "type": string, "activators": [activator, …]}
///
/// Further fields are kept as they came. Names come from the server, with any length and any characters:
/// escape them before they reach a terminal.
///
/// Accepted: `{"deviceId":"6b","name":"Front door","type":"Lock","activators":[]}`. Rejected: no `name`.
package struct ControlledDevice: Equatable, Sendable {
    /// The server's name for it, unique on the hub.
    package let id: String
    package let name: String
    /// What it is: `Light`, `Lock`, or another word of the server's.
    package let type: String
    /// By rank.
    package let activators: [Activator]
    /// Fields that this version does not know.
    package let extra: [String: JSONValue]
    /// What it does, as the people of the house have said; nil: what can be told (``kind``).
    package var givenKind: ApplianceKind?

    package init(
        id: String, name: String, type: String, activators: [Activator], extra: [String: JSONValue]
    ) {
        (self.id, self.name, self.type) = (id, name, type)
        (self.activators, self.extra) = (activators, extra)
    }

    /// The activator of rank 0; nil if there is none.
    package var main: Activator? { activators.first { $0.rank == 0 } }

    /// True if its main activator is of a kind that can be set.
    package var canBeSwitched: Bool { main.map { $0.kind == .bool || $0.kind == .float } ?? false }

    /// The activator that `setting` is for if none is named: the main one. Of a lamp with a switch and a
    /// brightness, on and off are for the switch, and a level is for the brightness, whichever is the main
    /// one.
    package func activator(for setting: Setting) throws(SettingError) -> Activator {
        guard let main = main ?? (activators.count == 1 ? activators[0] : nil) else {
            throw .nothingToSet(device: name)
        }
        if case .level = setting { return levelActivator ?? main }
        return onActivator ?? main
    }
}

extension ControlledDevice: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var (id, name, type): (String?, String?, String?)
        var activators: [Activator]?
        var extra: [String: JSONValue] = [:]
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "deviceId": id = try reader.string()
            case "name": name = try reader.string()
            case "type": type = try reader.string()
            case "activators": activators = try [Activator](reading: &reader)
            default: extra[try key.text] = try JSONValue(reading: &reader)
            }
        }
        self.id = try id.required("deviceId")
        self.name = try name.required("name")
        self.type = try type.required("type")
        self.activators = try activators.required("activators").sorted {
            ($0.rank, $0.name) < ($1.rank, $1.name)
        }
        self.extra = extra
    }

    /// The appliances in a server's answer; nil if it is not a list of them.
    package static func list(parsing bytes: [UInt8]) -> [ControlledDevice]? {
        try? JSONReader.read([ControlledDevice].self, from: bytes)
    }
}

extension ControlledDevice: JSONWritable {
    /// ``json``, without building it: a house has a thousand of them.
    package func write(to bytes: inout [UInt8]) {
        guard extra.isEmpty else { return json.write(to: &bytes) }
        JSONMembers.write(to: &bytes) { members in
            members.add("activators", activators)
            members.add("deviceId", id)
            members.add("name", name)
            members.add("type", type)
        }
    }

    /// As the server writes it, extra fields and all.
    package var json: JSONValue {
        .object(
            extra.merging([
                "deviceId": .string(id), "name": .string(name), "type": .string(type),
                "activators": .array(activators.map(\.json)),
            ]) { _, new in new })
    }
}
