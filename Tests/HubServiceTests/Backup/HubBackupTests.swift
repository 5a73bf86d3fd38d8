import Backups
import FoundationEssentials
import Home
import Household
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// A hub on one machine, and what comes of its backup on another.
@Suite struct HubBackupTests {
    private let directory =
        FileManager.default.temporaryDirectory.path() + "hubpair-backup-" + UUID().uuidString
    private let phone = TLSIdentity.random()

    private func state(_ name: String) -> HubState {
        HubState(option: "\(directory)/\(name)", environment: [:], isRoot: false, home: "/")
    }

    /// A hub with an approved phone, a revoked tablet, and a code that is out.
    private func makeHub(_ state: HubState, name: String = "Kitchen") throws {
        _ = try SetUpHub(.init(), defaultName: PeerName(name), state: state).run()
        try state.open().withLock { directory in
            var devices = try #require(try HubState.devices(in: directory))
            devices.insert(ApprovedDevice(name: try PeerName("Phone"), pin: phone.pin, status: .approved))
            devices.insert(
                ApprovedDevice(name: try PeerName("Tablet"), pin: TLSIdentity.random().pin, status: .revoked))
            try directory.replace(ApprovedDevices.fileName, with: devices.serialized)
        }
        _ = try IssueCode(.once, lifetime: 600, state: state, now: Date()).run(
            addressHint: { _ in nil }, draw: { _, _ in }, handOut: {})
    }

    @Test func comesBackAsItWasButForCodes() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, new) = (state("old"), state("new"))
        try makeHub(old)
        let (file, _) = try BackUpHub(state: old, work: 2).run(passphrase: "p")
        let backup = try HubBackup(file, passphrase: "p")
        try RestoreHub(backup, state: new, replacing: false).run()
        for name in HubBackup.names {
            #expect(try old.open().read(name) == new.open().read(name), "\(name)")
        }
        #expect(try #require(try HubState.tickets(in: new.open())).tickets.isEmpty)
        #expect(try !#require(try HubState.tickets(in: old.open())).tickets.isEmpty)
        #expect(backup.admitted(at: Date()).map(\.pin) == [phone.pin])
        #expect(throws: BackupError.hubExists(directory: new.path)) {
            try RestoreHub(backup, state: new, replacing: false).run()
        }
    }

    @Test func theHouseholdComesWithIt() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, new) = (state("old"), state("new"))
        try makeHub(old)
        try makeHub(new)
        var rooms = Rooms()
        try rooms.put(Room(id: "kitchen", name: "Kitchen", devices: ["6b"]))
        try old.open().replace(Rooms.fileName, with: rooms.serialized)
        try new.open().replace(HubScenes.fileName, with: HubScenes().serialized)
        let (file, _) = try BackUpHub(state: old, work: 2).run(passphrase: "p")
        try RestoreHub(HubBackup(file, passphrase: "p"), state: new, replacing: true).run()
        #expect(try new.house.open().read(Rooms.fileName) == rooms.serialized)
        #expect(try new.open().read(HubScenes.fileName) == nil)
        // One that cannot be read is no backup.
        try old.open().replace(Rules.fileName, with: Array("junk".utf8))
        #expect(throws: UnreadableKeyFile.self) { try BackUpHub(state: old, work: 2).run(passphrase: "p") }
    }

    /// Before the hub serves.
    @Test func aDeviceIsKeptOut() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try makeHub(state("old"))
        let (file, _) = try BackUpHub(state: state("old"), work: 2).run(passphrase: "p")
        try RestoreHub(HubBackup(file, passphrase: "p"), state: state("new"), replacing: false).run()
        _ = try AdministerDevices(state: state("new")).revoke(PeerSelector("Phone"))
        let devices = try #require(try HubState.devices(in: state("new").open()))
        #expect(devices.verdict(for: phone.pin, at: Date()) == .revoked)
    }

    /// Whichever file a restore did not come to, no hub is set up, and the same restore completes it.
    @Test func oneThatIsCutShortLeavesNoHub() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, new) = (state("old"), state("new"))
        try makeHub(old)
        let backup = try HubBackup(BackUpHub(state: old, work: 2).run(passphrase: "p").file, passphrase: "p")
        let order = [
            Tickets.fileName, ApprovedDevices.fileName, HubState.certificateFileName, HubState.keyFileName,
            HubSettings.fileName,
        ]
        for done in 0..<order.count {
            try? FileManager.default.removeItem(atPath: new.path)
            try makeHub(new, name: "Other")
            try RestoreHub(backup, state: new, replacing: true).run()
            for name in order[done...] { try FileManager.default.removeItem(atPath: "\(new.path)/\(name)") }
            #expect(throws: HubError.self) { try HubState.hub(in: new.open()) }
            try RestoreHub(backup, state: new, replacing: true).run()
            #expect(try HubState.hub(in: new.open()).pin == backup.identity.pin)
        }
    }

    /// An archive that age opens, and in which one thing is not a hub's.
    @Test func foreignContentsAreRefused() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try makeHub(state("old"))
        let (file, _) = try BackUpHub(state: state("old"), work: 2).run(passphrase: "p")
        let content = try AgeFile.decrypt(file, passphrase: "p")
        let archive = try #require(
            TarArchive(
                parsing: content, names: HubBackup.names,
                limit: { _ in ProtectedDirectory.maximumFileByteCount }))
        func isRefused(_ files: [TarArchive.File]) throws -> Bool {
            let other = TarArchive(files, modified: archive.modified).serialized
            let file = try AgeFile.encrypt(other, passphrase: "p", work: 2)
            do {
                _ = try HubBackup(file, passphrase: "p")
                return false
            } catch {
                if case .notHub = error { return true }
                return false
            }
        }
        #expect(try !isRefused(archive.files))
        for index in archive.files.indices {
            var files = archive.files
            files.remove(at: index)
            #expect(try isRefused(files), "without \(archive.files[index].name)")
            for bytes in [[], Array("junk".utf8), [0, 255, 254]] {
                files = archive.files
                files[index] = TarArchive.File(name: files[index].name, bytes: bytes)
                #expect(try isRefused(files), "\(files[index].name)")
            }
        }
        var stranger = archive.files
        let key = try #require(stranger.firstIndex { $0.name == HubState.keyFileName })
        stranger[key] = TarArchive.File(
            name: HubState.keyFileName, bytes: Array(TLSIdentity.random().keyPEM.utf8))
        #expect(try isRefused(stranger))
        #expect(try isRefused(archive.files + [TarArchive.File(name: "../evil", bytes: [1])]))
    }
}
