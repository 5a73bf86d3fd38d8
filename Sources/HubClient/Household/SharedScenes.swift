package import FoundationEssentials
import Home
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
        let scenes = try await link.all(HubScene.self)
        guard scenes.allSatisfy(\.hasAllStates) else {
            throw ServerError.unreadable("an entry of scenes has another form")
        }
        return scenes
    }

    /// Keeps a scene, in place of one of the same name.
    package func put(_ scene: SharedScene) async throws { try await link.put(scene) }
    package func remove(_ name: String) async throws { try await link.remove(HubScene.self, name) }

    /// Runs a scene; returns when every order is confirmed, or given up.
    ///
    /// - Returns: what became of its states, and what the hub has to say beside.
    package func run(_ name: String) async throws -> (outcomes: [Outcome], note: String?) {
        let members = try await link.ask(
            "POST", ["scenes", name, "run"], isRepeatable: false, quiet: SharedScenes.runTime)
        let outcomes = try HouseholdLink.entries("states", of: members) { value -> Outcome? in
            guard let state = try? HubScene.State(value), let result = value.asObject?["result"]?.asString
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

/// A scene as a hub gives it.
package typealias SharedScene = SharedRecord<HubScene>

extension SharedScene {
    package init(name: String, states: [HubScene.State]) {
        self.init(id: name)
        self.states = states
    }

    package var name: String { id }
    package var states: [HubScene.State] {
        get {
            guard case .array(let values)? = self["states"] else { return [] }
            return values.compactMap { try? HubScene.State($0) }
        }
        set { self["states"] = .array(newValue.map(\.json)) }
    }
    /// False if this version cannot read a state: kept again, the scene would lose it.
    fileprivate var hasAllStates: Bool {
        if case .array(let values)? = self["states"] { values.count == states.count } else { false }
    }
    /// When it runs by itself: `07:30`, `sunset-20`; nil: never.
    package var time: String? {
        get { self["at"]?.asString }
        set { self["at"] = newValue.map(JSONValue.string) }
    }
    /// The days on which it does; nil: all.
    package var days: [String]? {
        get { self["days"]?.asTexts }
        set { self["days"] = newValue.map { .array($0.map(JSONValue.string)) } }
    }
    /// The rules that it arms.
    package var arms: [String]? {
        get { self["arms"]?.asTexts }
        set { self["arms"] = newValue.map { .array($0.map(JSONValue.string)) } }
    }
    /// When it has run last.
    package var ran: Date? { self["ran"]?.asString.flatMap(Date.init(hubTime:)) }
    /// When it runs by itself next.
    package var next: Date? { self["next"]?.asString.flatMap(Date.init(hubTime:)) }
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
