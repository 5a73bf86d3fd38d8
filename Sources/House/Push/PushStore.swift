import Household
import JSON

/// Which browsers are told of messages, and the key for that; in the household's database.
struct PushStore: Sendable {
    private static let keyName = "push-key"

    let database: HouseholdDatabase
    /// Services at home that the owner has named.
    let home: @Sendable () -> [PushEndpoint.HomeHost]

    /// Made when it is first asked for.
    func key() async throws(DatabaseError) -> PushKey {
        try await database.use { connection throws(DatabaseError) in
            let kept = try connection.text(
                "SELECT value FROM meta WHERE name = ?", [.text(PushStore.keyName)])
            if let key = kept.flatMap({ PushKey(kept: $0) }) { return key }
            let key = PushKey()
            try connection.run(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)", [.text(PushStore.keyName), .text(key.kept)])
            return key
        }
    }

    /// By the devices' fingerprints. One that cannot be read any more is none.
    func all() async throws(DatabaseError) -> [String: PushSubscription] {
        let texts = try await database.use { connection throws(DatabaseError) in
            try PushStore.texts(&connection)
        }
        let home = self.home()
        return texts.compactMapValues { text in
            try? PushSubscription(JSONValue(parsing: Array(text.utf8)), home: home)
        }
    }

    static func texts(_ connection: inout SQLiteConnection) throws(DatabaseError) -> [String: String] {
        var found: [String: String] = [:]
        try connection.run("SELECT device, value FROM push") { row in found[row.text(0)] = row.text(1) }
        return found
    }

    /// What owners read of them: no address, which lets everybody send who has it.
    static func list(_ all: [String: JSONValue]) -> JSONValue {
        .array(
            all.sorted { $0.key < $1.key }.map { device, value in
                let members = value.asObject ?? [:]
                let endpoint = members["endpoint"]?.asString ?? ""
                let authority = endpoint.dropFirst("https://".count).prefix { $0 != "/" && $0 != "?" }
                return .object([
                    "device": .string(device), "kinds": members["kinds"] ?? .array([]),
                    "service": .string(String(authority)),
                ])
            })
    }

    func subscription(of device: String) async throws(DatabaseError) -> PushSubscription? {
        let text = try await database.use { connection throws(DatabaseError) in
            try connection.text("SELECT value FROM push WHERE device = ?", [.text(device)])
        }
        return text.flatMap { try? PushSubscription(JSONValue(parsing: Array($0.utf8)), home: home()) }
    }

    /// - Returns: false if there are as many as may be.
    func keep(_ subscription: PushSubscription, of device: String) async throws(DatabaseError) -> Bool {
        let text = subscription.json.text
        return try await database.use { connection throws(DatabaseError) in
            let others = try connection.number(
                "SELECT count(*) FROM push WHERE device != ?", [.text(device)])
            guard others ?? 0 < Int64(PushSubscription.maximumCount) else { return false }
            try connection.run("INSERT OR REPLACE INTO push VALUES (?, ?)", [.text(device), .text(text)])
            return true
        }
    }

    /// - Parameter subscription: if it is still this one; nil: whatever it is.
    func forget(
        _ device: String, _ subscription: PushSubscription? = nil
    ) async throws(DatabaseError) {
        let text = subscription?.json.text
        try await database.use { connection throws(DatabaseError) in
            try connection.run(
                "DELETE FROM push WHERE device = ? AND value = coalesce(?, value)",
                [.text(device), SQLiteValue(text)])
        }
    }
}
