import HubService

/// The pictures that were taken at alarms, in the database.
struct PictureStore: Sendable {
    /// With more, or more bytes, the oldest go.
    static let maximumCount: Int64 = 100
    static let maximumByteCount: Int64 = 32 << 20

    private let database: HouseholdDatabase

    init(_ database: HouseholdDatabase) { self.database = database }

    func put(_ picture: Picture, of message: Int64) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.transaction { connection throws(DatabaseError) in
                try connection.run(
                    "INSERT OR REPLACE INTO pictures VALUES (?, ?, ?)",
                    [.integer(message), .text(picture.type.rawValue), .bytes(picture.bytes)])
                try connection.run(
                    """
                    DELETE FROM pictures WHERE message IN (SELECT message FROM (SELECT message,
                    sum(length(bytes)) OVER (ORDER BY message DESC) AS total,
                    row_number() OVER (ORDER BY message DESC) AS place FROM pictures)
                    WHERE total > ? OR place > ?)
                    """, [.integer(PictureStore.maximumByteCount), .integer(PictureStore.maximumCount)])
            }
        }
    }

    /// The picture of a message; nil if it has none, or not any more.
    func picture(of message: Int64) async throws(DatabaseError) -> Picture? {
        try await database.use { connection throws(DatabaseError) in
            var bytes: [UInt8]?
            try connection.run("SELECT bytes FROM pictures WHERE message = ?", [.integer(message)]) { row in
                bytes = row.bytes(0)
            }
            return bytes.flatMap { try? Picture($0) }
        }
    }

    /// The messages that have one, newest last.
    func messages() async throws(DatabaseError) -> [Int64] {
        try await database.use { connection throws(DatabaseError) in
            var ids: [Int64] = []
            try connection.run("SELECT message FROM pictures ORDER BY message") { row in
                ids.append(row.integer(0))
            }
            return ids
        }
    }
}
