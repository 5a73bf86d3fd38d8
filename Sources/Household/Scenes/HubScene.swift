package import Home
package import Identity
package import JSON

/// The states that some appliances have together, under a name, for everybody in the house.
///
///     {"name": "Movie night", "at": "sunset+30", "days": ["fri", "sat"], "arms": ["Front door"],
///      "states": [{"device": "6b4d5c", "activator": "6b4d5d", "name": "Lamp: On/Off", "state": true}]}
///
/// `at`, `days` and `arms` are missing, or null, if it has none; so is the `name` of a state. In a file:
/// ``HubScenes``.
package struct HubScene: Equatable, Sendable {
    /// One activator's state.
    package struct State: Equatable, Sendable {
        /// The appliance's id.
        package let device: String
        /// The activator's id.
        package let activator: String
        /// The names of both when the scene was made, for messages; nil if they were not given.
        package let name: String?
        package let state: JSONValue

        package init(device: String, activator: String, name: String? = nil, state: JSONValue) {
            (self.device, self.activator, self.name, self.state) = (device, activator, name, state)
        }

        /// The order that sets it.
        package var order: Order {
            Order(device: device, activator: activator, name: name ?? device, state: state)
        }
    }

    /// A house with a thousand appliances has one scene of them all. More would only fill the file.
    package static let maximumStateCount = 1000
    /// The most rules that it arms: as many as a house can have.
    static let maximumArmCount = 1000

    package let name: PeerName
    package let states: [State]
    /// When it runs by itself; nil: never.
    package let time: SceneTime?
    /// The days on which it does.
    package let days: SceneDays
    /// The rules that it arms; nil: see ``Arming``.
    package let arms: [PeerName]?

    package init(
        name: PeerName, states: [State], time: SceneTime? = nil, days: SceneDays = .all,
        arms: [PeerName]? = nil
    ) {
        (self.name, self.states, self.time, self.days, self.arms) = (name, states, time, days, arms)
    }

    package var fault: (key: String, reason: String)? {
        if states.count > HubScene.maximumStateCount {
            return ("states", "more than \(HubScene.maximumStateCount) states")
        }
        var seen: Set<[String]> = []
        for (index, state) in states.enumerated() {
            guard HouseholdNames.isID(state.device), HouseholdNames.isID(state.activator) else {
                return (
                    "state.\(index + 1)", "an id has 1 to \(HouseholdNames.maximumIDByteCount) bytes"
                )
            }
            guard seen.insert([state.device, state.activator]).inserted else {
                return ("state.\(index + 1)", "another one is for the same activator")
            }
            switch state.state {
            case .boolean, .integer, .number: break
            default: return ("state.\(index + 1)", "the state is neither true, false nor a number")
            }
            guard (state.name?.utf8.count ?? 0) <= HouseholdNames.maximumIDByteCount else {
                return ("state.\(index + 1)", "its name is too long")
            }
        }
        if let arms, arms.count > HubScene.maximumArmCount {
            return ("arms", "more than \(HubScene.maximumArmCount) rules")
        }
        if time == nil, days != .all { return ("days", "there is no 'at' for them") }
        return nil
    }

    /// True if all its activators are as it says. One whose state is not known is not.
    package func isSo(_ state: (_ device: String, _ activator: String) -> JSONValue?) -> Bool {
        states.allSatisfy { wanted in
            state(wanted.device, wanted.activator).map { Orders.isSame($0, wanted.state) } ?? false
        }
    }
}

extension HubScene: Kept {
    package static let kind = HouseholdError.Kind.scene
    package static let mainKey = "state.1"
    package static var list: WritableKeyPath<HubScenes, KeptList<HubScene>> { \.list }
    package static let fields = [
        Field("states", .numbered, fileKey: "state"), Field("at", .text, .optional),
        Field("days", .words, .optional, unwritten: .texts(SceneDays.all.names)),
        Field("arms", .list(of: "names"), .optional),
    ]

    package var id: String { name.description }
    package var title: String? { id }

    package init(id: String, _ values: FieldValues) throws(FieldFault) {
        var states: [State] = []
        for value in values.entries("states") {
            do throws(JSONFault) {
                states.append(try State(value))
            } catch {
                let fault = error.inside("entry \(states.count + 1)").inside("states")
                throw .invalid(
                    "state.\(states.count + 1)", "not a state in JSON",
                    body: "the body is not a scene: \(fault)")
            }
        }
        let time =
            try values.optionalText("at") == nil
            ? nil
            : values.parsed("at", else: SceneTime.rule) {
                SceneTime($0)
            }
        let days = values.texts("days").map { SceneDays($0) } ?? .all
        guard let days else { throw .invalid("days", SceneDays.rule) }
        self.init(
            name: try values.name(id, of: .scene), states: states,
            time: time, days: days, arms: try values.names("arms", of: .rule))
    }

    package var values: [String: JSONValue] {
        var values: [String: JSONValue] = ["states": .array(states.map(\.json))]
        values["at"] = time.map { .string($0.description) }
        values["days"] = time.map { _ in .texts(days.names) }
        values["arms"] = arms.map { .texts($0) }
        return values
    }

    package func checkNew() throws(HouseholdError) {
        _ = try HouseholdNames.newGroup(id, of: .scene)
        for state in states {
            if let reason = HouseholdNames.fault(ofDevice: state.device, activator: state.activator) {
                throw .badBody(reason)
            }
        }
    }
}

extension HubScene.State {
    /// As it stands in the file, in requests and in answers.
    package init(_ json: JSONValue) throws(JSONFault) {
        guard let members = json.asObject else { throw JSONFault(.otherType) }
        func text(_ key: String) throws(JSONFault) -> String? {
            switch members[key] {
            case nil: return nil
            case .string(let text)?: return text
            default: throw JSONFault(.otherType).inside(key)
            }
        }
        self.init(
            device: try text("device").required("device"),
            activator: try text("activator").required("activator"),
            name: members["name"] == .null ? nil : try text("name"),
            state: try members["state"].required("state"))
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator), "state": state,
        ]
        members["name"] = name.map(JSONValue.string)
        return .object(members)
    }
}
