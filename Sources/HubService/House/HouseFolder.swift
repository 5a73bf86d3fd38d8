import Glibc
import Identity
import Pairing

/// Where the household's files are: in a folder of their own inside the hub directory; that of the Debian
/// package's hub beside it, since the house is another user there. In 0.1 they lay among the hub's own; the
/// house takes them over.
extension HubState {
    private static let houseFolder = "house"

    /// The household of the Debian package's hub, which is a user's of its own, and the sockets that it
    /// shares with the gate. Root makes both, and what is around them, so nobody can put others there.
    private static let apartPath = HubOwner.machinePath + "-house"
    private static let sharedSockets = "/run/hubpair"

    /// The sockets of a hub whose household is another user's; nil if it is not.
    static func sharedSockets(_ path: String) -> String? { isApart(path) ? sharedSockets : nil }

    private static func isApart(_ path: String) -> Bool {
        path == HubOwner.machinePath && access(apartPath, F_OK) == 0
    }

    /// True if the household is another user's.
    package var isHouseApart: Bool { HubState.isApart(path) }

    /// The folder of the household, there or not.
    package var house: HubState { isHouseApart ? folder(HubState.apartPath) : insideHouse }

    private var insideHouse: HubState { folder("\(path)/\(HubState.houseFolder)") }

    /// With its whole path, for whoever is told of it elsewhere.
    package var absolute: HubState {
        guard !path.hasPrefix("/"), let here = getcwd(nil, 0) else { return self }
        defer { free(here) }
        return folder("\(String(cString: here))/\(path)")
    }

    private func folder(_ path: String) -> HubState {
        HubState(option: path, environment: [:], isRoot: false, home: "/")
    }

    /// Where the household's files are now: in the hub directory itself until a house has begun.
    package var household: HubState { access(house.path, F_OK) == 0 ? house : self }

    /// Where household files may be that have not been taken over.
    private var oldHouseholds: [HubState] {
        [isHouseApart && access(insideHouse.path, F_OK) == 0 ? insideHouse : nil, self].compactMap(\.self)
    }

    /// Who runs the hook.
    package var hookUser: UInt32 { isHouseApart ? house.user : user }

    /// Runs `body` with the place of the household's files, locked. Call it inside `withLock` of the hub
    /// directory; the house locks its own folder alone.
    func withHousehold<Result>(
        _ directory: borrowing ProtectedDirectory,
        _ body: (borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        guard household.path != path else { return try body(directory) }
        let place: ProtectedDirectory
        do {
            place = try house.open()
        } catch {
            throw isHouseApart && geteuid() != 0 ? HubError.householdApart(command: command) : error
        }
        return try place.withLock(body)
    }

    /// Makes the folder, as the owner of the hub directory. Call it inside `withLock`.
    func makeHouse(in directory: borrowing ProtectedDirectory) throws(FileError) {
        guard !isHouseApart else { return }
        let path = directory.path(of: HubState.houseFolder)
        let code: Int32 = directory.owner.acting { mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno }
        guard code == 0 else { throw .system(code, operation: "make the directory", path: path) }
    }

    /// Makes the folder if it is missing, and takes over what lies beside the hub's own files. Where the
    /// household is another user's, only root can.
    ///
    /// Killed at any time, the next call goes on. What is in the folder already stays.
    package func takeOverHousehold() throws {
        try open().withLock { directory in
            try makeHouse(in: directory)
            let place = try house.open()
            for old in oldHouseholds {
                let from = try old.open()
                for group in HouseholdFiles.groups { try HouseMove.run(group, from: from, to: place) }
            }
        }
    }

    /// Puts away what a house would take over. Call it inside `withLock`.
    func retireOldHouseholds() throws {
        for old in oldHouseholds {
            let directory = try old.open()
            for name in HubFile.household { try directory.retire(name) }
            try HouseholdCopy.put(nil, in: directory)
        }
    }
}
