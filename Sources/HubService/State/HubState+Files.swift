import Household
import Pairing

extension HubState {
    /// The hub's own files, and the version before of each: what `print` reads, and must never draw over.
    package var ownFiles: [String] {
        [
            HubSettings.fileName, HubState.keyFileName, HubState.certificateFileName,
            ApprovedDevices.fileName, Tickets.fileName, FailedAttempts.fileName, LastSeen.fileName,
            Rooms.fileName, HubScenes.fileName, Rules.fileName, SceneRuns.fileName,
        ].flatMap { ["\(path)/\($0)", "\(path)/\($0).bak"] }
            + Journal.fileNames.map { "\(path)/\($0)" } + databaseFiles
    }

    /// The database, the files beside it, and a broken one that was put aside.
    private var databaseFiles: [String] {
        [HouseholdDatabase.fileName, HouseholdDatabase.brokenName, HouseholdDatabase.fileName + ".bak"]
            .flatMap { name in
                ["", "-wal", "-shm"].map { "\(path)/\(name)\($0)" }
            }
    }
}
