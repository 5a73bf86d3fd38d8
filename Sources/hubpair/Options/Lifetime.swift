/// How long a code lives, as a person writes it.
///
///     lifetime = 1*( 1*9DIGIT unit )           ; unit: s, m, h, d or w
///
/// Accepted: `10m`, `90s`, `1h30m`. Rejected: `10` (no unit), `-5m`, `0m`, `1.5h`, `10 m`.
struct Lifetime: Equatable {
    let seconds: Int

    init?(argument: String) {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        var total = 0
        var digits = ""
        for character in argument {
            if character.isASCII, character.isNumber {
                digits.append(character)
                guard digits.count <= 9 else { return nil }
            } else {
                guard let unit = units[character], let count = Int(digits) else { return nil }
                total += count * unit
                guard total <= 1 << 40 else { return nil }
                digits = ""
            }
        }
        guard digits.isEmpty, total > 0 else { return nil }
        seconds = total
    }

    /// A span of time in words: `10 minutes`, `1 hour`, `3 days`; rounded down to its largest unit.
    static func words(_ seconds: Double) -> String {
        let whole = Int(max(0, min(seconds, 1e12)))
        let (count, unit) =
            switch whole {
            case ..<120: (whole, "second")
            case ..<7200: (whole / 60, "minute")
            case ..<172_800: (whole / 3600, "hour")
            default: (whole / 86_400, "day")
            }
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// A span of time as it was given: `10 seconds`, `0.5 seconds`.
    static func seconds(_ seconds: Double) -> String {
        let isWhole = seconds == seconds.rounded() && abs(seconds) < 1e9
        return "\(isWhole ? "\(Int(seconds))" : "\(seconds)") second\(seconds == 1 ? "" : "s")"
    }

    /// A span of time as a clock shows it: `9:58`.
    static func clock(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }
}
