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

    package init(
        kind: MessageKind, text: String, rule: String? = nil, device: String? = nil,
        activator: String? = nil, state: JSONValue? = nil, before: JSONValue? = nil
    ) {
        self.kind = kind
        self.text = MessageDraft.cut(text)
        (self.rule, self.device, self.activator) = (rule, device, activator)
        (self.state, self.before) = (state, before)
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
///      "read": boolean, "acknowledged": {"by": fingerprint, "name": string, "at": time}}
///
/// What a message does not have is left out. `read` is missing where nobody in particular is told.
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

    package init(id: Int64, time: Date, _ draft: MessageDraft, acknowledged: Acknowledgement? = nil) {
        (self.id, self.time, self.draft, self.acknowledged) = (id, time, draft, acknowledged)
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
