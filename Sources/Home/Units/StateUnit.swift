package import Identity

/// What the levels of an activator count: the level 0 is `from`, 1 is `to`.
///
///     unit  = symbol SP range
///     range = number ".." number                     ; the first is the smaller one
///     number = [ "-" ] 1*6DIGIT [ "." 1*3DIGIT ]
///
/// `symbol` has 1 to 16 bytes without control characters and spaces at its ends, and no digit, sign or point
/// at its beginning, so that `21°C` can be taken apart. `%`, `on` and `off` mean something else already.
///
/// Accepted: `°C 5..30`, `min 0..90`, `°C -30..-10`. Rejected: `°C 5..5`, `°C 30..5`, `°C nan..5`, `%
/// 0..100`, `5 0..1`.
package struct StateUnit: Equatable, Sendable {
    package static let maximumSymbolByteCount = 16
    /// The most bytes of a range, with its points.
    private static let maximumRangeByteCount = 24

    package let symbol: String
    package let from: Double
    package let to: Double

    package init(symbol: String, range: String) throws(StateUnitError) {
        let parts = range.utf8.count <= StateUnit.maximumRangeByteCount ? StateUnit.ends(of: range) : nil
        guard let (from, to) = parts else { throw .noRange(range) }
        try self.init(symbol: symbol, from: from, to: to)
    }

    /// - Parameters:
    ///   - from: what the level 0 is.
    ///   - to: what the level 1 is, above `from`.
    package init(symbol: String, from: Double, to: Double) throws(StateUnitError) {
        try StateUnit.check(symbol)
        // NaN is in no range. A number that no range can be written with would not be read again.
        let bounds = -999_999.999...999_999.999
        guard bounds.contains(from), bounds.contains(to) else { throw .beyondBounds }
        guard from < to, StateUnit.text(from) != StateUnit.text(to) else {
            throw .empty(StateUnit.text(from), StateUnit.text(to))
        }
        (self.symbol, self.from, self.to) = (symbol, StateUnit.rounded(from), StateUnit.rounded(to))
    }

    private static func check(_ symbol: String) throws(StateUnitError) {
        guard symbol.utf8.count <= maximumSymbolByteCount else { throw .badSymbol(symbol, "it is too long") }
        guard let first = symbol.unicodeScalars.first, let last = symbol.unicodeScalars.last else {
            throw .badSymbol(symbol, "it is empty")
        }
        guard !first.properties.isWhitespace, !last.properties.isWhitespace else {
            throw .badSymbol(symbol, "it begins or ends with a space")
        }
        guard SafeText.escaped(symbol) == symbol else {
            throw .badSymbol(symbol, "it has characters that cannot be shown")
        }
        let isNumber = first.properties.numericType != nil || "+-.".unicodeScalars.contains(first)
        guard !isNumber else { throw .badSymbol(symbol, "it begins like a number") }
        guard !symbol.contains("%") else { throw .badSymbol(symbol, "a percentage needs no unit") }
        guard !["on", "off", "none"].contains(symbol.lowercased()) else {
            throw .badSymbol(symbol, "it means something else")
        }
    }

    private static func ends(of range: String) -> (Double, Double)? {
        guard let points = range.firstRange(of: ".."), let from = number(range[..<points.lowerBound]),
            let to = number(range[points.upperBound...])
        else { return nil }
        return (from, to)
    }

    /// `[ "-" ] 1*6DIGIT [ "." 1*maximumDecimals DIGIT ]`; nil for anything else. Double would also read
    /// hexadecimal, exponents, infinities and NaN.
    package static func number(_ text: Substring, maximumDecimals: Int = 3) -> Double? {
        let parts = (text.hasPrefix("-") ? text.dropFirst() : text)
            .split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy {
            !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
        }
        guard areDigits, (1...2).contains(parts.count), parts[0].utf8.count <= 6,
            parts.dropFirst().allSatisfy({ $0.utf8.count <= maximumDecimals })
        else { return nil }
        return Double(text)
    }

    /// `5..30`.
    package var range: String { "\(StateUnit.text(from))..\(StateUnit.text(to))" }

    /// The level, 0 to 1, that is `value`; nil beyond the range.
    package func level(of value: Double) -> Double? {
        guard value >= from, value <= to else { return nil }
        return min(1, max(0, (value - from) / (to - from)))
    }

    /// What a level counts. As exact as a tenth of a percent of the range, which is what appliances do.
    package func value(ofLevel level: Double) -> Double {
        let value = from + level * (to - from)
        let step = (to - from) / 1_000
        let digits = step >= 0.5 ? 1.0 : step >= 0.005 ? 10.0 : 1_000.0
        // Without a negative zero.
        return (value * digits).rounded() / digits + 0
    }

    /// A level in words: `21 °C`.
    package func text(ofLevel level: Double) -> String {
        "\(StateUnit.text(value(ofLevel: level))) \(symbol)"
    }

    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 + 0 }

    /// A number with at most three digits after the point, as a range has it.
    package static func text(_ value: Double) -> String {
        let thousandths = Int((value * 1_000).rounded())
        let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1_000)
        var text = (thousandths < 0 ? "-" : "") + "\(whole)"
        guard rest > 0 else { return text }
        var digits = "\(1_000 + rest)".dropFirst()
        while digits.last == "0" { digits.removeLast() }
        text += ".\(digits)"
        return text
    }

    /// True if a symbol that was said is this one: `C` and `degrees` are `°C`, too.
    func isCalled(_ said: String) -> Bool {
        let (one, other) = (symbol.lowercased(), said.lowercased())
        if one == other { return true }
        return isOfDegrees
            && (other == "°" || one == "°" + other || ["degrees", "degree", "grad"].contains(other))
    }

    var isFahrenheit: Bool { symbol.hasSuffix("F") || symbol == "℉" }

    /// True if people say degrees.
    var isOfDegrees: Bool {
        symbol.hasPrefix("°") || symbol.hasPrefix("º")
            || ["℃", "℉", "C", "F", "degrees", "Grad"].contains(symbol)
    }
}

/// Why something cannot be a unit.
package enum StateUnitError: Equatable, UserError {
    case badSymbol(String, String)
    /// Not two numbers with two points between them.
    case noRange(String)
    /// Nothing lies between the two numbers.
    case empty(String, String)
    case beyondBounds

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .badSymbol(let symbol, let reason): "\(quoted(symbol)) cannot be a unit: \(reason)"
        case .noRange(let text): "\(quoted(text)) is no range"
        case .empty(let from, let to): "nothing lies between \(from) and \(to)"
        case .beyondBounds: "a range goes from -999999.999 to 999999.999 at most"
        }
    }

    package var kind: UserErrorKind { .usage }

    /// How to fix it.
    package var hint: String? {
        switch self {
        case .badSymbol: "give one like °C, min or lx, of at most \(StateUnit.maximumSymbolByteCount) bytes"
        case .noRange, .empty, .beyondBounds: "give what 0% and 100% are, the smaller one first, like 5..30"
        }
    }
}
