import Backups
import Pairing
import PinnedTLS

/// Puts a backup into a state directory: the hub with its identity, its devices, its settings and
/// its household; no codes.
///
/// The settings come last, as `setup` writes them, and with ``replacing`` they go first, then the key: a
/// restore that is cut short leaves a directory in which no hub is set up, and the same command ends it.
package struct RestoreHub {
    private let backup: HubBackup
    private let state: HubState
    private let replacing: Bool
    private let joining: Bool

    /// - Parameters:
    ///   - replacing: whether a hub that is there may be replaced.
    ///   - joining: as one more gate of the site that the hub of the backup was a gate of.
    package init(_ backup: HubBackup, state: HubState, replacing: Bool, joining: Bool = false) {
        (self.backup, self.state, self.replacing, self.joining) = (backup, state, replacing, joining)
    }

    package func run() throws {
        var site: SiteSettings?
        if joining {
            guard let bytes = backup.others[.site] else { throw SiteError.backupWithoutSite }
            let settings = try SiteSettings(parsing: bytes).asOtherGate
            // Asked first, so that nothing is replaced in vain.
            let snapshot = try SiteRegister(EtcdStore(settings), settings).current()
            let keys = try snapshot.contents[SiteKeys.fileName].map(SiteKeys.init(parsing:)) ?? SiteKeys()
            if let last = keys.path(from: backup.pin).last, backup.next?.pin != last.new {
                throw KeyError.behind(last.new)
            }
            site = settings
        }
        try put(site)
        if joining { try ManageSite(state: state).enter() }
    }

    private func put(_ site: SiteSettings?) throws {
        let directory = try state.make()
        try directory.withLock { directory in
            let present = try [HubSettings.fileName, HubState.keyFileName, ApprovedDevices.fileName].filter {
                try directory.stamp(of: $0) != nil
            }
            guard present.isEmpty || replacing else { throw BackupError.hubExists(directory: state.path) }
            // Without settings nothing serves; without a key nothing can begin to, whatever else is there.
            for name in [HubSettings.fileName, HubState.keyFileName, FailedAttempts.fileName] {
                try directory.retire(name)
            }
            try directory.destroy(SiteSettings.fileName)
            for file in [SiteCopy.fileName, SiteKeys.fileName, HubState.nextKeyFileName] {
                try directory.destroy(file)
            }
            try directory.replace(Tickets.fileName, with: Tickets().serialized)
            try directory.replace(ApprovedDevices.fileName, with: backup.devices.serialized)
            try directory.replace(HubState.certificateFileName, with: backup.certificate)
            try directory.create(HubState.keyFileName, with: Array(backup.identity.keyPEM.utf8))
            // Of a hub of 0.1; the house would take them over.
            try state.retireOldHouseholds()
            try state.makeHouse(in: directory)
            for file in HubBackup.optional where !file.isHouseholds && file != .site {
                // A hub of its own has no next key.
                if file != .nextKey || site != nil { try put(file, in: directory) }
            }
            try state.house.open().withLock { house in
                for file in HubBackup.optional where file.isHouseholds { try put(file, in: house) }
                try HouseholdCopy.put(backup.database, in: house)
            }
            HubState.keepRoom(in: directory)
            // What it was restored to lets nobody in before the site has been asked.
            if let site { try directory.create(SiteSettings.fileName, with: site.serialized) }
            try directory.create(HubSettings.fileName, with: backup.settingsBytes)
        }
    }

    private func put(_ file: HubFile, in directory: borrowing ProtectedDirectory) throws {
        if let bytes = backup.others[file] {
            try directory.replace(file.name, with: bytes)
        } else {
            try directory.retire(file.name)
        }
    }
}
