package import FoundationEssentials
import Identity
package import JSON

/// What kind of message it is.
package enum MessageKind: String, CaseIterable, Sendable {
    /// A rule of this kind has come true. It stays open until somebody acknowledges it.
    case alarm
    /// The system's own trouble.
    case alert
    /// What should be known.
    case notification
}

/// A message that is still to be kept.
package struct MessageDraft: Equatable, Sendable {
    /// The maximum size of a text in bytes: the names of a few appliances fit, and a rule in a loop cannot
    /// fill the disk at once.
    package static let maximumTextByteCount = 1024

    package let kind: MessageKind
    /// For people: at most `maximumTextByteCount` bytes; what is longer is cut.
    package let text: String
    /// The rule that has made it.
    package let rule: String?
    package let device: String?
    package let activator: String?
    package let state: JSONValue?
    /// The state before.
    package let before: JSONValue?
    /// The fingerprint of the device whose deed it tells of: that one need not read it.
    package let author: String?
    /// True for what goes well by itself, and for the hub's own trouble: nobody is called for it.
    package let isQuiet: Bool

    package init(
        kind: MessageKind, text: String, rule: String? = nil, device: String? = nil,
        activator: String? = nil, state: JSONValue? = nil, before: JSONValue? = nil, author: String? = nil,
        isQuiet: Bool = false
    ) {
        self.kind = kind
        self.text = MessageDraft.cut(text)
        (self.rule, self.device, self.activator) = (rule, device, activator)
        (self.state, self.before, self.author) = (state, before, author)
        self.isQuiet = isQuiet || kind == .alert
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > maximumTextByteCount else { return text }
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= maximumTextByteCount - 3 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

/// A message, as it is kept.
///
///     {"id": integer, "time": time, "kind": "alarm" / "alert" / "notification", "text": string,
///      "rule": string, "device": string, "activator": string, "state": value, "before": value,
///      "by": fingerprint, "quiet": true, "count": integer, "last": time,
///      "read": boolean, "acknowledged": {"by": fingerprint, "name": string, "at": time}}
///
/// What a message does not have is left out. `read` is missing where nobody in particular is told. `count`
/// and `last` are those of ``Repeats``.
package struct Message: Equatable, Sendable {
    /// The one who has taken note of an alarm, and when.
    package struct Acknowledgement: Equatable, Sendable {
        /// The device's fingerprint.
        package let by: String
        /// The device's name at that time.
        package let name: String
        package let at: Date

        package init(by: String, name: String, at: Date) {
            (self.by, self.name, self.at) = (by, name, at)
        }
    }

    /// From 1, rising without gaps.
    package let id: Int64
    /// When it was kept, by the hub's clock, which may have been set back: the order is that of the ids.
    package let time: Date
    package let draft: MessageDraft
    package let acknowledged: Acknowledgement?
    /// Nil if what it tells has happened once.
    package let repeats: Repeats?

    package init(
        id: Int64, time: Date, _ draft: MessageDraft, acknowledged: Acknowledgement? = nil,
        repeats: Repeats? = nil
    ) {
        (self.id, self.time, self.draft) = (id, time, draft)
        (self.acknowledged, self.repeats) = (acknowledged, repeats)
    }

    package var kind: MessageKind { draft.kind }
    package var text: String { draft.text }

    /// - Parameter isRead: nil to leave it out.
    package func json(isRead: Bool? = nil) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .integer(id), "time": .string(time.timestampWithMilliseconds),
            "kind": .string(draft.kind.rawValue), "text": .string(draft.text),
        ]
        members["rule"] = draft.rule.map(JSONValue.string)
        members["device"] = draft.device.map(JSONValue.string)
        members["activator"] = draft.activator.map(JSONValue.string)
        members["state"] = draft.state
        members["before"] = draft.before
        members["by"] = draft.author.map(JSONValue.string)
        if draft.isQuiet { members["quiet"] = .boolean(true) }
        members["count"] = repeats.map { .integer($0.count) }
        members["last"] = repeats.map { .string($0.last.timestampWithMilliseconds) }
        members["read"] = isRead.map(JSONValue.boolean)
        members["acknowledged"] = acknowledged.map {
            .object([
                "by": .string($0.by), "name": .string($0.name),
                "at": .string($0.at.timestampWithMilliseconds),
            ])
        }
        return .object(members)
    }
}
