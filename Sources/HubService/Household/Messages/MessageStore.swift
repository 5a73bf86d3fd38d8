import FoundationEssentials
import Household
import Identity
import JSON

/// The messages in the database, and which of them each device has read.
struct MessageStore: Sendable {
    /// The most messages that are kept: with more, the oldest go, open alarms too.
    static let maximumCount: Int64 = 250_000

    static let columns = """
        id, time, kind, text, rule, device, activator, state, before, acknowledged_by, acknowledged_name,
        acknowledged_at
        """

    let database: HouseholdDatabase

    init(_ database: HouseholdDatabase) { self.database = database }

    // MARK: Messages

    /// Messages that are on disk now, with their events.
    struct Kept: Sendable {
        let messages: [Message]
        let events: [EventFeed.Event]
    }

    /// Writes messages down, and what belongs to them, in one step.
    ///
    /// - Parameters:
    ///   - alongside: writes what stands or falls with the messages.
    ///   - tell: called on the database's thread once all is on disk, before anything else uses it.
    ///   - done: called on the database's thread after that.
    func append(
        _ drafts: [MessageDraft], at now: Date,
        alongside: @escaping @Sendable (inout SQLiteConnection) throws(DatabaseError) -> Void,
        tell: @escaping @Sendable (Kept) -> Void,
        done: @escaping @Sendable (Result<Kept, DatabaseError>) -> Void
    ) {
        database.enqueue(
            { connection throws(DatabaseError) in
                let kept = try connection.transaction { connection throws(DatabaseError) in
                    try alongside(&connection)
                    return try MessageStore.insert(drafts, at: now, &connection)
                }
                tell(kept)
                return kept
            }, done: done)
    }

    private static func insert(
        _ drafts: [MessageDraft], at now: Date, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Kept {
        let tag = try HouseholdSchema.tag(&connection)
        let acknowledgements = try lastAcknowledgement(&connection)
        var id = try connection.number("SELECT max(id) FROM messages") ?? 0
        var messages: [Message] = []
        for draft in drafts {
            id += 1
            let message = Message(id: id, time: now, draft)
            try insert(message, &connection)
            messages.append(message)
        }
        if id > MessageStore.maximumCount {
            try connection.run(
                "DELETE FROM messages WHERE id <= ?", [.integer(id - MessageStore.maximumCount)])
        }
        let events = messages.map { message in
            event(message, id: EventID(tag: tag, number: message.id, other: acknowledgements))
        }
        return Kept(messages: messages, events: events)
    }

    private static func insert(
        _ message: Message, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        let draft = message.draft
        try connection.run(
            """
            INSERT INTO messages (id, time, kind, text, rule, device, activator, state, before)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(message.id), .integer(message.time.milliseconds), .text(draft.kind.rawValue),
                .text(draft.text), SQLiteValue(draft.rule), SQLiteValue(draft.device),
                SQLiteValue(draft.activator), SQLiteValue(draft.state?.text),
                SQLiteValue(draft.before?.text),
            ])
    }

    /// Acknowledges an alarm that is open.
    ///
    /// - Returns: the message as it is now; nil if there is none with this id.
    func acknowledge(
        _ id: Int64, by device: String, name: String, at now: Date,
        tell: @escaping @Sendable (EventFeed.Event) -> Void
    ) async throws(DatabaseError) -> Message? {
        try await database.use { connection throws(DatabaseError) in
            guard let message = try MessageStore.message(id, &connection) else { return nil }
            guard message.kind == .alarm, message.acknowledged == nil else { return message }
            let tag = try HouseholdSchema.tag(&connection)
            let number = try MessageStore.lastAcknowledgement(&connection) + 1
            try connection.transaction { connection throws(DatabaseError) in
                try connection.run(
                    """
                    UPDATE messages SET acknowledgement = ?, acknowledged_by = ?, acknowledged_name = ?,
                    acknowledged_at = ? WHERE id = ?
                    """,
                    [.integer(number), .text(device), .text(name), .integer(now.milliseconds), .integer(id)])
            }
            guard let changed = try MessageStore.message(id, &connection) else { return nil }
            let newest = try connection.number("SELECT max(id) FROM messages") ?? 0
            tell(MessageStore.event(changed, id: EventID(tag: tag, number: newest, other: number)))
            return changed
        }
    }

    static func lastAcknowledgement(
        _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Int64 {
        try connection.number("SELECT max(acknowledgement) FROM messages") ?? 0
    }

    private static func message(
        _ id: Int64, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Message? {
        var found: Message?
        try connection.run("SELECT \(columns) FROM messages WHERE id = ?", [.integer(id)]) { row in
            found = message(row)
        }
        return found
    }

    /// A message in the columns ``columns``; nil for a kind that this version does not know.
    static func message(_ row: borrowing SQLiteRow) -> Message? {
        guard let kind = MessageKind(rawValue: row.text(2)) else { return nil }
        let json = { (text: String?) in text.flatMap { JSONValue(parsing: Array($0.utf8)) } }
        let draft = MessageDraft(
            kind: kind, text: row.text(3), rule: row.textOrNil(4), device: row.textOrNil(5),
            activator: row.textOrNil(6), state: json(row.textOrNil(7)), before: json(row.textOrNil(8)))
        var acknowledged: Message.Acknowledgement?
        if let by = row.textOrNil(9) {
            acknowledged = Message.Acknowledgement(
                by: by, name: row.text(10), at: Date(milliseconds: row.integer(11)))
        }
        return Message(
            id: row.integer(0), time: Date(milliseconds: row.integer(1)), draft, acknowledged: acknowledged)
    }

    /// The event of a new message, or of one that has been acknowledged.
    static func event(_ message: Message, id: EventID) -> EventFeed.Event {
        var json: [UInt8] = []
        message.json().write(to: &json)
        let type = message.acknowledged == nil ? "message" : "acknowledged"
        return EventFeed.Event(bytes: ServerEvent.bytes(type: type, id: id.text, json: json), id: id)
    }

    // MARK: Read marks

    /// Marks a message as read by a device, or all up to it.
    ///
    /// - Returns: false if there is no such message.
    func markRead(_ id: Int64, all: Bool, by device: String) async throws(DatabaseError) -> Bool {
        try await database.use { connection throws(DatabaseError) in
            guard try connection.number("SELECT id FROM messages WHERE id = ?", [.integer(id)]) != nil else {
                return false
            }
            let before = try MessageStore.marks(of: device, &connection)
            var marks = before
            marks.mark(all ? 1...id : id...id)
            let (old, new) = (Set(before.ranges), Set(marks.ranges))
            guard old != new else { return true }
            try connection.transaction { connection throws(DatabaseError) in
                for range in old.subtracting(new) {
                    try connection.run(
                        "DELETE FROM read_marks WHERE device = ? AND first = ?",
                        [.text(device), .integer(range.lowerBound)])
                }
                for range in new.subtracting(old) {
                    try connection.run(
                        "INSERT INTO read_marks VALUES (?, ?, ?)",
                        [.text(device), .integer(range.lowerBound), .integer(range.upperBound)])
                }
            }
            return true
        }
    }

    static func marks(
        of device: String, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> ReadMarks {
        var ranges: [ClosedRange<Int64>] = []
        try connection.run(
            "SELECT first, last FROM read_marks WHERE device = ? ORDER BY first", [.text(device)]
        ) { row in
            let (first, last) = (row.integer(0), row.integer(1))
            if first <= last { ranges.append(first...last) }
        }
        return ReadMarks(ranges)
    }
}
