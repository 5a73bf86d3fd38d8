package import Household
package import Identity
import JSON
import Pairing

/// The device's file `scenes`, in which hubpair 0.1 kept scenes of its own. Nothing is added to it any more;
/// a scene that a hub has taken over is taken out.
///
///     [keyfile]
///     format=1
///
///     [scene evening]
///     hub=K7QF-2M9D-X0TW-8RHC
///     state.1={"activator":"6b4b","device":"6b4d","name":"Lamp: On/Off","state":true}
///
/// `hub` is a paired hub's fingerprint; of a stock hub `stock` is its name instead. The states are numbered
/// from 1 on without a gap.
///
/// Rejected: a state that is no such object, a `hub` that is no fingerprint, another kind of group.
package struct OldScenes: Sendable {
    package struct Scene: Equatable, Sendable {
        package let name: PeerName
        /// Nil: it is of a stock hub.
        package let hub: Fingerprint?
        package let states: [HubScene.State]
    }

    private static let fileName = "scenes"
    private static let kind = "scene "

    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    package var path: String { "\(configuration.path)/\(OldScenes.fileName)" }

    /// The scenes in the file's order; none if there is no file.
    package func all() throws -> [Scene] {
        do {
            return try ProtectedDirectory(path: configuration.path)
                .read(OldScenes.fileName, OldScenes.scenes(parsing:)) ?? []
        } catch FileError.missing {
            return []
        }
    }

    /// The same; none if it cannot be read, either.
    package var found: [Scene] { (try? all()) ?? [] }

    /// Takes a scene out of the file. The file before stays as `scenes.bak`.
    package func remove(_ name: PeerName) throws {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            guard var file = try directory.read(OldScenes.fileName, KeyFile.init(parsing:)) else { return }
            file.removeGroup(OldScenes.kind + name.description)
            try directory.replace(OldScenes.fileName, with: file.serialized)
        }
    }

    static func scenes(parsing bytes: [UInt8]) throws(KeyFileError) -> [Scene] {
        let file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        var scenes: [Scene] = []
        for group in file.groupNames where group != "keyfile" {
            guard group.hasPrefix(kind), let name = try? PeerName(known: String(group.dropFirst(kind.count)))
            else { throw .unknownGroup(group) }
            let pairs = file.pairs(in: group)
            let hub = pairs["hub"].flatMap { Fingerprint($0) }
            guard (hub == nil) == (pairs["hub"] == nil) else {
                throw .invalidValue("not a fingerprint", key: "hub", group: group)
            }
            var states: [HubScene.State] = []
            while let text = pairs["state.\(states.count + 1)"] {
                guard let json = JSONValue(parsing: Array(text.utf8)), let state = try? HubScene.State(json)
                else {
                    throw .invalidValue("not a state in JSON", key: "state.\(states.count + 1)", group: group)
                }
                states.append(state)
            }
            scenes.append(Scene(name: name, hub: hub, states: states))
        }
        return scenes
    }
}
