package import FoundationEssentials
import Glibc
package import Pairing
package import PinnedTLS

/// Where the hub's files are, and how they are read: each fault names its file.
package struct HubState: Sendable {
    /// The file with the hub's one lasting key.
    package static let keyFileName = "hub-key.pem"
    /// The file with the key that the hub had before, until its term is over.
    package static let oldKeyFileName = "hub-key-old.pem"
    /// The file with a key that the gates of a site are to have next.
    package static let nextKeyFileName = "hub-key-next.pem"
    /// The file with the certificate that carries the key in TLS.
    package static let certificateFileName = "hub-certificate.pem"

    /// The state directory's path.
    package let path: String
    package let choice: DirectoryChoice.Origin
    /// The command that is being run, without `--state`, for hints; each of its words is quoted.
    package let command: String
    /// The folder of the sockets between the gate and the house.
    package let sockets: String
    /// The site that the hub is a gate of.
    package let site = SiteHandle()

    /// The first of: `option`, `$HUBPAIR_STATE`, `/var/lib/hubpair` for root, `$XDG_STATE_HOME/hubpair`,
    /// `~/.local/state/hubpair`.
    package init(
        option: String?, environment: [String: String], isRoot: Bool, home: String,
        command: String = "hubpair"
    ) {
        self.command = command
        let directory = DirectoryChoice(
            option: option, variable: "HUBPAIR_STATE", system: isRoot ? HubOwner.machinePath : nil,
            base: "XDG_STATE_HOME", inHome: ".local/state", environment: environment, home: home)
        (path, choice) = (directory.path, directory.origin)
        sockets = environment["HUBPAIR_HOUSE"] ?? HubState.sharedSockets(path) ?? path
    }

    /// What a command needs to find the same directory: ` --state DIR` if it was given so, else nothing.
    package var argument: String { choice == .option ? " --state \(shellQuoted(path))" : "" }

    /// Opens the directory; a hub must be set up there.
    package func open() throws -> ProtectedDirectory {
        var directory: ProtectedDirectory
        do throws(FileError) {
            directory = try ProtectedDirectory(path: path)
        } catch {
            throw refusal(error)
        }
        directory.shared = try site.register(in: directory)
        return directory
    }

    /// True if the directory has a file of a hub, as far as this user can see. Without one no hub is set up
    /// there, whoever has made the directory.
    package var hasFiles: Bool {
        HubFile.allCases.contains { access("\(path)/\($0.name)", F_OK) == 0 || errno != ENOENT }
    }

    /// Makes the directory of a new hub. That of this machine becomes the service's, where the package has
    /// made a user for it.
    func make() throws(FileError) -> ProtectedDirectory {
        if geteuid() == 0, path == HubOwner.machinePath, let entry = getpwnam("hubpair"),
            DirectoryOwner.isService(entry.pointee.pw_uid), mkdir(path, 0o700) == 0
        {
            guard lchown(path, entry.pointee.pw_uid, entry.pointee.pw_gid) == 0 else {
                throw .system(errno, operation: "give away", path: path)
            }
        }
        return try ProtectedDirectory(path: path, create: true)
    }

    /// What the fault means for somebody who has a hub in mind.
    private func refusal(_ error: FileError) -> any Error {
        switch error {
        case .missing:
            return machines.map { HubError.elsewhere(directory: path, $0, command: command) }
                ?? HubError.notSetUp(directory: path)
        case .otherOwner, .system(EACCES, _, _), .system(EPERM, _, _):
            guard let owner = HubOwner(of: path), owner.user != geteuid() else { return error }
            return HubError.foreign(owner, command: command)
        default: return error
        }
    }

    /// This machine's hub, if it is another than this user's, who has not named a directory.
    package var machines: HubOwner? {
        guard choice == .standard, path != HubOwner.machinePath else { return nil }
        return HubOwner(of: HubOwner.machinePath)
    }

    /// Refuses to make a second hub beside this machine's, unless the user names a place for it.
    package func checkIsForNewHub() throws {
        guard let machines, access(path, F_OK) != 0 else { return }
        throw HubError.machineHasHub(machines, own: path, command: command)
    }

    package static func settings(in directory: borrowing ProtectedDirectory) throws -> HubSettings? {
        try directory.read(HubSettings.fileName, HubSettings.init(parsing:))
    }

    /// The ways from outside; none if the file is missing.
    package static func ways(in directory: borrowing ProtectedDirectory) throws -> HubWays {
        try directory.read(HubWays.fileName, HubWays.init(parsing:)) ?? HubWays()
    }

    /// The web services; none if the file is missing.
    package static func services(in directory: borrowing ProtectedDirectory) throws -> WebServices {
        try directory.read(WebServices.fileName, WebServices.init(parsing:)) ?? WebServices()
    }

    /// The servers that have joined the house; none if the file is missing.
    package static func joined(in directory: borrowing ProtectedDirectory) throws -> JoinedServers {
        try directory.read(JoinedServers.fileName, JoinedServers.init(parsing:)) ?? JoinedServers()
    }

    package static func devices(in directory: borrowing ProtectedDirectory) throws -> ApprovedDevices? {
        try directory.read(ApprovedDevices.fileName, ApprovedDevices.init(parsing:))
    }

    package static func tickets(in directory: borrowing ProtectedDirectory) throws -> Tickets? {
        try directory.read(Tickets.fileName, Tickets.init(parsing:))
    }

    package static func attempts(in directory: borrowing ProtectedDirectory) throws -> FailedAttempts? {
        try directory.read(FailedAttempts.fileName, FailedAttempts.init(parsing:))
    }

    /// The hub's lasting key, or nil if there is none yet.
    package static func identity(in directory: borrowing ProtectedDirectory) throws -> TLSIdentity? {
        try identity(keyFileName, in: directory)
    }

    private static func identity(
        _ name: String, in directory: borrowing ProtectedDirectory
    ) throws -> TLSIdentity? {
        guard var bytes = try directory.read(name) else { return nil }
        defer { bytes.overwrite() }
        guard let identity = TLSIdentity(keyPEM: bytes) else {
            throw HubError.unreadableKey(path: directory.path(of: name))
        }
        return identity
    }

    /// The key that the hub had before, as long as it is served beside the one with the pin `pin`: its term
    /// is not over, and it names that one.
    package static func oldIdentity(
        before pin: Pin, in directory: borrowing ProtectedDirectory, at now: Date = Date()
    ) throws -> TLSIdentity? {
        let keys = try directory.read(HubKeys.fileName, HubKeys.init(parsing:))
        guard let statement = keys?.statement(naming: pin), now < statement.until,
            let old = try identity(oldKeyFileName, in: directory), old.pin == statement.old
        else { return nil }
        return old
    }

    /// The key that is to come next, whatever the site says of it; nil if there is none.
    static func nextIdentity(in directory: borrowing ProtectedDirectory) throws -> TLSIdentity? {
        try identity(nextKeyFileName, in: directory)
    }

    /// The key that is served beside the one with the pin `pin`, which it is to follow: every gate of the
    /// site shows it to who asks for it before it counts at one.
    package static func nextIdentity(
        after pin: Pin, in directory: borrowing ProtectedDirectory
    ) throws -> TLSIdentity? {
        guard let next = try nextIdentity(in: directory) else { return nil }
        let keys = try siteKeys(in: directory)
        let named = keys.prepared(after: pin)?.statement.new ?? keys.path(from: pin).last?.new
        return named == next.pin ? next : nil
    }

    /// How the keys of the site's hubs follow each other, as this gate's copy has it.
    package static func siteKeys(in directory: borrowing ProtectedDirectory) throws -> SiteKeys {
        try directory.read(SiteKeys.fileName, SiteKeys.init(parsing:)) ?? SiteKeys()
    }

    package static func siteGates(in directory: borrowing ProtectedDirectory) throws -> SiteGates {
        try directory.read(SiteGates.fileName, SiteGates.init(parsing:)) ?? SiteGates()
    }

    /// The lasting key of a hub that is set up: if it is gone, that is a loss, and no new one takes its
    /// place.
    package static func existingIdentity(
        in directory: borrowing ProtectedDirectory
    ) throws -> TLSIdentity {
        guard let identity = try identity(in: directory) else {
            throw HubError.missingKey(path: directory.path(of: keyFileName))
        }
        return identity
    }

    /// The devices and the codes, every use of a code completed. A hub whose `tickets` are missing has none
    /// out.
    static func completedDevices(
        in directory: borrowing ProtectedDirectory
    ) throws -> (devices: ApprovedDevices, isChanged: Bool) {
        var devices = try existing(ApprovedDevices.fileName, in: directory, ApprovedDevices.init(parsing:))
        let before = devices.pairings
        if let tickets = try tickets(in: directory) { _ = devices.complete(tickets) }
        return (devices, devices.pairings != before)
    }

    /// A keyfile that `setup` has made: if it is gone, that is a loss, and no empty one takes its place.
    static func existing<Content>(
        _ name: String, in directory: borrowing ProtectedDirectory,
        _ parse: ([UInt8]) throws(KeyFileError) -> Content
    ) throws -> Content {
        if let content = try directory.read(name, parse) { return content }
        guard try settings(in: directory) != nil else {
            throw HubError.notSetUp(directory: directory.path)
        }
        throw HubError.missingFile(
            path: directory.path(of: name), hasGoodBackup: directory.hasGoodBackup(name, parse))
    }

    /// Keeps room for what must be written on a full disk too: revocations, and that a code is void, by wrong
    /// proofs or by its owner.
    @discardableResult
    static func keepRoom(in directory: borrowing ProtectedDirectory) -> Bool {
        HubFile.allCases.filter(\.hasRoom).map { directory.keepRoom(for: $0.name) }.allSatisfy(\.self)
    }

    /// The hub's settings and identity; throws if it was never set up, or not to the end.
    package static func hub(
        in directory: borrowing ProtectedDirectory, at now: Date = Date()
    ) throws -> Hub {
        guard let settings = try settings(in: directory) else {
            throw HubError.notSetUp(directory: directory.path)
        }
        let pin = try existingIdentity(in: directory).pin
        let keys = try directory.read(HubKeys.fileName, HubKeys.init(parsing:)) ?? HubKeys()
        return Hub(
            settings: settings, pin: pin, statePath: directory.path, statement: keys.statement(naming: pin),
            since: keys.since(pin), past: keys.past(of: pin),
            old: try oldIdentity(before: pin, in: directory, at: now)?.pin,
            next: try nextIdentity(after: pin, in: directory)?.pin)
    }
}

/// A hub that is set up.
package struct Hub: Equatable, Sendable {
    package let settings: HubSettings
    /// The pin of its key.
    package let pin: Pin
    package let statePath: String
    /// By which the key before names this one; nil for a hub's first key, and after a loss.
    package let statement: KeyStatement?
    /// When the key came; nil if it is the first.
    package let since: Date?
    /// The keys before it, the latest first, as far back as each names the next.
    package let past: [Pin]
    /// The key before it, as long as that is served too.
    package let old: Pin?
    /// The key that is to come next at the gates of a site, if this gate has it.
    package let next: Pin?

    package init(
        settings: HubSettings, pin: Pin, statePath: String, statement: KeyStatement? = nil,
        since: Date? = nil, past: [Pin] = [], old: Pin? = nil, next: Pin? = nil
    ) {
        (self.settings, self.pin, self.statePath) = (settings, pin, statePath)
        (self.statement, self.since, self.past) = (statement, since, past)
        (self.old, self.next) = (old, next)
    }

    /// The key that is shown to who asks for it: the next one, or else the one before.
    package var other: Pin? { next ?? old }

    /// The first of its keys, by which the gates of a site know which of them are one hub.
    package var root: Pin { past.last ?? pin }

    /// What everybody is told of it.
    package var description: HubDescription { description(of: pin) }

    /// The same on a connection on which it has shown the key with the pin `pin`.
    package func description(of pin: Pin) -> HubDescription {
        HubDescription(name: settings.name, id: pin.fingerprint)
    }
}
