import FoundationEssentials
import Pairing

/// The hub's keyfile `approved-devices` on disk, as owners change it: the one place that decides how it is
/// replaced, and that writes in the journal what they have decided about devices.
///
/// `AdministerCodes` writes it only to complete what a crash cut short, and `PairingFiles` enters the devices
/// that come with a code.
struct ApprovedDevicesFile {
    private let state: HubState

    init(of state: HubState) { self.state = state }

    /// Reads the file, lets `body` change its devices, and replaces it, as one step under the directory's
    /// lock.
    ///
    /// What a crash cut short is completed first: a device that is revoked now must not be approved by it
    /// later. The file is written after `body` has returned, and only if something has changed. If `body`
    /// throws, nothing has changed.
    ///
    /// - Parameter author: the owner's device through which it is done; nil for the command line on the hub.
    func change<Result>(
        by author: JournalEntry.Author? = nil, at now: Moment,
        _ body: (inout ApprovedDevices, borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        try state.open().withSharedLock { directory in
            try ApprovedDevicesFile.change(in: directory, by: author, at: now) { devices in
                try body(&devices, directory)
            }
        }
    }

    /// The same in a directory whose lock is held, for what reads or changes other files in the same step.
    static func change<Result>(
        in directory: borrowing ProtectedDirectory, by author: JournalEntry.Author? = nil, at now: Moment,
        _ body: (inout ApprovedDevices) throws -> Result
    ) throws -> Result {
        let (before, isCompleted) = try HubState.completedDevices(in: directory)
        var devices = before
        let result = try body(&devices)
        guard isCompleted || devices != before else { return result }
        // By the boot clock too: an approval ends also if nothing serves, and the clock is set back.
        if hasNewEnd(devices, before: before) { devices.see(now.latest(and: devices.seen)) }
        try directory.replaceShared([
            SharedFile(
                ApprovedDevices.fileName, devices.serialized, isFinal: takesBack(devices, before: before))
        ])
        Journal.note(.init(of: devices, before: before), by: author, at: now.wall, in: directory)
        return result
    }

    private static func hasNewEnd(_ devices: ApprovedDevices, before: ApprovedDevices) -> Bool {
        devices.devices.contains { $0.expires != nil && $0.expires != before.device($0.pin)?.expires }
    }

    /// Whether a device is gone, revoked or refused: going back to the version before must not undo it.
    private static func takesBack(_ devices: ApprovedDevices, before: ApprovedDevices) -> Bool {
        before.devices.contains { device in
            guard let present = devices.device(device.pin) else { return true }
            return present.status != device.status && present.status != .approved
        }
    }
}

extension [ApprovedDevice] {
    /// Throws if a device has this name: two of one name would be mistaken for each other. One that only asks
    /// takes no name away.
    func checkIsFree(_ name: PeerName) throws(PeerSelectorError) {
        if let other = first(where: { $0.name == name && $0.status != .pending }) {
            throw .nameTaken(name: name.description, by: other.fingerprint)
        }
    }
}
