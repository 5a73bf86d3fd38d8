import FoundationEssentials
import HubClient
import Identity
import JSON

/// Messages for people, a line each: number, time, kind, how it stands, text.
enum MessageLine {
    static func lines(_ messages: [SharedMessage], now: Date = Date()) -> [String] {
        let cells = messages.map { message in
            [
                "\(message.id)", LocalTime(message.time).text(seenAt: now), shortened(message.kind),
                standing(message), message.text + message.repeats(seenAt: now),
            ]
        }
        // The text comes last, and may be long: it widens no column.
        let widths = (0..<4).map { column in cells.map { columnWidth(of: $0[column]) }.max() ?? 0 }
        return cells.map { Table.line($0, widths: widths) }
    }

    /// `open, new`: nobody has acknowledged the alarm, and this computer has not read it.
    private static func standing(_ message: SharedMessage) -> String {
        var words: [String] = []
        if message.isOpen { words.append("open") }
        if let name = message.acknowledged?.name { words.append("seen by \(shortened(name))") }
        if message.isRead == false { words.append("new") }
        return words.isEmpty ? "-" : words.joined(separator: ", ")
    }

    /// `3 are unread, 1 alarm is open`; empty if there is nothing to do.
    static func counts(_ page: ReadMessages.Page) -> String {
        var words: [String] = []
        if page.unreadCount > 0 {
            words.append("\(page.unreadCount) \(page.unreadCount == 1 ? "is" : "are") unread")
        }
        if page.openCount > 0 {
            words.append("\(page.openCount) alarm\(page.openCount == 1 ? " is" : "s are") open")
        }
        return words.joined(separator: ", ")
    }
}

extension SharedMessage {
    /// ` (30 times, last today 14:05)`; empty for what has happened once.
    func repeats(seenAt now: Date) -> String {
        guard count > 1 else { return "" }
        let end = last.map { ", last \(LocalTime($0).text(seenAt: now))" } ?? ""
        return " (\(count) times\(end))"
    }

    /// The line of `--json`: all keys, null where the message has nothing.
    func json(_ session: HomeSession) -> JSONValue {
        session.line(members)
    }

    var members: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "id": .integer(id), "time": .string(time.timestampWithMilliseconds), "kind": .string(kind),
            "text": .string(text), "rule": .text(rule), "device": .text(device),
            "activator": .text(activator), "read": .null, "acknowledged": .null,
        ]
        (members["state"], members["before"]) = (state ?? .null, before ?? .null)
        (members["count"], members["last"]) = (.integer(count), .text(last?.timestampWithMilliseconds))
        (members["by"], members["quiet"]) = (.text(author), .boolean(isQuiet))
        if let isRead { members["read"] = .boolean(isRead) }
        if let acknowledged {
            members["acknowledged"] = .object([
                "by": .string(acknowledged.by), "name": .string(acknowledged.name),
                "at": .text(acknowledged.time?.timestampWithMilliseconds),
            ])
        }
        return members
    }

    /// The keys of a line that is about no message.
    static let noMembers: [String: JSONValue] = [
        "id": .null, "time": .null, "kind": .null, "text": .null, "rule": .null, "device": .null,
        "activator": .null, "state": .null, "before": .null, "read": .null, "acknowledged": .null,
        "count": .null, "last": .null, "by": .null, "quiet": .null,
    ]
}
