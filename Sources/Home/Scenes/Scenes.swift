package import Identity
import JSON
package import Pairing

/// The device's file `scenes`.
///
///     [keyfile]
///     format=1
///
///     [scene evening]
///     hub=K7QF-2M9D-X0TW-8RHC
///     state.1={"activator":"6b4b","device":"6b4d","name":"Lamp: On/Off","state":true}
///
/// A scene's name is a `PeerName(known:)` without brackets. `hub` is a paired hub's
/// fingerprint; of a stock hub `stock` is the name instead. The states are numbered from 1 on without a gap;
/// each is a JSON object of the ids, the names for people, and the state as the server wrote it.
///
/// Accepted: the above. Rejected: a scene with neither or both of `hub` and `stock`, `state.1` that is no
/// such object, another kind of group, `format=2`.
package struct Scenes: Equatable, Sendable {
    package static let fileName = "scenes"
    private static let kind = "scene"
    /// A hub with a thousand appliances stays below it.
    package static let maximumStateCount = 10_000
    /// The most bytes of a state: ids and names come from the server, with any length.
    package static let maximumStateByteCount = 4_096

    /// The scenes in the file's order.
    package private(set) var scenes: [Scene] = []
    private var file: KeyFile

    package init() { file = .empty(comment: "The scenes of this computer; see 'hubpair home scene'.") }

    package init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        for group in file.groupNames where group != "keyfile" {
            guard group.hasPrefix(Scenes.kind + " "),
                let name = try? PeerName(known: String(group.dropFirst(Scenes.kind.count + 1)))
            else { throw .unknownGroup(group) }
            let pairs = file.pairs(in: group)
            scenes.append(
                Scene(
                    name: name, hub: try Scenes.hub(pairs, group: group),
                    states: try Scenes.states(pairs, group: group)))
        }
    }

    private static func hub(_ pairs: [String: String], group: String) throws(KeyFileError) -> Scene.Hub {
        switch (pairs["hub"], pairs["stock"]) {
        case (let text?, nil):
            guard let fingerprint = Fingerprint(text) else {
                throw .invalidValue("not a fingerprint", key: "hub", group: group)
            }
            return .paired(fingerprint)
        case (nil, let text?):
            guard let name = try? PeerName(known: text) else {
                throw .invalidValue("not a name", key: "stock", group: group)
            }
            return .stock(name)
        case (nil, nil): throw .missingKey("hub", group: group)
        case (_?, _?): throw .invalidValue("a scene has a hub or a stock hub", key: "stock", group: group)
        }
    }

    private static func states(_ pairs: [String: String], group: String) throws(KeyFileError) -> [Scene.State]
    {
        var states: [Scene.State] = []
        while let text = pairs["state.\(states.count + 1)"] {
            let key = "state.\(states.count + 1)"
            guard states.count < maximumStateCount else {
                throw .invalidValue("more than \(maximumStateCount) states", key: key, group: group)
            }
            guard text.utf8.count <= maximumStateByteCount,
                let state = try? JSONReader.read(Scene.State.self, from: Array(text.utf8))
            else { throw .invalidValue("not a state in JSON", key: key, group: group) }
            states.append(state)
        }
        return states
    }

    /// The bytes of the file: what was read, with the changes.
    package var serialized: [UInt8] { file.serialized }

    /// The scene of this name, to the byte.
    package func scene(_ name: PeerName) -> Scene? { scenes.first { $0.name == name } }

    /// Adds a scene, in place of one of the same name.
    package mutating func insert(_ scene: Scene) throws(SceneError) {
        guard !scene.name.description.contains(where: { $0 == "[" || $0 == "]" }) else {
            throw .badName(scene.name)
        }
        guard scene.states.count <= Scenes.maximumStateCount else { throw .tooManyStates(scene.states.count) }
        var pairs: [(key: String, value: String)] =
            switch scene.hub {
            case .paired(let fingerprint): [("hub", fingerprint.description)]
            case .stock(let name): [("stock", name.description)]
            }
        for (index, state) in scene.states.enumerated() {
            let text = state.json.text
            guard text.utf8.count <= Scenes.maximumStateByteCount else { throw .stateTooLong(state.name) }
            pairs.append(("state.\(index + 1)", text))
        }
        file.replaceGroup(Scenes.group(scene.name), with: pairs)
        scenes.removeAll { $0.name == scene.name }
        scenes.append(scene)
    }

    /// Removes the scene of this name.
    package mutating func remove(_ name: PeerName) {
        file.removeGroup(Scenes.group(name))
        scenes.removeAll { $0.name == name }
    }

    /// Gives the scenes of a stock hub to its new name.
    package mutating func rename(stock name: PeerName, to newName: PeerName) {
        for (index, scene) in scenes.enumerated() where scene.hub == .stock(name) {
            scenes[index] = Scene(name: scene.name, hub: .stock(newName), states: scene.states)
            file.set("stock", to: newName.description, in: Scenes.group(scene.name))
        }
    }

    private static func group(_ name: PeerName) -> String { "\(kind) \(name)" }
}

/// Why a scene cannot be found, saved or used.
package enum SceneError: Equatable, UserError {
    /// No scene has the name; similar names.
    case unknown(PeerName, near: [String])
    /// The name has brackets, which would end the name of a group in the file.
    case badName(PeerName)
    case tooManyStates(Int)
    /// A state takes more than `Scenes.maximumStateByteCount` bytes.
    case stateTooLong(String)
    /// The hub has nothing that can be set.
    case empty
    /// The hub of the scene is not known any more.
    case hubIsGone(PeerName, Scene.Hub)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .unknown(let name, _): "no scene is called \"\(name)\""
        case .badName: "the name of a scene holds no brackets"
        case .tooManyStates(let count):
            "a scene of \(count) states is too large; at most \(Scenes.maximumStateCount) are kept"
        case .stateTooLong(let name): "the state of \(quoted(name)) is too long for a scene"
        case .empty: "there is nothing on this hub that can be set"
        case .hubIsGone(let name, _): "this computer does not know the hub of the scene \"\(name)\" any more"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .unknown: .notFound
        case .hubIsGone: .configuration
        case .badName, .tooManyStates, .stateTooLong, .empty: .usage
        }
    }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .unknown(_, let near):
            near.isEmpty
                ? "'hubpair home scene list' lists the scenes"
                : "did you mean " + near.map(quoted).joined(separator: " or ") + "?"
        case .badName: "choose another name"
        case .tooManyStates, .stateTooLong, .empty: nil
        case .hubIsGone(_, .paired): "pair with it again, or remove the scene"
        case .hubIsGone(_, .stock(let hub)):
            "add it again as \"\(hub)\" with 'hubpair hubs add', or remove the scene"
        }
    }
}
