/// The names of the files that only the house opens.
package enum HouseholdFiles {
    package static let database = "household.sqlite"
    /// What a broken database is called from then on; one before it is replaced.
    package static let brokenDatabase = database + ".broken"

    /// The database, a broken one that was put aside, and the one before a restore; each behind the files
    /// that belong to it.
    private static var databases: [[String]] {
        [database, brokenDatabase, database + ".bak"].map { name in ["-wal", "-shm", ""].map { name + $0 } }
    }

    static var all: [String] { databases.flatMap(\.self) }

    /// The household's files; what is taken over together stands together, the main one last.
    static var groups: [[String]] { HubFile.household.flatMap { [[$0], [$0 + ".bak"]] } + databases }
}
