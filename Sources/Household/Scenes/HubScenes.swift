package import Identity
import JSON
package import Pairing

/// The hub's file `scenes`. That of a computer has the same name, and another format (`Home.Scenes`).
///
///     [keyfile]
///     format=1
///
///     [scene Movie night]
///     at=sunset+30
///     days=fri sat
///     arms=["Front door"]
///     state.1={"activator":"6b4d5d","device":"6b4d5c","name":"Lamp: On/Off","state":true}
///
/// `at` is a ``SceneTime``, `days` are ``SceneDays``, `arms` is a JSON array of names of rules; each may be
/// missing, and without `at` there are no `days`. The states are numbered from 1 on without a gap; each is a
/// JSON object of the ids, the names of both for people, which may be missing, and the state: true, false or
/// a number. `made` and `changed`, each an ``AuthorMark``, may be missing. A scene's name is a
/// `PeerName(known:)` without brackets; no two have the same, whatever its
/// case.
///
/// Accepted: the above. Rejected: `at=25:00`, `days` without `at`, two states of one activator, another kind
/// of group, `format=2`.
package struct HubScenes: HouseholdFile, Equatable {
    package static let fileName = "scenes"
    package static let words = "the scenes"
    private static let kind = "scene"
    /// A house has a dozen. More would let a member fill the hub's memory and disk.
    package static let maximumCount = 1000

    /// The scenes in the file's order.
    package private(set) var scenes: [HubScene] = []
    package var file: KeyFile

    package init() {
        file = .empty(comment: "The scenes of this house; 'hubpair home scene' changes them.")
    }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        var names: Set<String> = []
        for text in try file.identifiers(of: HubScenes.kind) {
            let group = "\(HubScenes.kind) \(text)"
            guard let name = try? PeerName(known: text) else { throw .unknownGroup(group) }
            guard scenes.count < HubScenes.maximumCount else {
                throw .invalidValue(
                    "more than \(HubScenes.maximumCount) scenes", key: "state.1", group: group)
            }
            guard names.insert(HouseholdNames.folded(name)).inserted else {
                throw .invalidValue("another scene has this name", key: "state.1", group: group)
            }
            scenes.append(try HubScenes.scene(name, in: file, group: group))
        }
        try checkAuthors()
    }

    private static func scene(
        _ name: PeerName, in file: KeyFile, group: String
    ) throws(KeyFileError) -> HubScene {
        let pairs = file.pairs(in: group)
        let time = pairs["at"].map(SceneTime.init)
        if case .some(nil) = time { throw .invalidValue(SceneTime.rule, key: "at", group: group) }
        let days = pairs["days"].map { SceneDays($0) }
        if case .some(nil) = days { throw .invalidValue(SceneDays.rule, key: "days", group: group) }
        let scene = HubScene(
            name: name, states: try states(pairs, group: group), time: time ?? nil,
            days: (days ?? nil) ?? .all, arms: try file.names("arms", in: group))
        if let (key, reason) = scene.fault { throw .invalidValue(reason, key: key, group: group) }
        return scene
    }

    private static func states(
        _ pairs: [String: String], group: String
    ) throws(KeyFileError) -> [HubScene.State] {
        var states: [HubScene.State] = []
        while let text = pairs["state.\(states.count + 1)"] {
            guard let state = try? JSONReader.read(HubScene.State.self, from: Array(text.utf8)) else {
                throw .invalidValue("not a state in JSON", key: "state.\(states.count + 1)", group: group)
            }
            states.append(state)
        }
        return states
    }

    package var serialized: [UInt8] { file.serialized }

    /// The scene of this name, to the byte.
    package func scene(_ name: PeerName) -> HubScene? { scenes.first { $0.name == name } }

    /// Adds a scene, or changes the one of its name.
    package mutating func put(_ scene: HubScene) throws(HouseholdError) {
        _ = try HouseholdNames.newGroup(scene.name.description, of: .scene)
        for state in scene.states {
            if let reason = HouseholdNames.fault(ofDevice: state.device, activator: state.activator) {
                throw .badBody(reason)
            }
        }
        if let (key, reason) = scene.fault { throw .badBody("\(key): \(reason)") }
        let others = scenes.filter { $0.name != scene.name }
        for other in others where HouseholdNames.areSame(other.name, scene.name) {
            throw .nameInUse(.scene, other.name.description)
        }
        guard others.count < HubScenes.maximumCount else {
            throw .tooMany(.scene, limit: HubScenes.maximumCount)
        }
        let before = self.scene(scene.name)
        if let index = scenes.firstIndex(where: { $0.name == scene.name }) {
            scenes[index] = scene
        } else {
            scenes.append(scene)
        }
        let group = "\(HubScenes.kind) \(scene.name)"
        let states = scene.states.enumerated().map { ("state.\($0 + 1)", $1.json.text) }
        if before == nil { file.replaceGroup(group, with: states) }
        file.set("at", to: scene.time?.description, in: group)
        file.set("days", to: scene.days == .all ? nil : scene.days.description, in: group)
        file.set(names: scene.arms, for: "arms", in: group)
        guard let before else { return }
        for (key, text) in states { file.set(key, to: text, in: group) }
        for number in states.count..<max(states.count, before.states.count) {
            file.set("state.\(number + 1)", to: nil, in: group)
        }
    }

    /// Removes the scene of this name.
    package mutating func remove(_ name: PeerName) throws(HouseholdError) {
        guard let index = scenes.firstIndex(where: { $0.name == name }) else {
            throw .unknown(.scene, name.description)
        }
        scenes.remove(at: index)
        file.removeGroup("\(HubScenes.kind) \(name)")
    }
}

extension SceneTime {
    /// What is wrong with a refused text.
    static let rule = "neither HH:MM nor sunrise or sunset with up to 720 minutes (sunset-30)"
}

extension SceneDays {
    /// What is wrong with a refused text.
    static let rule = "not days like mon, tue or sun, each once at most"
}
