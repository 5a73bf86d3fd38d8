package import JSON

/// The line that a state crosses.
///
///     condition = "on" / "off" / ( "above" / "below" ) SP number       ; number: RFC 8259 § 6
///
/// `on` is a state of `true`, or a number above 0; `off` is `false`, or 0. `above` and `below` are about
/// numbers alone, and the number itself is neither. Other states fulfil none of them.
///
/// Accepted: `on`, `above 0.5`, `below -3`. Rejected: `On`, `above`, `above 1,5`, `above 50%`, `above  1`.
package enum RuleCondition: Equatable, Sendable, CustomStringConvertible {
    case on
    case off
    case above(Double)
    case below(Double)

    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let number = words.count == 2 ? JSONValue(parsing: Array(words[1].utf8))?.asDouble : nil
        switch (words.first, words.count, number) {
        case ("on", 1, _): self = .on
        case ("off", 1, _): self = .off
        case ("above", 2, let number?): self = .above(number)
        case ("below", 2, let number?): self = .below(number)
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .above(let number): "above \(RuleCondition.text(number))"
        case .below(let number): "below \(RuleCondition.text(number))"
        }
    }

    private static func text(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? String(number)
    }

    /// True if the state is on the far side of the line.
    package func holds(for state: JSONValue) -> Bool {
        switch (self, state, state.asDouble) {
        case (.on, .boolean(let isOn), _): isOn
        case (.off, .boolean(let isOn), _): !isOn
        case (.on, _, let number?): number > 0
        case (.off, _, let number?): number == 0
        case (.above(let line), _, let number?): number > line
        case (.below(let line), _, let number?): number < line
        default: false
        }
    }
}
