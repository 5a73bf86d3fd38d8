package import FoundationEssentials
package import JSON

/// When an approval ends.
///
///     in JSON: nothing / "for": seconds / "until": time / "until": null
package enum ApprovalEnd: Equatable, Sendable {
    /// A new one does not; one that is there ends when it did.
    case unsaid
    /// It does not.
    case never
    /// After so many seconds.
    case after(Double)
    case at(Date)

    /// What says so in an object of JSON.
    package var members: [String: JSONValue] {
        switch self {
        case .unsaid: [:]
        case .never: ["until": .null]
        case .after(let seconds): ["for": .number(seconds)]
        case .at(let date): ["until": .string(date.timestamp)]
        }
    }

    /// The longest span of an approval: a hundred years, in seconds.
    package static let longest = 36_500.0 * 86_400

    /// Nil if the members contradict each other, or say no time; `for` is above 0 and at most ``longest``.
    package init?(members: [String: JSONValue]) {
        switch (members["for"], members["until"]) {
        case (nil, nil): self = .unsaid
        case (nil, .null?): self = .never
        case (nil, .string(let text)?):
            guard let date = Date(timestamp: text) else { return nil }
            self = .at(date)
        case (let span?, nil):
            guard let seconds = span.asDouble, seconds > 0, seconds <= ApprovalEnd.longest else { return nil }
            self = .after(seconds)
        default: return nil
        }
    }
}
