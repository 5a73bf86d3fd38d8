import Identity
package import JSON

/// A rule as requests and answers have it.
///
///     {"name": "Front door", "device": "6b4d5c", "activator": "6b4d5d", "when": "off", "kind": "alarm",
///      "text": "Somebody has opened the front door", "in": ["Away"], "run": "All lights on"}
///
/// `in` and `run` are missing, or null, if it has none.
extension Rule {
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(name.description), "device": .string(device), "activator": .string(activator),
            "when": .string(condition.description), "kind": .string(kind.rawValue), "text": .string(text),
        ]
        if let scenes { members["in"] = .array(scenes.map { .string($0.description) }) }
        if let run { members["run"] = .string(run.description) }
        return .object(members)
    }

    /// The rule in the body of `PUT rules/NAME`. Other members are ignored, `name` too: the path has it.
    package init(name: String, body: [UInt8]) throws(HouseholdError) {
        let fields: Fields
        do {
            fields = try JSONReader.read(Fields.self, from: body, duplicateKeys: .refused)
        } catch {
            throw .badBody("the body is not a rule: \(error)")
        }
        guard let condition = RuleCondition(fields.condition) else {
            throw .badBody("when: neither on, off, above X nor below X")
        }
        guard let kind = Kind(rawValue: fields.kind) else {
            throw .badBody("kind: neither alarm nor notification")
        }
        self.init(
            name: try HouseholdNames.newGroup(name, of: .rule), device: fields.device,
            activator: fields.activator, condition: condition, kind: kind, text: fields.text,
            scenes: try HouseholdNames.all(fields.scenes, of: .scene),
            run: try HouseholdNames.all(fields.run.map { [$0] }, of: .scene)?.first)
    }

    private struct Fields: JSONReadable {
        let (device, activator, condition, kind, text): (String, String, String, String, String)
        let scenes: [String]?
        let run: String?

        init(reading reader: inout JSONReader) throws(JSONFault) {
            var texts: [String: String] = [:]
            var (scenes, run): ([String]?, String?)
            try reader.object { key, reader throws(JSONFault) in
                switch key {
                case "device", "activator", "when", "kind", "text": texts[try key.text] = try reader.string()
                case "in": scenes = try reader.stringsOrNull()
                case "run": run = try reader.stringOrNull()
                default: _ = try JSONValue(reading: &reader)
                }
            }
            device = try texts["device"].required("device")
            activator = try texts["activator"].required("activator")
            condition = try texts["when"].required("when")
            kind = try texts["kind"].required("kind")
            text = try texts["text"].required("text")
            (self.scenes, self.run) = (scenes, run)
        }
    }
}
