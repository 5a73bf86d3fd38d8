import Identity
package import JSON

/// A scene as requests and answers have it.
///
///     {"name": "Movie night", "at": "sunset+30", "days": ["fri", "sat"], "arms": ["Front door"],
///      "states": [{"device": "6b4d5c", "activator": "6b4d5d", "name": "Lamp: On/Off", "state": true}]}
///
/// `at`, `days` and `arms` are missing, or null, if it has none; so is the `name` of a state.
extension HubScene {
    package var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "name": .string(name.description), "states": .array(states.map(\.json)),
        ]
        if let time {
            members["at"] = .string(time.description)
            members["days"] = .array(days.names.map(JSONValue.string))
        }
        if let arms { members["arms"] = .array(arms.map { .string($0.description) }) }
        return members
    }

    /// The scene in the body of `PUT scenes/NAME`. Other members are ignored, `name` too: the path has it.
    package init(name: String, body: [UInt8]) throws(HouseholdError) {
        let fields: Fields
        do {
            fields = try JSONReader.read(Fields.self, from: body, duplicateKeys: .refused)
        } catch {
            throw .badBody("the body is not a scene: \(error)")
        }
        let time = fields.time.flatMap(SceneTime.init)
        guard (time == nil) == (fields.time == nil) else { throw .badBody("at: \(SceneTime.rule)") }
        let days = fields.days.flatMap { SceneDays($0) }
        guard (days == nil) == (fields.days == nil) else { throw .badBody("days: \(SceneDays.rule)") }
        self.init(
            name: try HouseholdNames.newGroup(name, of: .scene), states: fields.states, time: time,
            days: days ?? .all, arms: try HouseholdNames.all(fields.arms, of: .rule))
    }

    private struct Fields: JSONReadable {
        let states: [State]
        let time: String?
        let (days, arms): ([String]?, [String]?)

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var states: [State]?
            var time: String?
            var (days, arms): ([String]?, [String]?)
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "states": states = try [State](reading: &reader)
                case "at": time = try reader.stringOrNull()
                case "days": days = try reader.stringsOrNull()
                case "arms": arms = try reader.stringsOrNull()
                default: _ = try JSONValue(reading: &reader)
                }
            }
            self.states = try states.required("states")
            (self.time, self.days, self.arms) = (time, days, arms)
        }
    }
}

extension HubScene.State: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var (device, activator, name): (String?, String?, String?)
        var state: JSONValue?
        try reader.object { key, reader throws(JSONFault) in
            switch key {
            case "device": device = try reader.string()
            case "activator": activator = try reader.string()
            case "name": name = try reader.stringOrNull()
            case "state": state = try JSONValue(reading: &reader)
            default: _ = try JSONValue(reading: &reader)
            }
        }
        self.init(
            device: try device.required("device"), activator: try activator.required("activator"), name: name,
            state: try state.required("state"))
    }

    /// As it stands in the file and in answers.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator), "state": state,
        ]
        if let name { members["name"] = .string(name) }
        return .object(members)
    }
}
