package import FoundationEssentials
package import Household
import Identity
import JSON

/// The scenes that a hub keeps for everybody in the house.
package struct SharedScenes: Sendable {
    /// What became of one state of a scene that was run.
    package struct Outcome: Sendable {
        package let state: HubScene.State
        /// `confirmed`, `unconfirmed`, `missing`, `failed`, or a word of a newer hub's.
        package let result: String
        package let message: String?
    }

    /// The hub waits 30 s for its appliances.
    private static let runTime = Duration.seconds(60)

    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    package func all() async throws -> [SharedScene] {
        try await link.changeable("scenes", by: "name", SharedScene.init)
    }

    /// Keeps a scene, in place of one of the same name.
    package func put(_ scene: SharedScene) async throws {
        _ = try await link.ask("PUT", ["scenes", scene.name], body: scene.json)
    }

    package func remove(_ name: String) async throws {
        _ = try await link.ask("DELETE", ["scenes", name])
    }

    /// Runs a scene; returns when every order is confirmed, or given up.
    ///
    /// - Returns: what became of its states, and what the hub has to say beside.
    package func run(_ name: String) async throws -> (outcomes: [Outcome], note: String?) {
        let members = try await link.ask(
            "POST", ["scenes", name, "run"], isRepeatable: false, quiet: SharedScenes.runTime)
        let outcomes = try HouseholdLink.entries("states", of: members) { value -> Outcome? in
            guard let state = SharedScene.state(value), let result = value.asObject?["result"]?.asString
            else { return nil }
            return Outcome(state: state, result: result, message: value.asObject?["message"]?.asString)
        }
        return (outcomes, members["note"]?.asString)
    }

    /// The scenes that the house is in now, the one that has run last first.
    package func current() async throws -> [String] {
        try await link.list("matching", ["scenes", "current"], \.asString)
    }
}

/// A scene as a hub gives it. Apart from Household's `HubScene`, which refuses what it does not know: what a
/// newer hub may write otherwise is text here.
package struct SharedScene: Equatable, Sendable {
    package var name: String
    package var states: [HubScene.State]
    /// When it runs by itself: `07:30`, `sunset-20`; nil: never.
    package var time: String?
    /// The days on which it does; nil: all.
    package var days: [String]?
    /// The rules that it arms.
    package var arms: [String]?
    /// When it has run last.
    package var ran: Date?
    /// When it runs by itself next.
    package var next: Date?
    package var authors = Authors()

    package init(name: String, states: [HubScene.State]) { (self.name, self.states) = (name, states) }

    init?(_ value: JSONValue) {
        guard let members = value.asObject, let name = members["name"]?.asString,
            case .array(let values)? = members["states"]
        else { return nil }
        let states = values.compactMap(SharedScene.state)
        guard states.count == values.count else { return nil }
        self.init(name: name, states: states)
        (time, days, arms) = (members["at"]?.asString, members["days"]?.texts, members["arms"]?.texts)
        ran = members["ran"]?.asString.flatMap(Date.init(hubTime:))
        next = members["next"]?.asString.flatMap(Date.init(hubTime:))
        authors = Authors(members)
    }

    static func state(_ value: JSONValue) -> HubScene.State? {
        guard let members = value.asObject, let device = members["device"]?.asString,
            let activator = members["activator"]?.asString, let state = members["state"]
        else { return nil }
        return HubScene.State(
            device: device, activator: activator, name: members["name"]?.asString, state: state)
    }

    /// The body of the request that keeps it.
    var json: JSONValue {
        var members: [String: JSONValue] = ["states": .array(states.map(\.json))]
        members["at"] = time.map(JSONValue.string)
        members["days"] = days.map { .array($0.map(JSONValue.string)) }
        members["arms"] = arms.map { .array($0.map(JSONValue.string)) }
        return .object(members)
    }
}

extension JSONValue {
    /// The texts of an array; nil for other types.
    var texts: [String]? {
        if case .array(let values) = self { values.compactMap(\.asString) } else { nil }
    }
}

extension Date {
    /// A time as a hub writes it, with milliseconds or without: `2026-11-21T10:22:03.123Z`.
    init?(hubTime text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            self.init(timestamp: text)
            return
        }
        guard parts[1].utf8.count == 4, parts[1].hasSuffix("Z"),
            let milliseconds = Int(digits: String(parts[1].dropLast())),
            let whole = Date(timestamp: parts[0] + "Z")
        else { return nil }
        self = whole.addingTimeInterval(Double(milliseconds) / 1000)
    }
}
