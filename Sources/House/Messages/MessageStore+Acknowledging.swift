import FoundationEssentials
import Household
import Identity

/// Who has taken note of which alarms.
extension MessageStore {
    /// Acknowledges an alarm that is open.
    ///
    /// - Returns: the message as it is now; nil if there is none with this id.
    func acknowledge(
        _ id: Int64, by device: String, name: String, at now: Date,
        tell: @escaping @Sendable ([EventFeed.Event]) -> Void
    ) async throws(DatabaseError) -> Message? {
        try await database.use { connection throws(DatabaseError) in
            guard let message = try MessageStore.message(id, &connection) else { return nil }
            guard message.kind == .alarm, message.acknowledged == nil else { return message }
            let note = Message.Acknowledgement(by: device, name: name, at: now)
            let (changed, events) = try MessageStore.acknowledge([message], note, &connection)
            connection.whenDurable { tell(events) }
            return changed.first
        }
    }

    /// Acknowledges the first of the open alarms that are meant, ``pageCount`` at most: others get their turn
    /// at the database.
    ///
    /// - Returns: how many that were.
    func acknowledgeSome(
        _ selection: MessageSelection, upTo end: Int64, by device: String, name: String, at now: Date,
        tell: @escaping @Sendable ([EventFeed.Event]) -> Void
    ) async throws(DatabaseError) -> Int {
        let query = Query(kind: selection.kind, rule: selection.rule, isOpen: true)
        return try await database.use { connection throws(DatabaseError) in
            let open = try MessageStore.messages(
                after: 0, upTo: end, query, limit: MessageStore.pageCount, &connection)
            guard !open.isEmpty else { return 0 }
            let note = Message.Acknowledgement(by: device, name: name, at: now)
            let (changed, events) = try MessageStore.acknowledge(open, note, &connection)
            connection.whenDurable { tell(events) }
            return changed.count
        }
    }

    private static func acknowledge(
        _ messages: [Message], _ note: Message.Acknowledgement, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) -> (changed: [Message], events: [EventFeed.Event]) {
        let tag = try HouseholdSchema.tag(&connection)
        let newest = try connection.number("SELECT max(id) FROM messages") ?? 0
        let before = try lastChange(&connection)
        return try connection.transaction { connection throws(DatabaseError) in
            var changed: [Message] = []
            var events: [EventFeed.Event] = []
            for (number, message) in zip((before + 1)..., messages) {
                try connection.run(
                    """
                    UPDATE messages SET acknowledgement = ?, change = ?, acknowledged_by = ?,
                    acknowledged_name = ?, acknowledged_at = ? WHERE id = ?
                    """,
                    [
                        .integer(number), .integer(number), .text(note.by), .text(note.name),
                        .integer(note.at.milliseconds), .integer(message.id),
                    ])
                guard let now = try MessageStore.message(message.id, &connection) else { continue }
                changed.append(now)
                events.append(event(now, isNew: false, id: EventID(tag: tag, number: newest, other: number)))
            }
            return (changed, events)
        }
    }
}
