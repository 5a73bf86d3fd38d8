package import FoundationEssentials
import Household
import Identity
import JSON

/// Which rules of a house are armed, and arming and disarming them without switching anything.
package struct ArmRules: Sendable {
    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    package func state() async throws -> ArmedState { try await ask("GET") }

    /// Arms what a scene arms; the scene itself does not run.
    package func arm(in scene: String) async throws -> ArmedState {
        try await ask("POST", body: .object(["scene": .string(scene)]))
    }

    /// Disarms all rules that are not always armed.
    package func disarm() async throws -> ArmedState { try await ask("DELETE") }

    private func ask(_ method: String, body: JSONValue? = nil) async throws -> ArmedState {
        do {
            return try ArmedState(try await link.ask(method, ["armed"], body: body))
        } catch HouseholdRefusal.refused(404, _, _) where method == "DELETE" {
            throw HouseholdRefusal.older(link.hub.name)
        }
    }
}

/// What is armed, as a hub says it.
package struct ArmedState: Equatable, Sendable {
    package struct Rule: Equatable, Sendable {
        package let name: String
        package let isArmed: Bool
        /// The scenes that arm it; nil: it is always armed.
        package let scenes: [String]?
    }

    /// In the hub's order.
    package let rules: [Rule]
    /// The scene that decides; nil: none does.
    package let scene: String?
    package let since: Date?
    /// The device through which it was decided.
    package let author: (device: String, name: String)?

    package static func == (one: ArmedState, other: ArmedState) -> Bool {
        (one.rules, one.scene, one.since) == (other.rules, other.scene, other.since)
            && one.author?.device == other.author?.device && one.author?.name == other.author?.name
    }

    init(_ members: [String: JSONValue]) throws {
        rules = try HouseholdLink.entries("rules", of: members) { value -> Rule? in
            guard let members = value.asObject, let name = members["name"]?.asString,
                case .boolean(let isArmed)? = members["armed"]
            else { return nil }
            return Rule(name: name, isArmed: isArmed, scenes: members["in"]?.asTexts)
        }
        scene = members["scene"]?.asString
        since = members["since"]?.asString.flatMap(Date.init(hubTime:))
        author = members["by"]?.asObject.map {
            ($0["device"]?.asString ?? "", $0["name"]?.asString ?? "")
        }
    }

    /// The rules that a scene has armed.
    package var armed: [Rule] { rules.filter { $0.isArmed && $0.scenes != nil } }

    /// The scenes that arm a rule, each once.
    package var scenes: [String] {
        var found: [String] = []
        for scene in rules.flatMap({ $0.scenes ?? [] }) where !found.contains(scene) { found.append(scene) }
        return found
    }
}
