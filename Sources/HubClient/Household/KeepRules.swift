package import Household
import Identity
import JSON

/// The rules of a house: of which states its hub tells people. For owners.
package struct KeepRules: Sendable {
    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    package func all() async throws -> [SharedRule] {
        try await link.changeable("rules", by: "name", SharedRule.init)
    }

    /// Keeps a rule, in place of one of the same name.
    package func put(_ rule: SharedRule) async throws {
        _ = try await link.ask("PUT", ["rules", rule.name], body: rule.json)
    }

    package func remove(_ name: String) async throws { _ = try await link.ask("DELETE", ["rules", name]) }
}

/// A rule as a hub gives it; see `Rule` for what its texts may be. Apart from it, since `Rule` refuses what
/// it does not know, and a hub may be newer than this program.
package struct SharedRule: Equatable, Sendable {
    package let name: String
    package let device: String
    package let activator: String
    /// `on`, `off`, `above 0.5`, `below 3`.
    package let condition: String
    /// `alarm` or `notification`.
    package let kind: String
    package let text: String
    /// The scenes in which it is armed; nil: always, or as a scene's `arms` says.
    package let scenes: [String]?
    /// The scene that an alarm runs.
    package let run: String?
    package let authors: Authors

    package init(
        name: String, device: String, activator: String, condition: String, kind: String, text: String,
        scenes: [String]?, run: String?, authors: Authors = Authors()
    ) {
        (self.name, self.device, self.activator) = (name, device, activator)
        (self.condition, self.kind, self.text) = (condition, kind, text)
        (self.scenes, self.run, self.authors) = (scenes, run, authors)
    }

    init?(_ value: JSONValue) {
        guard let members = value.asObject, let name = members["name"]?.asString,
            let device = members["device"]?.asString, let activator = members["activator"]?.asString,
            let condition = members["when"]?.asString, let kind = members["kind"]?.asString,
            let text = members["text"]?.asString
        else { return nil }
        self.init(
            name: name, device: device, activator: activator, condition: condition, kind: kind, text: text,
            scenes: members["in"]?.texts, run: members["run"]?.asString, authors: Authors(members))
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "device": .string(device), "activator": .string(activator), "when": .string(condition),
            "kind": .string(kind), "text": .string(text),
        ]
        members["in"] = scenes.map { .array($0.map(JSONValue.string)) }
        members["run"] = run.map(JSONValue.string)
        return .object(members)
    }
}
