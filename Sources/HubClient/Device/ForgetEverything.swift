import Home
package import Identity
import Pairing

/// Forgets all that this device was told: its hubs and which is the default, its scenes, attempts to pair that are
/// under way. It keeps its key, by which hubs know it.
///
/// Everything is read before anything is written, so that a file that cannot be read stops it while all is there. The
/// hubs go last: if it is cut off in between, they are still there to be forgotten.
package struct ForgetEverything: Sendable {
    /// What there is to forget.
    package struct Memory: Equatable, Sendable {
        /// Paired hubs, then added ones.
        package let hubs: [PeerName]
        package let scenes: [PeerName]
        package let attempts: Int

        package var isEmpty: Bool { hubs.isEmpty && scenes.isEmpty && attempts == 0 }
    }

    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// What would be forgotten.
    package func memory() throws -> Memory {
        do {
            return try ForgetEverything.read(ProtectedDirectory(path: configuration.path)).memory
        } catch FileError.missing {
            return Memory(hubs: [], scenes: [], attempts: 0)
        }
    }

    /// Forgets it.
    ///
    /// - Returns: what was forgotten.
    package func callAsFunction() throws -> Memory {
        try ProtectedDirectory(path: configuration.path).withLock { directory in
            var (known, scenes, attempts, memory) = try ForgetEverything.read(directory)
            if !memory.scenes.isEmpty {
                for name in memory.scenes { scenes.remove(name) }
                try directory.replace(Scenes.fileName, with: scenes.serialized)
            }
            if memory.attempts > 0 {
                for attempt in attempts.attempts { attempts.end(attempt.ticket) }
                try directory.replace(PairAttempts.fileName, with: attempts.serialized)
            }
            if !memory.hubs.isEmpty {
                for hub in known.hubs { known.forget(hub.fingerprint) }
                for hub in known.added { known.forgetAdded(hub.name) }
                try directory.replace(KnownHubs.fileName, with: known.serialized)
            }
            return memory
        }
    }

    private static func read(
        _ directory: borrowing ProtectedDirectory
    ) throws -> (known: KnownHubs, scenes: Scenes, attempts: PairAttempts, memory: Memory) {
        let known = try KnownHubs(in: directory)
        let scenes = try KeepScenes.read(directory)
        let attempts =
            try directory.read(PairAttempts.fileName, PairAttempts.init(parsing:)) ?? PairAttempts()
        let memory = Memory(
            hubs: known.hubs.map(\.name) + known.added.map(\.name), scenes: scenes.scenes.map(\.name),
            attempts: attempts.attempts.count)
        return (known, scenes, attempts, memory)
    }
}
