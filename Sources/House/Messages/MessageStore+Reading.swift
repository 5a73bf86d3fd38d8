import Household
import Identity
import JSON

extension MessageStore {
    /// The most messages in one answer.
    static let pageCount: Int64 = 1_000
    /// The most messages in one piece of a stream.
    private static let streamPageCount = 200

    /// Which messages are asked for.
    struct Query: Sendable {
        var after: Int64 = 0
        var kind: MessageKind?
        var rule: String?
        /// True for alarms that nobody has acknowledged.
        var isOpen = false
        /// True for those that the device has not read.
        var isUnread = false
        var limit = MessageStore.pageCount
    }

    /// Messages, oldest first, as a device sees them.
    ///
    /// - Returns: the answer's members: `messages`, `more` if the limit has left some out, `newest` (the
    ///   last id of all), `oldest` (the first id that is kept), `unread` and `open` (counts over all
    ///   messages), `log` (the tag of the database).
    func list(_ query: Query, for device: String) async throws(DatabaseError) -> [String: JSONValue] {
        try await database.use { connection throws(DatabaseError) in
            let marks = try MessageStore.marks(of: device, &connection)
            let oldest = try connection.number("SELECT min(id) FROM messages") ?? 1
            let newest = try connection.number("SELECT max(id) FROM messages") ?? 0
            let found = try MessageStore.find(
                query, after: max(query.after, oldest - 1), upTo: newest, marks, &connection)
            let open = try connection.number(
                "SELECT count(*) FROM messages WHERE kind = 'alarm' AND acknowledgement IS NULL")
            return [
                "messages": .array(
                    found.prefix(Int(query.limit)).map { $0.json(isRead: marks.contains($0.id)) }),
                "more": .boolean(found.count > query.limit), "newest": .integer(newest),
                "oldest": .integer(oldest), "open": .integer(open ?? 0),
                "unread": .integer(oldest <= newest ? marks.unreadCount(in: oldest...newest) : 0),
                "log": .string(try HouseholdSchema.tag(&connection)),
            ]
        }
    }

    /// One message more than the limit, if there are so many.
    static func find(
        _ query: Query, after start: Int64, upTo newest: Int64, _ marks: ReadMarks,
        _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> [Message] {
        let limit = query.limit + 1
        guard query.isUnread else {
            return try messages(after: start, upTo: newest, query, limit: limit, &connection)
        }
        // The marks know the ranges of those that are unread: the others are not read from disk.
        var found: [Message] = []
        var after = start
        while found.count < limit, let gap = marks.gap(after: after, upTo: newest) {
            found += try messages(
                after: gap.lowerBound - 1, upTo: gap.upperBound, query, limit: limit - Int64(found.count),
                &connection)
            after = gap.upperBound
        }
        return found
    }

    static func messages(
        after: Int64, upTo end: Int64, _ query: Query, limit: Int64, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> [Message] {
        var sql = "SELECT \(columns) FROM messages WHERE id > ? AND id <= ?"
        var values: [SQLiteValue] = [.integer(after), .integer(end)]
        if let kind = query.kind {
            sql += " AND kind = ?"
            values.append(.text(kind.rawValue))
        }
        if let rule = query.rule {
            sql += " AND rule = ?"
            values.append(.text(rule))
        }
        if query.isOpen { sql += " AND kind = 'alarm' AND acknowledgement IS NULL" }
        var found: [Message] = []
        try connection.run(sql + " ORDER BY id LIMIT ?", values + [.integer(limit)]) { row in
            if let message = message(row) { found.append(message) }
        }
        return found
    }

    /// The id of the last message.
    func newest() async throws(DatabaseError) -> Int64 {
        try await database.use { connection throws(DatabaseError) in
            try connection.number("SELECT max(id) FROM messages") ?? 0
        }
    }

    /// What follows an event. If its id is of another file, or of messages that are gone, the client lists
    /// them again.
    ///
    /// - Parameters:
    ///   - eventID: nil: only what comes from now on.
    ///   - feed: whose events follow.
    func page(after eventID: EventID?, of feed: EventFeed) async throws(DatabaseError) -> EventPage {
        try await database.use { connection throws(DatabaseError) in
            let tag = try HouseholdSchema.tag(&connection)
            let oldest = try connection.number("SELECT min(id) FROM messages") ?? 1
            let newest = try connection.number("SELECT max(id) FROM messages") ?? 0
            let change = try MessageStore.lastChange(&connection)
            let now = EventID(tag: tag, number: newest, other: change)
            guard let eventID else { return .upToDate(position: feed.end, last: now) }
            let other = eventID.other ?? change
            guard eventID.tag == tag, eventID.number <= newest, eventID.number >= oldest - 1,
                other <= change
            else {
                var json: [UInt8] = []
                JSONValue.object(["newest": .integer(newest)]).write(to: &json)
                let event = ServerEvent.bytes(type: "reset", id: now.text, json: json)
                return .reset(event, position: feed.end, last: now)
            }
            let start = EventID(tag: tag, number: eventID.number, other: other)
            if start == now { return .upToDate(position: feed.end, last: now) }
            let (bytes, last) = try MessageStore.events(after: start, other, &connection)
            return .events(bytes, last: last)
        }
    }

    /// Changes of messages that the client knows; without any, messages.
    private static func events(
        after start: EventID, _ change: Int64, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> (bytes: [UInt8], last: EventID) {
        var bytes: [UInt8] = []
        var last = start
        // One of a message that the client does not know comes with that message.
        try connection.run(
            """
            SELECT \(columns), change FROM messages WHERE change > ?
            ORDER BY change LIMIT \(streamPageCount)
            """, [.integer(change)]
        ) { row in
            guard let message = message(row) else { return }
            last = EventID(tag: start.tag, number: start.number, other: row.integer(17))
            if message.id <= start.number { bytes += event(message, isNew: false, id: last).bytes }
        }
        guard last == start else { return (bytes, last) }
        try connection.run(
            "SELECT \(columns) FROM messages WHERE id > ? ORDER BY id LIMIT \(streamPageCount)",
            [.integer(start.number)]
        ) { row in
            guard let message = message(row) else { return }
            last = EventID(tag: start.tag, number: message.id, other: start.other)
            bytes += event(message, isNew: true, id: last).bytes
        }
        return (bytes, last)
    }
}
