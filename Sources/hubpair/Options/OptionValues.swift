import ArgumentParser
import Identity

// How options read their values: a refusal names the range and an example. Options with numbers take the next
// word as it is (`parsing: .unconditional`): `-1` is a number out of range then, and not a missing one.

/// - Parameters:
///   - fault: what is wrong with a value that `read` does not take.
///   - example: what to give.
func optionValue<Value>(
    _ fault: String, give example: String, _ read: @escaping @Sendable (String) -> Value?
) -> @Sendable (String) throws -> Value {
    { text in
        guard let value = read(text) else { throw ValidationError("\(fault). Give \(example)") }
        return value
    }
}

/// A span of time: `90`, `90s`, `10m`, `2h`, `7d`, `1h30m`; a number alone is seconds.
///
/// - Parameters:
///   - least: the shortest that is accepted; nil for any above 0.
///   - limit: the longest.
///   - bare: the least number that may stand alone. Below it seconds are hardly meant, and the unit in which
///     it would make sense is proposed.
func durationValue(
    from least: Duration? = nil, atMost limit: Duration, like example: String,
    bare: (least: Double, unit: Character)? = nil
) -> @Sendable (String) throws -> Duration {
    let range =
        least.map { "from \($0.written) to \(limit.written)" } ?? "above 0 and at most \(limit.written)"
    let read = optionValue("not a time", give: "one \(range), like \(example)") { (text: String) in
        SaidTime.span(text).flatMap { $0 > .zero && $0 >= least ?? .zero && $0 <= limit ? $0 : nil }
    }
    return { text in
        if let bare, let number = Double(text), number > 0, number < bare.least {
            throw ValidationError("\(text) alone is seconds. Did you mean \(text)\(bare.unit)?")
        }
        return try read(text)
    }
}

/// A whole number.
func countValue(_ range: ClosedRange<Int>, like example: Int) -> @Sendable (String) throws -> Int {
    optionValue(
        "not a number in range", give: "one from \(range.lowerBound) to \(range.upperBound), like \(example)"
    ) { text in
        Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
}
