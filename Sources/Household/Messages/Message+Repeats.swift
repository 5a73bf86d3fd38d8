package import FoundationEssentials

/// A sensor that flaps, or a rule on the edge of its line, would tell the same thing a thousand times: what a
/// rule tells again is counted on its message, and people have one to look at and to acknowledge.
extension Message {
    /// How often what it tells has happened, and when last.
    package struct Repeats: Equatable, Sendable {
        /// From 2.
        package let count: Int64
        package let last: Date
        /// When hooks were last run for it; nil: when it was new.
        package let told: Date?

        package init(count: Int64, last: Date, told: Date? = nil) {
            (self.count, self.last, self.told) = (count, last, told)
        }
    }

    /// A rule's notification counts what follows within this time, in seconds. For an open alarm a hook runs
    /// again after it: nobody may have heard the first time.
    package static let repeatTime = 600.0

    /// True if the draft tells the same again, and is to be counted: the same rule with the same text about
    /// the same thing, while its alarm is open, or soon after its notification.
    package func isSame(as draft: MessageDraft, at now: Date) -> Bool {
        guard draft.rule != nil, draft.rule == self.draft.rule, draft.kind == kind, draft.text == text,
            draft.device == self.draft.device, draft.activator == self.draft.activator
        else { return false }
        return switch kind {
        case .alarm: acknowledged == nil
        // Either way: the clock may be set.
        case .alert, .notification: abs(now.timeIntervalSince(time)) < Message.repeatTime
        }
    }

    /// The message with one more.
    package func repeated(at now: Date) -> Message {
        let before = repeats?.told ?? time
        let isDue = kind == .alarm && abs(now.timeIntervalSince(before)) >= Message.repeatTime
        return Message(
            id: id, time: time, draft, acknowledged: acknowledged,
            repeats: Repeats(
                count: (repeats?.count ?? 1) + 1, last: now, told: isDue ? now : repeats?.told))
    }
}
