extension HubState {
    /// The hub's own files, and the version before of each: what `print` reads, and must never draw over.
    package var ownFiles: [String] {
        let household = HubFile.household.flatMap { [$0, $0 + ".bak"] } + HouseholdFiles.all
        return HubFile.allCases.flatMap { ["\(path)/\($0.name)", "\(path)/\($0.name).bak"] }
            + Journal.fileNames.map { "\(path)/\($0)" } + HouseholdFiles.all.map { "\(path)/\($0)" }
            + household.map { "\(house.path)/\($0)" }
            + [LocalSocket.gate, LocalSocket.house].map { "\(sockets)/\($0)" }
    }
}
