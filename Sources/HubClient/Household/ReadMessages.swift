package import FoundationEssentials
import Home
import Identity
package import JSON

/// The messages of a house, as this computer sees them: its read marks are its own.
package struct ReadMessages: Sendable {
    /// The most messages in one answer of the hub.
    package static let pageCount = 1_000

    /// Which messages are asked for.
    package struct Query: Sendable {
        /// Only those after the one with this number.
        package var after: Int64 = 0
        /// `alarm`, `alert` or `notification`.
        package var kind: String?
        package var isUnread = false
        /// Alarms that nobody has acknowledged.
        package var isOpen = false
        package var limit = pageCount

        package init() {}
    }

    /// Messages, oldest first.
    package struct Page: Sendable {
        package let messages: [SharedMessage]
        /// True if the limit has left some out.
        package let hasMore: Bool
        /// The last number of all messages, 0 without any.
        package let newest: Int64
        /// How many this computer has not read.
        package let unreadCount: Int64
        /// How many alarms nobody has acknowledged.
        package let openCount: Int64
        /// The id of the stream's event up to the newest message.
        package let event: String?
    }

    private let link: HouseholdLink

    package init(_ link: HouseholdLink) { self.link = link }

    /// The first messages that fit the query.
    package func page(_ query: Query) async throws -> Page {
        var items: [(String, String)] = [("after", "\(query.after)"), ("limit", "\(query.limit)")]
        if let kind = query.kind { items.append(("kind", kind)) }
        let flags: KeyValuePairs = ["unread": query.isUnread, "open": query.isOpen]
        for (name, isSet) in flags where isSet { items.append((name, "1")) }
        let members = try await link.ask("GET", ["messages"], items: items)
        func number(_ key: String) -> Int64 {
            if case .integer(let value)? = members[key] { value } else { 0 }
        }
        let newest = number("newest")
        return Page(
            messages: try HouseholdLink.entries("messages", of: members, SharedMessage.init),
            hasMore: members["more"] == .boolean(true), newest: newest, unreadCount: number("unread"),
            openCount: number("open"), event: members["log"]?.asString.map { "\($0)-\(newest)" })
    }

    /// The last messages that fit the query, as far as its limit goes; of unread ones the first.
    package func last(_ query: Query) async throws -> Page {
        guard !query.isUnread else { return try await page(query) }
        var first = query
        first.limit = 1
        let newest = try await page(first).newest
        // The hub knows no way backwards: looks at the last ones, and then at more of them.
        var reach = Int64(max(query.limit, 1_000))
        while true {
            let start = max(0, newest - reach)
            let found = try await all(query, after: start)
            if found.messages.count >= query.limit || start == 0 { return found }
            reach *= 8
        }
    }

    /// The last messages after one with this number.
    private func all(_ query: Query, after start: Int64) async throws -> Page {
        var next = query
        (next.after, next.limit) = (start, ReadMessages.pageCount)
        var page = try await self.page(next)
        var found = page.messages
        while page.hasMore, let last = page.messages.last {
            next.after = last.id
            page = try await self.page(next)
            found = Array((found + page.messages).suffix(max(query.limit, ReadMessages.pageCount)))
        }
        return Page(
            messages: Array(found.suffix(query.limit)), hasMore: false, newest: page.newest,
            unreadCount: page.unreadCount, openCount: page.openCount, event: page.event)
    }

    /// Marks a message as read, or all up to it.
    package func markRead(_ id: Int64, all: Bool) async throws {
        do {
            _ = try await link.ask("POST", ["messages", "\(id)", "read"], items: all ? [("all", "1")] : [])
        } catch HouseholdRefusal.refused(404, _, _) {
            throw HouseholdRefusal.noMessage("\(id)")
        }
    }

    /// Takes note of an alarm, for everybody.
    package func acknowledge(_ id: Int64) async throws -> SharedMessage {
        do {
            let members = try await link.ask("POST", ["messages", "\(id)", "acknowledge"])
            guard let message = SharedMessage(.object(members)) else {
                throw ServerError.unreadable("it is no message")
            }
            return message
        } catch HouseholdRefusal.refused(404, _, _) {
            throw HouseholdRefusal.noMessage("\(id)")
        } catch HouseholdRefusal.refused(409, _, _) {
            throw HouseholdRefusal.noAlarm
        }
    }

    /// Which messages are meant: all, or those of a rule or a kind.
    package enum Selection: Sendable {
        case all
        case rule(String)
        /// `alarm`, `alert` or `notification`.
        case kind(String)

        fileprivate var body: JSONValue {
            switch self {
            case .all: .object(["all": .boolean(true)])
            case .rule(let name): .object(["rule": .string(name)])
            case .kind(let word): .object(["kind": .string(word)])
            }
        }
    }

    /// Takes note of all alarms that are meant, for everybody.
    ///
    /// - Returns: how many were open.
    package func acknowledge(_ selection: Selection) async throws -> Int64 {
        let members = try await many("acknowledge", selection)
        return try ReadMessages.number("acknowledged", members)
    }

    /// Marks the messages that are meant as read.
    ///
    /// - Returns: how many were unread.
    package func markRead(_ selection: Selection) async throws -> Int64 {
        var count: Int64 = 0
        while true {
            let members = try await many("read", selection)
            let some = try ReadMessages.number("read", members)
            count += some
            // The hub marks a thousand at once.
            if some == 0 || members["more"] != .boolean(true) { return count }
        }
    }

    private func many(_ verb: String, _ selection: Selection) async throws -> [String: JSONValue] {
        do {
            return try await link.ask("POST", ["messages", verb], body: selection.body)
        } catch HouseholdRefusal.refused(404, _, _) {
            throw HouseholdRefusal.older(link.hub.name)
        }
    }

    private static func number(_ key: String, _ members: [String: JSONValue]) throws -> Int64 {
        guard case .integer(let number)? = members[key] else {
            throw ServerError.unreadable("\(key) is missing")
        }
        return number
    }
}

/// A message as a hub gives it. Apart from Household's `Message`, which the hub keeps and whose kinds are a
/// closed list: a hub may be newer than this program, and what it says is shown all the same.
package struct SharedMessage: Equatable, Sendable {
    package struct Acknowledgement: Equatable, Sendable {
        package let by: String
        package let name: String
        package let time: Date?
    }

    package let id: Int64
    package let time: Date
    /// `alarm`, `alert`, `notification`, or a word of a newer hub's.
    package let kind: String
    package let text: String
    package let rule: String?
    package let device: String?
    package let activator: String?
    package let state: JSONValue?
    package let before: JSONValue?
    /// Nil in a stream, which says nothing of it.
    package let isRead: Bool?
    package let acknowledged: Acknowledgement?
    /// How often what it tells has happened, and when last; 1 and nil for once.
    package let count: Int64
    package let last: Date?
    /// The fingerprint of the device whose deed it tells of.
    package let author: String?
    /// True for what nobody is called for.
    package let isQuiet: Bool

    package init?(_ value: JSONValue) {
        guard let members = value.asObject, case .integer(let id)? = members["id"],
            let time = members["time"]?.asString.flatMap(Date.init(hubTime:)),
            let kind = members["kind"]?.asString, let text = members["text"]?.asString
        else { return nil }
        (self.id, self.time, self.kind, self.text) = (id, time, kind, text)
        rule = members["rule"]?.asString
        device = members["device"]?.asString
        activator = members["activator"]?.asString
        (state, before) = (members["state"], members["before"])
        if case .boolean(let read)? = members["read"] { isRead = read } else { isRead = nil }
        if case .integer(let number)? = members["count"] { count = number } else { count = 1 }
        last = members["last"]?.asString.flatMap(Date.init(hubTime:))
        author = members["by"]?.asString
        isQuiet = members["quiet"] == .boolean(true)
        acknowledged = members["acknowledged"]?.asObject.map { members in
            Acknowledgement(
                by: members["by"]?.asString ?? "", name: members["name"]?.asString ?? "",
                time: members["at"]?.asString.flatMap(Date.init(hubTime:)))
        }
    }

    /// True for an alarm that nobody has acknowledged.
    package var isOpen: Bool { kind == "alarm" && acknowledged == nil }
}
