package import Pairing

/// The device's keyfile `known-hubs` on disk: the one place that reads, locks and replaces it.
struct KnownHubsFile: Sendable {
    private let path: String

    init(in configuration: DeviceConfiguration) { path = configuration.path }

    /// The hubs in the file; none if the file or its directory is missing.
    func read() throws -> KnownHubs {
        do {
            return try KnownHubsFile.read(in: ProtectedDirectory(path: path))
        } catch FileError.missing {
            return KnownHubs()
        }
    }

    /// Reads the file, lets `body` change its hubs, and replaces it, as one step under the directory's lock.
    ///
    /// The file is written after `body` has returned, and only if it has changed something. Other files that
    /// `body` writes in the directory are therefore written first.
    ///
    /// - Parameter createsDirectory: make the directory if it is missing; else a missing one is an error.
    func change<Result>(
        createsDirectory: Bool = false,
        _ body: (inout KnownHubs, borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        try ProtectedDirectory(path: path, create: createsDirectory).withLock { directory in
            try KnownHubsFile.change(in: directory) { known in try body(&known, directory) }
        }
    }

    /// The same in a directory whose lock is held, for changes of several files in one step.
    static func change<Result>(
        in directory: borrowing ProtectedDirectory, _ body: (inout KnownHubs) throws -> Result
    ) throws -> Result {
        let before = try read(in: directory)
        var known = before
        let result = try body(&known)
        guard known != before else { return result }
        try directory.replace(KnownHubs.fileName, with: known.serialized)
        ApplianceNames.forgetHubs(notIn: known, in: directory)
        return result
    }

    /// The hubs in the file of this directory; none if the file is missing.
    static func read(in directory: borrowing ProtectedDirectory) throws -> KnownHubs {
        try directory.read(KnownHubs.fileName, KnownHubs.init(parsing:)) ?? KnownHubs()
    }
}

extension DeviceConfiguration {
    /// The hubs that this computer knows; none if there is no file yet.
    package func knownHubs() throws -> KnownHubs { try KnownHubsFile(in: self).read() }
}
