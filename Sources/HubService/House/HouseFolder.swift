import Glibc
import Household
import Pairing

/// Where the household's files are: in a folder of their own inside the hub directory, which may belong to
/// another user than the hub. In 0.1 they lay beside the hub's own; the house takes them over.
extension HubState {
    private static let houseFolder = "house"

    /// The folder of the household, there or not.
    package var house: HubState {
        HubState(option: "\(path)/\(HubState.houseFolder)", environment: [:], isRoot: false, home: "/")
    }

    /// Where the household's files are now: in the hub directory itself until a house has begun.
    package var household: HubState { access(house.path, F_OK) == 0 ? house : self }

    /// Runs `body` with the place of the household's files, locked. Call it inside `withLock` of the hub
    /// directory; the house locks its own folder alone.
    func withHousehold<Result>(
        _ directory: borrowing ProtectedDirectory,
        _ body: (borrowing ProtectedDirectory) throws -> Result
    ) throws -> Result {
        household.path == path ? try body(directory) : try house.open().withLock(body)
    }

    /// Makes the folder, as the owner of the hub directory. Call it inside `withLock`.
    static func makeHouse(in directory: borrowing ProtectedDirectory) throws(FileError) {
        let path = directory.path(of: houseFolder)
        let code: Int32 = directory.owner.acting { mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno }
        guard code == 0 else { throw .system(code, operation: "make the directory", path: path) }
    }

    /// Makes the folder if it is missing, and takes over what lies beside the hub's own files.
    ///
    /// Each file is one rename: killed in between, the next start goes on. A file that is in the folder
    /// already stays. Nobody has opened the database yet, so its log comes in whatever order.
    package func takeOverHousehold() throws {
        try open().withLock { directory in
            try HubState.makeHouse(in: directory)
            let names = HubFile.household.flatMap { [$0, $0 + ".bak"] } + HouseholdFiles.all
            for name in names {
                let (old, new) = (directory.path(of: name), "\(house.path)/\(name)")
                guard access(new, F_OK) != 0, Glibc.rename(old, new) != 0, errno != ENOENT else { continue }
                throw FileError.system(errno, operation: "rename to \(new)", path: old)
            }
            for path in [house.path, directory.path] { try HubState.synchronize(path) }
        }
    }

    private static func synchronize(_ path: String) throws(FileError) {
        let folder = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno, operation: "open", path: path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(errno, operation: "write", path: path) }
    }
}

/// The names of the files that only the house opens.
package enum HouseholdFiles {
    package static let database = "household.sqlite"
    /// What a broken database is called from then on; one before it is replaced.
    package static let brokenDatabase = database + ".broken"

    /// The database, the files beside it, a broken one that was put aside, and the one before a restore.
    static var all: [String] {
        [database, brokenDatabase, database + ".bak"].flatMap { name in
            ["-wal", "-shm", ""].map { name + $0 }
        }
    }
}
