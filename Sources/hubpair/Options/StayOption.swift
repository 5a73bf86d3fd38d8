import ArgumentParser
import FoundationEssentials
import Identity
import Pairing

/// `--stay`: how long a device may come in that a code lets in; `--expires` is the code's own life.
///
///     stay = a span with its unit / a PointInTime / "forever"
///
/// Accepted: `2d`, `2 weeks`, `18:00`, `6pm`, `2026-12-31`, `forever`.
/// Rejected: `2`, since nobody means seconds.
struct StayOption: ParsableArguments {
    static let question = "How long may the guest come in, like 2h, 2d, 18:00, 2026-12-31 or forever?"

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long the device may come in, like 2d, 18:00, 2026-12-31, or forever; a guest's code asks.",
            valueName: "time"),
        transform: { text in
            guard let stay = ApprovalEnd(stay: text) else { throw ValidationError(StayFault().description) }
            return stay
        })
    var stay: ApprovalEnd?
}

/// An answer that says no stay.
struct StayFault: UserError {
    var description: String {
        "not a stay. Give a span like 2h or 2d, a time like 18:00, a day like 2026-12-31, or forever"
    }
    var kind: UserErrorKind { .usage }
    var hint: String? { nil }
}

extension ApprovalEnd {
    init?(stay text: String) {
        if text == "forever" {
            self = .never
        } else if let span = SaidTime.span(text) {
            let isBare = text.utf8.allSatisfy { $0 != UInt8(ascii: ".") ? (0x30...0x39).contains($0) : true }
            guard !isBare, span >= .seconds(1), span.inSeconds <= ApprovalEnd.longest else { return nil }
            self = .after(span.inSeconds)
        } else {
            guard let time = PointInTime(text) ?? SaidTime.clock(text).flatMap({ PointInTime($0) }) else {
                return nil
            }
            self = .at(time.date)
        }
    }

    /// `for 2 days`, `until 18:00`; nil for ever.
    func words(seenAt now: Date) -> String? {
        switch self {
        case .unsaid, .never: nil
        case .after(let seconds): "for \(Duration(passed: seconds).words)"
        case .at(let date): "until \(LocalTime(date).text(seenAt: now))"
        }
    }

    /// The same, short: `2d`.
    func cell(seenAt now: Date) -> String? {
        if case .after(let seconds) = self { return "for \(Duration(passed: seconds).written)" }
        return words(seenAt: now)
    }
}
