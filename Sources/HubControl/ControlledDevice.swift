/// A device that the hub controls.
///
///     {"deviceId": string, "name": string, "type": string, "activators": [activator, …]}
///
/// Further fields are kept as they came. Names are the server's, of any length and with any character: escape them
/// before they reach a terminal.
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

    /// The activator of rank 0; nil if the device has none.
    package var main: Activator? { activators.first { $0.rank == 0 } }

    /// True if its main activator is of a kind that can be set.
    package var canBeSwitched: Bool { main.map { $0.kind == .bool || $0.kind == .float } ?? false }

    /// True for what keeps people out: nothing that is said of all devices is meant for it.
    package var isLock: Bool { type.lowercased() == "lock" }

    /// The activator that `setting` is for if none is named: the main one; for a level where that knows only on and
    /// off, the only one that has levels.
    package func activator(for setting: Setting) throws(SettingError) -> Activator {
        guard let main = main ?? (activators.count == 1 ? activators[0] : nil) else {
            throw .nothingToSet(device: name)
        }
        guard case .level = setting, main.kind == .bool else { return main }
        let dimmers = activators.filter { $0.kind == .float }
        return dimmers.count == 1 ? dimmers[0] : main
    }
}

extension ControlledDevice: Codable {
    private static let known: Set<String> = ["deviceId", "name", "type", "activators"]

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: AnyKey.self)
        id = try object.required("deviceId")
        name = try object.required("name")
        type = try object.required("type")
        let activators: [Activator] = try object.required("activators")
        self.activators = activators.sorted { ($0.rank, $0.name) < ($1.rank, $1.name) }
        extra = try object.extra(besides: ControlledDevice.known)
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: AnyKey.self)
        try object.add(extra)
        try object.set("deviceId", to: id)
        try object.set("name", to: name)
        try object.set("type", to: type)
        try object.set("activators", to: activators)
    }
}
