import FoundationEssentials
import Home
import Household
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// Keeps states and their history in the database, and has the feed of changes.
final class StateStore: Sendable {
    /// The history's limits.
    static let maximumRowCount: Int64 = 1_000_000
    static let maximumAge = Duration.seconds(30 * 86_400)
    /// The most changes that a stream makes up for; a client that has missed more gets all states instead.
    static let maximumReplay: Int64 = 10_000
    private static let pageCount = 500

    let feed = EventFeed()
    private let database: HouseholdDatabase

    init(_ database: HouseholdDatabase) { self.database = database }

    // MARK: Keeping

    /// The last known states, and when the last of them changed.
    func known() async throws(DatabaseError) -> KnownStates {
        try await database.use { connection throws(DatabaseError) in
            var changes: [StateChange] = []
            try connection.run("SELECT device, activator, state, before, time FROM states") { row in
                changes.append(StateStore.change(row, from: 0))
            }
            return KnownStates(changes)
        }
    }

    /// The appliances as they were last kept, in the server's order.
    func seen() async throws(DatabaseError) -> [SeenAppliances.Appliance] {
        try await database.use { connection throws(DatabaseError) in
            var seen: [SeenAppliances.Appliance] = []
            try connection.run("SELECT description, seen FROM appliances ORDER BY place") { row in
                let bytes = Array(row.text(0).utf8)
                guard let device = try? JSONReader.read(ControlledDevice.self, from: bytes) else { return }
                let time = Moment(wall: Date(milliseconds: row.integer(1)))
                seen.append(SeenAppliances.Appliance(device: device, time: time))
            }
            return seen
        }
    }

    /// Keeps the appliances in place of those before.
    func keep(_ seen: [SeenAppliances.Appliance]) async throws(DatabaseError) {
        try await database.use { connection throws(DatabaseError) in
            try connection.transaction { connection throws(DatabaseError) in
                try connection.run("DELETE FROM appliances")
                for (place, appliance) in seen.enumerated() {
                    try connection.run(
                        "INSERT INTO appliances (place, description, seen) VALUES (?, ?, ?)",
                        [
                            .integer(Int64(place)), .text(appliance.device.json.text),
                            .integer(appliance.time.wall.milliseconds),
                        ])
                }
            }
        }
    }

    /// Writes changes down with the messages that come of them, and then tells the watchers.
    func record(_ changes: [StateChange], _ drafts: [MessageDraft], _ messages: MessageLog)
        async throws(DatabaseError)
    {
        let feed = feed
        let written = Mutex<[EventFeed.Event]>([])
        let keep = { @Sendable (connection: inout SQLiteConnection) throws(DatabaseError) -> Void in
            let tag = try HouseholdSchema.tag(&connection)
            var number = try connection.number("SELECT max(id) FROM changes") ?? 0
            var events: [EventFeed.Event] = []
            for change in changes {
                number += 1
                try StateStore.insert(change, id: number, &connection)
                let id = EventID(tag: tag, number: number)
                events.append(EventFeed.Event(bytes: StateStore.event(change, id: id), id: id))
            }
            try StateStore.dropOldest(last: number, &connection)
            written.withLock { $0 = events }
        }
        try await messages.append(drafts, alongside: keep) { feed.publish(written.withLock { $0 }) }
    }

    /// Tells the watchers all states, since changes cannot be written down. The event has no id: a
    /// client that comes back later gets what was written down after the last id.
    func tellUnrecorded(_ states: KnownStates) {
        feed.publish([EventFeed.Event(bytes: StateStore.reset(states, id: nil), id: nil)])
    }

    private static func insert(
        _ change: StateChange, id: Int64, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        let key: [SQLiteValue] = [.text(change.device), .text(change.activator)]
        let values: [SQLiteValue] = [
            .text(change.state.text), SQLiteValue(change.before?.text), .integer(change.time.milliseconds),
        ]
        try connection.run(
            "INSERT INTO changes (id, device, activator, state, before, time) VALUES (?, ?, ?, ?, ?, ?)",
            [.integer(id)] + key + values)
        if change.state == .null {
            try connection.run("DELETE FROM states WHERE device = ? AND activator = ?", key)
        } else {
            try connection.run("INSERT OR REPLACE INTO states VALUES (?, ?, ?, ?, ?)", key + values)
        }
    }

    /// Removes what is too much or too old, a little with each change.
    private static func dropOldest(
        last: Int64, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        try connection.run("DELETE FROM changes WHERE id <= ?", [.integer(last - maximumRowCount)])
        let limit = Date().milliseconds - Int64(maximumAge.components.seconds) * 1000
        // By the order of ids, and a few at once: a clock that is wrong for a moment costs little.
        try connection.run(
            """
            DELETE FROM changes WHERE id IN
            (SELECT id FROM (SELECT id, time FROM changes ORDER BY id LIMIT 100) WHERE time < ?)
            """, [.integer(limit)])
    }

    // MARK: Streams

    /// What follows the event with this id; all states instead if what was missed is not here any more, or if
    /// the id is of another file.
    ///
    /// - Parameter eventID: nil: all states, and what follows.
    func page(after eventID: EventID?) async throws(DatabaseError) -> EventPage {
        let feed = feed
        return try await database.use { connection throws(DatabaseError) in
            let tag = try HouseholdSchema.tag(&connection)
            let newest = try connection.number("SELECT max(id) FROM changes") ?? 0
            let oldest = try connection.number("SELECT min(id) FROM changes") ?? 1
            guard let eventID, eventID.tag == tag, eventID.number <= newest, eventID.number >= oldest - 1,
                newest - eventID.number <= StateStore.maximumReplay
            else {
                var changes: [StateChange] = []
                try connection.run("SELECT device, activator, state, before, time FROM states") { row in
                    changes.append(StateStore.change(row, from: 0))
                }
                let id = EventID(tag: tag, number: newest)
                return .reset(
                    StateStore.reset(KnownStates(changes), id: id), position: feed.end, last: id)
            }
            guard eventID.number < newest else { return .upToDate(position: feed.end, last: eventID) }
            var bytes: [UInt8] = []
            var last = eventID.number
            try connection.run(
                """
                SELECT id, device, activator, state, before, time FROM changes WHERE id > ? ORDER BY id
                LIMIT \(StateStore.pageCount)
                """, [.integer(last)]
            ) { row in
                last = row.integer(0)
                bytes += StateStore.event(
                    StateStore.change(row, from: 1), id: EventID(tag: tag, number: last))
            }
            return .events(bytes, last: EventID(tag: tag, number: last))
        }
    }

    /// An event with all states, for a stream without the database.
    func allStates(_ states: KnownStates) -> [UInt8] { StateStore.reset(states, id: nil) }

    private static func reset(_ states: KnownStates, id: EventID?) -> [UInt8] {
        var json: [UInt8] = []
        JSONMembers.write(to: &json) { $0.add("states", states) }
        return ServerEvent.bytes(type: "reset", id: id?.text, json: json)
    }

    private static func event(_ change: StateChange, id: EventID) -> [UInt8] {
        var json: [UInt8] = []
        change.json.write(to: &json)
        return ServerEvent.bytes(type: "state", id: id.text, json: json)
    }

    // MARK: History

    /// Which changes are asked for.
    struct Query: Sendable {
        var device: String?
        var activator: String?
        var since: Date?
        /// Only those after this one.
        var after: Int64 = 0
        /// How many at most.
        var limit: Int64 = 10_000
    }

    /// How many ids are looked through at once: what waits for the database waits no longer than that takes.
    private static let window: Int64 = 20_000
    /// The most bytes of a page, and one change more: a state may be any JSON.
    private static let maximumPageByteCount = 2 << 20

    /// Changes by their order, with their ids.
    ///
    /// - Returns: the changes, and whether the limit has left some out, or ``maximumPageByteCount``.
    func history(
        _ query: Query
    ) async throws(DatabaseError) -> (changes: JSONElements, isCut: Bool) {
        let (oldest, newest) = try await database.use { connection throws(DatabaseError) in
            (
                try connection.number("SELECT min(id) FROM changes") ?? 1,
                try connection.number("SELECT max(id) FROM changes") ?? 0
            )
        }
        var page = Page(limit: query.limit)
        var start = max(query.after, oldest - 1)
        while start < newest, !page.isCut {
            let end = min(start + StateStore.window, newest)
            page = try await changes(query, after: start, through: end, added: page)
            start = end
        }
        return (page.changes, page.isCut)
    }

    /// What a page of the history has so far.
    private struct Page: Sendable {
        let limit: Int64
        var changes = JSONElements()
        var isCut = false

        var isFull: Bool { changes.count >= limit || changes.bytes.count >= StateStore.maximumPageByteCount }
    }

    private func changes(
        _ query: Query, after start: Int64, through end: Int64, added page: Page
    ) async throws(DatabaseError) -> Page {
        try await database.use { connection throws(DatabaseError) in
            var sql = "SELECT id, device, activator, state, before, time FROM changes"
            sql += " WHERE id > ? AND id <= ?"
            var values: [SQLiteValue] = [.integer(start), .integer(end)]
            if let device = query.device {
                sql += " AND device = ?"
                values.append(.text(device))
            }
            if let activator = query.activator {
                sql += " AND activator = ?"
                values.append(.text(activator))
            }
            if let since = query.since {
                sql += " AND time >= ?"
                values.append(.integer(since.milliseconds))
            }
            var page = page
            let left = page.limit - Int64(page.changes.count) + 1
            try connection.run(sql + " ORDER BY id LIMIT ?", values + [.integer(left)]) { row in
                guard !page.isFull else {
                    page.isCut = true
                    return
                }
                let members = StateStore.change(row, from: 1).json.asObject ?? [:]
                page.changes.append(
                    .object(members.merging(["id": .integer(row.integer(0))]) { _, new in new }))
            }
            return page
        }
    }

    /// A change in the columns device, activator, state, before, time from `column` on.
    private static func change(_ row: borrowing SQLiteRow, from column: Int) -> StateChange {
        StateChange(
            device: row.text(column), activator: row.text(column + 1),
            state: JSONValue(parsing: Array(row.text(column + 2).utf8)) ?? .null,
            before: row.textOrNil(column + 3).flatMap { JSONValue(parsing: Array($0.utf8)) },
            time: Date(milliseconds: row.integer(column + 4)))
    }
}
