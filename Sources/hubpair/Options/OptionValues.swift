import ArgumentParser

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

/// A number of seconds.
///
/// - Parameter least: the smallest that is accepted; nil for any above 0.
func secondsValue(
    from least: Double? = nil, atMost limit: Int, like example: String
) -> @Sendable (String) throws -> Double {
    let range = least.map { "from \($0) to \(limit)" } ?? "above 0 and at most \(limit)"
    return optionValue("not a time", give: "seconds, \(range), like \(example)") { text in
        Double(text).flatMap { $0 > 0 && $0 >= least ?? 0 && $0 <= Double(limit) ? $0 : nil }
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
