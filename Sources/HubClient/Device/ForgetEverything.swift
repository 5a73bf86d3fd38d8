package import Identity
import Pairing

/// Forgets all that this computer was told: its hubs and the default among them, and attempts to pair that
/// have not ended. The device keeps its key, because hubs know it by that key.
///
/// Everything is read before anything is written, so that an unreadable file stops it before a change. The
/// hubs are written last: after an interruption they are still there to be forgotten.
package struct ForgetEverything: Sendable {
    /// What there is to forget.
    package struct Memory: Equatable, Sendable {
        /// Paired hubs, then added ones.
        package let hubs: [PeerName]
        package let attempts: Int

        package var isEmpty: Bool { hubs.isEmpty && attempts == 0 }
    }

    private let configuration: DeviceConfiguration

    package init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// What would be forgotten.
    package func memory() throws -> Memory {
        do {
            let directory = try ProtectedDirectory(path: configuration.path)
            return try ForgetEverything.memory(of: KnownHubsFile.read(in: directory), directory)
        } catch FileError.missing {
            return Memory(hubs: [], attempts: 0)
        }
    }

    /// Forgets it.
    ///
    /// - Returns: what was forgotten.
    package func forget() throws -> Memory {
        try KnownHubsFile(in: configuration).change { known, directory in
            let memory = try ForgetEverything.memory(of: known, directory)
            try PairFiles.changeAttempts(in: directory) { attempts in
                for attempt in attempts.attempts { attempts.end(attempt.ticket) }
            }
            for hub in known.hubs { known.forget(hub.fingerprint) }
            for hub in known.added { known.forgetAdded(hub.name) }
            return memory
        }
    }

    private static func memory(
        of known: KnownHubs, _ directory: borrowing ProtectedDirectory
    ) throws -> Memory {
        Memory(
            hubs: known.hubs.map(\.name) + known.added.map(\.name),
            attempts: try PairFiles.attempts(in: directory).attempts.count)
    }
}
