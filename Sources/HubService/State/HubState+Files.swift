extension HubState {
    /// The hub's own files, and the version before of each: what `print` reads, and must never draw over.
    package var ownFiles: [String] {
        HubFile.allCases.flatMap { ["\(path)/\($0.name)", "\(path)/\($0.name).bak"] }
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
