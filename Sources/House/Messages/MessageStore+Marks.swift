import Household
import Identity

/// Which messages each device has read.
extension MessageStore {
    /// Marks a message as read by a device, or all up to it.
    ///
    /// - Returns: false if there is no such message.
    func markRead(_ id: Int64, all: Bool, by device: String) async throws(DatabaseError) -> Bool {
        try await database.use { connection throws(DatabaseError) in
            guard try connection.number("SELECT id FROM messages WHERE id = ?", [.integer(id)]) != nil else {
                return false
            }
            try connection.transaction { connection throws(DatabaseError) in
                try MessageStore.mark([all ? 1...id : id...id], asReadBy: device, &connection)
            }
            return true
        }
    }

    /// Marks the messages that are meant as read, ``pageCount`` at most unless all are meant.
    ///
    /// - Returns: how many were unread, and whether there are more.
    func markRead(
        _ selection: MessageSelection, by device: String
    ) async throws(DatabaseError) -> (count: Int64, hasMore: Bool) {
        let result = try await database.use { connection throws(DatabaseError) -> [Int64] in
            let newest = try connection.number("SELECT max(id) FROM messages") ?? 0
            let oldest = try connection.number("SELECT min(id) FROM messages") ?? 1
            let end = min(selection.last ?? newest, newest)
            guard end >= oldest else { return [0, 0] }
            let marks = try MessageStore.marks(of: device, &connection)
            var (ranges, count, more) = ([1...end], marks.unreadCount(in: oldest...end), Int64(0))
            if !selection.isAll {
                let query = Query(
                    kind: selection.kind, rule: selection.rule, isUnread: true, limit: MessageStore.pageCount)
                let found = try MessageStore.find(query, after: oldest - 1, upTo: end, marks, &connection)
                more = Int64(found.count) > query.limit ? 1 : 0
                ranges = found.prefix(Int(query.limit)).map { $0.id...$0.id }
                count = Int64(ranges.count)
            }
            try connection.transaction { connection throws(DatabaseError) in
                try MessageStore.mark(ranges, asReadBy: device, &connection)
            }
            return [count, more]
        }
        return (result[0], result[1] > 0)
    }

    /// Call it inside a transaction.
    static func mark(
        _ ranges: [ClosedRange<Int64>], asReadBy device: String, _ connection: inout SQLiteConnection
    ) throws(DatabaseError) {
        let before = try marks(of: device, &connection)
        var marks = before
        for range in ranges { marks.mark(range) }
        let (old, new) = (Set(before.ranges), Set(marks.ranges))
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
