import FoundationEssentials
package import Identity
package import Pairing

/// How a hub's devices were at a moment, to be had again.
package struct Scene: Equatable, Sendable {
    /// One activator's state.
    package struct State: Equatable, Sendable, Codable {
        /// The device's id.
        package let device: String
        /// The activator's id.
        package let activator: String
        /// What the two were called when the scene was saved, for messages.
        package let name: String
        package let state: JSONValue

        package init(device: String, activator: String, name: String, state: JSONValue) {
            self.device = device
            self.activator = activator
            self.name = name
            self.state = state
        }
    }

    package let name: PeerName
    /// The fingerprint of the hub that it is of.
    package let hub: Fingerprint
    package let states: [State]

    package init(name: PeerName, hub: Fingerprint, states: [State]) {
        self.name = name
        self.hub = hub
        self.states = states
    }

    /// The scene of the devices as they are: every activator of a kind that can be set.
    package init(name: PeerName, hub: Fingerprint, devices: [ControlledDevice]) {
        let states = devices.flatMap { device in
            device.activators.compactMap { activator -> State? in
                guard activator.kind == .bool || activator.kind == .float else { return nil }
                return State(
                    device: device.id, activator: activator.id, name: "\(device.name): \(activator.name)",
                    state: activator.state)
            }
        }
        self.init(name: name, hub: hub, states: states)
    }
}

/// The device's file `scenes`.
///
///     [keyfile]
///     format=1
///
///     [scene evening]
///     hub=K7QF-2M9D-X0TW-8RHC
///     state.1={"activator":"6b4b","device":"6b4d","name":"Lamp: On/Off","state":true}
///
/// A scene's name is a `PeerName` without brackets. The states are numbered from 1 on without a gap; each is a JSON
/// object of the ids, the names for people, and the state as the server wrote it.
///
/// Accepted: the above. Rejected: a scene without `hub`, `state.1` that is no such object, another kind of group,
/// `format=2`.
package struct Scenes: Equatable, Sendable {
    package static let fileName = "scenes"
    private static let kind = "scene"
    /// A hub of a thousand devices stays below it.
    package static let maximumStateCount = 10_000

    /// The scenes in the file's order.
    package private(set) var scenes: [Scene] = []
    private var file: KeyFile

    package init() { file = .empty(comment: "The scenes of this device; see 'hubpair home scene'.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for group in file.groupNames where group != "keyfile" {
            guard group.hasPrefix(Scenes.kind + " "),
                let name = try? PeerName(String(group.dropFirst(Scenes.kind.count + 1)))
            else { throw .unknownGroup(group) }
            guard let hub = Fingerprint(try file.required("hub", in: group)) else {
                throw .invalidValue("not a fingerprint", key: "hub", group: group)
            }
            var states: [Scene.State] = []
            while let text = file.value("state.\(states.count + 1)", in: group) {
                let key = "state.\(states.count + 1)"
                guard states.count < Scenes.maximumStateCount else {
                    throw .invalidValue(
                        "more than \(Scenes.maximumStateCount) states", key: key, group: group)
                }
                guard let state = try? JSONDecoder().decode(Scene.State.self, from: Data(text.utf8)) else {
                    throw .invalidValue("not a state in JSON", key: key, group: group)
                }
                states.append(state)
            }
            scenes.append(Scene(name: name, hub: hub, states: states))
        }
    }

    /// The bytes of the file: what was read, but for what has been changed.
    package var serialized: [UInt8] { file.serialized }

    /// The scene of this name, to the byte.
    package func scene(_ name: PeerName) -> Scene? { scenes.first { $0.name == name } }

    /// Adds a scene, in the place of one of the same name.
    package mutating func insert(_ scene: Scene) {
        let group = Scenes.group(scene.name)
        let before = self.scene(scene.name)?.states.count ?? 0
        file.set("hub", to: scene.hub.description, in: group)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for (index, state) in scene.states.enumerated() {
            // Strings and what was read from JSON can be written as JSON.
            let text = (try? encoder.encode(state)).map { String(decoding: $0, as: UTF8.self) }
            file.set("state.\(index + 1)", to: text, in: group)
        }
        for index in scene.states.count..<max(before, scene.states.count) {
            file.set("state.\(index + 1)", to: nil, in: group)
        }
        if let index = scenes.firstIndex(where: { $0.name == scene.name }) {
            scenes[index] = scene
        } else {
            scenes.append(scene)
        }
    }

    /// Removes the scene of this name.
    package mutating func remove(_ name: PeerName) {
        file.removeGroup(Scenes.group(name))
        scenes.removeAll { $0.name == name }
    }

    private static func group(_ name: PeerName) -> String { "\(kind) \(name)" }

    /// True if a scene may be called so: brackets end the name of a group.
    package static func isSceneName(_ name: PeerName) -> Bool {
        !name.description.contains { $0 == "[" || $0 == "]" }
    }
}
