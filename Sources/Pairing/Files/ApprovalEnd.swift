package import FoundationEssentials
package import JSON

/// When an approval ends.
///
///     in JSON:             nothing / "for": seconds / "until": time / "until": null
///     of a code, in files: nothing / "stay=" ( 1*DIGIT / time / "forever" )      ; seconds from the pairing
///     of a code, in JSON:  nothing / "stay": seconds / time / null
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

// How long the device stays that a code lets in.
extension ApprovalEnd {
    private static let forever = "forever"

    /// As the record of a code has it; nil if nothing was said.
    package var stayText: String? {
        switch self {
        case .unsaid: nil
        case .never: ApprovalEnd.forever
        case .after(let seconds): String(Int64(seconds.rounded(.up)))
        case .at(let date): date.timestamp
        }
    }

    package init?(stayText text: String) {
        if text == ApprovalEnd.forever {
            self = .never
        } else if let seconds = Int64(digits: text) {
            guard seconds > 0, Double(seconds) <= ApprovalEnd.longest else { return nil }
            self = .after(Double(seconds))
        } else {
            guard let date = Date(timestamp: text) else { return nil }
            self = .at(date)
        }
    }

    /// As a member of JSON; null: for ever.
    package var stayJSON: JSONValue {
        switch self {
        case .unsaid, .never: .null
        case .after(let seconds): .integer(Int64(seconds.rounded(.up)))
        case .at(let date): .string(date.timestamp)
        }
    }

    /// - Parameter json: nil if nothing is said of it.
    package init?(stayJSON json: JSONValue?) {
        switch json {
        case nil: self = .unsaid
        case .null?: self = .never
        case .string(let text)?:
            guard let date = Date(timestamp: text) else { return nil }
            self = .at(date)
        case let span?:
            guard let seconds = span.asDouble, seconds > 0, seconds <= ApprovalEnd.longest else { return nil }
            self = .after(seconds)
        }
    }

    /// When the approval ends of a device that has used the code; nil: it does not.
    ///
    /// - Parameter seen: the latest moment that is known. A clock that is behind it counts from there: while
    ///   it is behind, an approval with an end counts for nothing.
    func end(of use: Moment, seen: Moment?) -> Date? {
        switch self {
        case .unsaid, .never: nil
        case .at(let date): date
        case .after(let seconds):
            Date(
                timeIntervalSince1970: (use.wall(notBefore: seen) ?? seen?.wall ?? use.wall)
                    .addingTimeInterval(seconds).timeIntervalSince1970.rounded(.up))
        }
    }
}
