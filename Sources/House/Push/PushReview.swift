import Glibc
import HubService
import JSON
import Pairing

/// Which devices are told of messages, for the hub's own side: read from the file, also while no house runs.
struct PushReview {
    private let state: HubState

    init(_ state: HubState) { self.state = state }

    /// Empty if there is no database yet, or an older one.
    func devices() throws -> JSONValue {
        let directory = try state.open()
        let path = directory.path(of: HouseholdDatabase.fileName)
        guard access(path, F_OK) == 0 else { return .array([]) }
        let texts = directory.owner.acting {
            Result { () throws(DatabaseError) -> [String: String] in
                var connection = try SQLiteConnection(path: path)
                let tables = try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'push'")
                guard tables == 1 else { return [:] }
                return try PushStore.texts(&connection)
            }
        }
        return PushStore.list(try texts.get().compactMapValues { JSONValue(parsing: Array($0.utf8)) })
    }
}
