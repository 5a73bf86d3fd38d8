package import Backups
package import FoundationEssentials
package import Identity
package import Pairing
import PinnedTLS

/// What a hub needs to live on another machine: its identity, its devices, its settings, and what it keeps of
/// the household, messages and history included. No codes: they are void after a restore, so a stolen backup
/// and an old sheet of paper open nothing.
package struct HubBackup {
    /// The names in the archive are those in the state directory. These are in every backup.
    private static let required = HubFile.all(.always)
    /// These are if the hub has them.
    static let optional = HubFile.all(.ifThere)
    static var names: [String] { (required + optional).map(\.name) + [HouseholdFiles.database] }
    /// The most bytes of a backup: of its keyfiles and its database as large as they may be, and the rest.
    package static let maximumByteCount =
        (2 + optional.count) * ProtectedDirectory.maximumFileByteCount + HouseholdCopy.maximumByteCount
        + (1 << 20)

    /// The most bytes of one file in the archive.
    private static func limit(_ name: String) -> Int {
        name == HouseholdFiles.database
            ? HouseholdCopy.maximumByteCount : ProtectedDirectory.maximumFileByteCount
    }

    package let settings: HubSettings
    let identity: TLSIdentity
    /// The pin of the hub's key.
    package var pin: Pin { identity.pin }
    /// The key that the gates of its site are to have next.
    var next: TLSIdentity? { others[.nextKey].flatMap { TLSIdentity(keyPEM: $0) } }
    package internal(set) var devices: ApprovedDevices
    /// When it was made, in whole seconds.
    package let made: Date
    /// The files `hub` and `hub-certificate.pem` as they were.
    let settingsBytes: [UInt8]
    let certificate: [UInt8]
    /// Of the files that are not in every backup, those that there are.
    let others: [HubFile: [UInt8]]
    /// Messages, states and their history; nil if there are none, or ``databaseFault`` says why not.
    private(set) var database: [UInt8]?
    /// Why the hub's database is not in the backup, in words; nil if it is, or there is none.
    package private(set) var databaseFault: String?

    /// Reads the hub's files, every use of a code completed. Call it inside `withLock` of both.
    init(
        of directory: borrowing ProtectedDirectory, household place: borrowing ProtectedDirectory,
        at now: Date
    ) throws {
        settings = try HubState.hub(in: directory).settings
        settingsBytes = try directory.read(HubSettings.fileName) ?? settings.serialized
        identity = try HubState.existingIdentity(in: directory)
        devices = try HubState.completedDevices(in: directory).devices
        let stored = try directory.read(HubState.certificateFileName)
        certificate =
            if let stored, identity.isBorne(byCertificatePEM: stored) {
                stored
            } else {
                Array(try identity.hubCertificatePEM().utf8)
            }
        var others: [HubFile: [UInt8]] = [:]
        for file in HubBackup.optional {
            func checked(_ bytes: [UInt8]) throws(KeyFileError) -> [UInt8] {
                try file.check(bytes)
                return bytes
            }
            others[file] =
                file.isHouseholds
                ? try place.read(file.name, checked) : try directory.read(file.name, checked)
        }
        // What the hub does not use, for it is of no use, would spoil the backup.
        if !HubBackup.isBorne(others[.publicCertificate], by: identity, others[.oldKey]) {
            others[.publicCertificate] = nil
        }
        self.others = others
        made = now
    }

    /// Takes the database in; if it cannot be read, the rest is a backup without it. Call it outside
    /// `withLock`: it may take seconds.
    mutating func addDatabase(of directory: borrowing ProtectedDirectory) {
        do throws(HouseToolError) {
            let bytes = try HouseTool.run(
                ["copy", directory.path], maximum: HouseholdCopy.maximumByteCount)
            database = bytes.isEmpty ? nil : bytes
        } catch {
            databaseFault = describing(error)
        }
    }

    /// True if it is a certificate for a public name with the hub's key, or with the one before, or there is
    /// none.
    private static func isBorne(
        _ publicCertificate: [UInt8]?, by identity: TLSIdentity, _ oldKey: [UInt8]?
    ) -> Bool {
        guard let publicCertificate else { return true }
        let pins = [identity.pin] + [oldKey.flatMap { TLSIdentity(keyPEM: $0)?.pin }].compactMap(\.self)
        return pins.contains { (try? InstalledCertificate(publicCertificate, of: $0)) != nil }
    }

    /// Reads a backup whole before anything is done with it.
    package init(_ file: [UInt8], passphrase: String) throws(BackupError) {
        let content = try AgeFile.decrypt(file, passphrase: passphrase)
        guard
            let archive = TarArchive(
                parsing: content, names: HubBackup.names, limit: HubBackup.limit)
        else { throw .notHub("its content is another archive") }
        func bytes(_ name: String) throws(BackupError) -> [UInt8] {
            guard let file = archive.files.first(where: { $0.name == name }) else {
                throw .notHub("the file \(name) is missing in it")
            }
            return file.bytes
        }
        func parse<Content>(
            _ name: String, _ parse: ([UInt8]) throws(KeyFileError) -> Content
        ) throws(BackupError) -> Content {
            let bytes = try bytes(name)
            do {
                return try parse(bytes)
            } catch {
                throw .notHub("\(name) in it: \(error)")
            }
        }
        settings = try parse(HubSettings.fileName, HubSettings.init(parsing:))
        devices = try parse(ApprovedDevices.fileName, ApprovedDevices.init(parsing:))
        guard let identity = TLSIdentity(keyPEM: try bytes(HubState.keyFileName)) else {
            throw .notHub("\(HubState.keyFileName) in it holds no P-256 key")
        }
        certificate = try bytes(HubState.certificateFileName)
        guard identity.isBorne(byCertificatePEM: certificate) else {
            throw .notHub("the certificate in it is not of its key")
        }
        var others: [HubFile: [UInt8]] = [:]
        for file in HubBackup.optional where archive.files.contains(where: { $0.name == file.name }) {
            others[file] = try parse(file.name) { bytes throws(KeyFileError) in
                try file.check(bytes)
                return bytes
            }
        }
        for file in [HubFile.oldKey, .nextKey] {
            guard others[file].map({ TLSIdentity(keyPEM: $0) != nil }) ?? true else {
                throw .notHub("\(file.name) in it holds no P-256 key")
            }
        }
        guard HubBackup.isBorne(others[.publicCertificate], by: identity, others[.oldKey]) else {
            throw .notHub("\(PublicCertificate.fileName) in it is not of its key")
        }
        self.others = others
        database = archive.files.first { $0.name == HouseholdFiles.database }?.bytes
        guard database.map(HouseholdCopy.isCopy) ?? true else {
            throw .notHub("\(HouseholdFiles.database) in it is no database of a backup")
        }
        self.identity = identity
        settingsBytes = try bytes(HubSettings.fileName)
        made = archive.modified
    }

    /// The encrypted file.
    func encrypted(under passphrase: String, work: Int) throws -> [UInt8] {
        let contents = [settingsBytes, Array(identity.keyPEM.utf8), certificate, devices.serialized]
        var files = zip(HubBackup.required, contents).map { TarArchive.File(name: $0.name, bytes: $1) }
        for file in HubBackup.optional {
            if let bytes = others[file] { files.append(TarArchive.File(name: file.name, bytes: bytes)) }
        }
        if let database { files.append(TarArchive.File(name: HouseholdFiles.database, bytes: database)) }
        let archive = TarArchive(files, modified: made)
        return try AgeFile.encrypt(archive.serialized, passphrase: passphrase, work: work)
    }

    /// The devices that it lets in at the time `now`.
    package func admitted(at now: Date) -> [ApprovedDevice] {
        devices.devices.filter { $0.verdict(at: now) == .approved }
    }
}
