import Pairing

extension HubState {
    /// The hub's own files, and the version before of each: what `print` reads, and must never draw over.
    package var ownFiles: [String] {
        [
            HubSettings.fileName, HubState.keyFileName, HubState.certificateFileName,
            ApprovedDevices.fileName, Tickets.fileName, FailedAttempts.fileName, LastSeen.fileName,
        ].flatMap { ["\(path)/\($0)", "\(path)/\($0).bak"] }
    }
}
