package import Home
package import Identity
import Pairing

/// The scenes that this computer keeps. Each change is one step on their file.
package struct KeepScenes: Sendable {
    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// All scenes, in the file's order.
    package func all() throws -> [Scene] {
        do {
            return try KeepScenes.read(ProtectedDirectory(path: configuration.path)).scenes
        } catch FileError.missing {
            return []
        }
    }

    /// The scene of this name.
    package func find(_ name: PeerName) throws -> Scene {
        let scenes = try all()
        guard let scene = scenes.first(where: { $0.name == name }) else {
            throw SceneError.unknown(name, near: KeepScenes.near(name, scenes))
        }
        return scene
    }

    /// Adds a scene, or replaces the one of the same name. One without states is refused.
    ///
    /// - Returns: true if it replaced one.
    package func save(_ scene: Scene) throws -> Bool {
        guard !scene.states.isEmpty else { throw SceneError.empty }
        return try ProtectedDirectory(path: configuration.path, create: true).withLock { directory in
            try KeepScenes.change(in: directory) { scenes in
                let isReplaced = scenes.scene(scene.name) != nil
                try scenes.insert(scene)
                return isReplaced
            }
        }
    }

    /// Forgets the scene of this name.
    package func remove(_ name: PeerName) throws {
        _ = try find(name)
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            try KeepScenes.change(in: directory) { scenes in
                guard scenes.scene(name) != nil else { throw SceneError.unknown(name, near: []) }
                scenes.remove(name)
            }
        }
    }

    /// The scenes in the file of this directory; none if the file is missing.
    static func read(_ directory: borrowing ProtectedDirectory) throws -> Scenes {
        try directory.read(Scenes.fileName, Scenes.init(parsing:)) ?? Scenes()
    }

    /// Reads, changes and, if something has changed, replaces the file. Call it under the directory's lock.
    static func change<Result>(
        in directory: borrowing ProtectedDirectory, _ body: (inout Scenes) throws -> Result
    ) throws -> Result {
        let before = try read(directory)
        var scenes = before
        let result = try body(&scenes)
        if scenes != before { try directory.replace(Scenes.fileName, with: scenes.serialized) }
        return result
    }

    private static func near(_ name: PeerName, _ scenes: [Scene]) -> [String] {
        Orthography.suggestions(for: name.description, among: scenes.map(\.name.description))
    }
}
