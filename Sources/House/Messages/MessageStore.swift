import FoundationEssentials
import Household
import Identity
import JSON

/// The messages in the database.
struct MessageStore: Sendable {
    /// The most messages that are kept: with more, the oldest go, open alarms too.
    static let maximumCount: Int64 = 250_000

    static let columns = """
        id, time, kind, text, rule, device, activator, state, before, acknowledged_by, acknowledged_name,
        acknowledged_at, count, last, again_at, author, quiet
        """

    let database: HouseholdDatabase

    init(_ database: HouseholdDatabase) { self.database = database }

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
            waits: true,
            { connection throws(DatabaseError) in
                let kept = try connection.transaction { connection throws(DatabaseError) in
                    try alongside(&connection)
                    return try MessageStore.insert(drafts, at: now, &connection)
                }
                connection.whenDurable { tell(kept) }
                return kept
            }, done: done)
    }

    private static func insert(
        _ drafts: [MessageDraft], at now: Date, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Kept {
        let tag = try HouseholdSchema.tag(&connection)
        var change = try lastChange(&connection)
        var id = try connection.number("SELECT max(id) FROM messages") ?? 0
        var messages: [Message] = []
        var events: [EventFeed.Event] = []
        for draft in drafts {
            let message: Message
            let before = try last(of: draft, &connection)
            if let before, before.isSame(as: draft, at: now) {
                change += 1
                message = before.repeated(at: now)
                let isDue = message.repeats?.told != before.repeats?.told
                try count(message, change: change, isDue: isDue, &connection)
            } else {
                id += 1
                message = Message(id: id, time: now, draft)
                try insert(message, &connection)
            }
            messages.append(message)
            let eventID = EventID(tag: tag, number: id, other: change)
            events.append(event(message, isNew: message.repeats == nil, id: eventID))
        }
        if id > MessageStore.maximumCount {
            try connection.run(
                "DELETE FROM messages WHERE id <= ?", [.integer(id - MessageStore.maximumCount)])
        }
        return Kept(messages: messages, events: events)
    }

    /// The last message of the draft's rule and kind; nil if it has no rule, or the rule no message.
    private static func last(
        of draft: MessageDraft, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> Message? {
        guard let rule = draft.rule else { return nil }
        var found: Message?
        try connection.run(
            "SELECT \(columns) FROM messages WHERE rule = ? AND kind = ? ORDER BY id DESC LIMIT 1",
            [.text(rule), .text(draft.kind.rawValue)]
        ) { row in
            found = message(row)
        }
        return found
    }

    /// - Parameter isDue: hooks are to be run for it once more.
    private static func count(
        _ message: Message, change: Int64, isDue: Bool, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        guard let repeats = message.repeats else { return }
        try connection.run(
            "UPDATE messages SET count = ?, last = ?, change = ? WHERE id = ?",
            [
                .integer(repeats.count), .integer(repeats.last.milliseconds), .integer(change),
                .integer(message.id),
            ])
        guard isDue else { return }
        try connection.run(
            "UPDATE messages SET again = change, again_at = last WHERE id = ?", [.integer(message.id)])
    }

    private static func insert(
        _ message: Message, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        let draft = message.draft
        try connection.run(
            """
            INSERT INTO messages (id, time, kind, text, rule, device, activator, state, before, author, quiet)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(message.id), .integer(message.time.milliseconds), .text(draft.kind.rawValue),
                .text(draft.text), SQLiteValue(draft.rule), SQLiteValue(draft.device),
                SQLiteValue(draft.activator), SQLiteValue(draft.state?.text),
                SQLiteValue(draft.before?.text), SQLiteValue(draft.author),
                draft.isQuiet ? .integer(1) : .null,
            ])
        if let author = draft.author {
            try mark([message.id...message.id], asReadBy: author, &connection)
        }
    }

    static func message(
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
            activator: row.textOrNil(6), state: json(row.textOrNil(7)), before: json(row.textOrNil(8)),
            author: row.textOrNil(15), isQuiet: row.integerOrNil(16) == 1)
        var acknowledged: Message.Acknowledgement?
        if let by = row.textOrNil(9) {
            acknowledged = Message.Acknowledgement(
                by: by, name: row.text(10), at: Date(milliseconds: row.integer(11)))
        }
        let repeats = row.integerOrNil(12).map { count in
            Message.Repeats(
                count: count, last: Date(milliseconds: row.integer(13)),
                told: row.integerOrNil(14).map { Date(milliseconds: $0) })
        }
        return Message(
            id: row.integer(0), time: Date(milliseconds: row.integer(1)), draft, acknowledged: acknowledged,
            repeats: repeats)
    }

    /// The event of a message: what is new, has been acknowledged, or has happened again.
    ///
    /// - Parameter isNew: the client does not know it yet.
    static func event(_ message: Message, isNew: Bool, id: EventID) -> EventFeed.Event {
        var json: [UInt8] = []
        message.json().write(to: &json)
        let type = message.acknowledged != nil ? "acknowledged" : isNew ? "message" : "repeated"
        return EventFeed.Event(bytes: ServerEvent.bytes(type: type, id: id.text, json: json), id: id)
    }

    /// The number of the last change of a message: that it was acknowledged, or counted.
    static func lastChange(_ connection: inout SQLiteConnection) throws(DatabaseError) -> Int64 {
        // An older hub knows acknowledgements alone.
        max(
            try connection.number(
                "SELECT change FROM messages WHERE change IS NOT NULL ORDER BY change DESC LIMIT 1") ?? 0,
            try connection.number("SELECT max(acknowledgement) FROM messages") ?? 0)
    }
}
