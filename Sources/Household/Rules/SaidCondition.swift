package import Home
package import Identity
import JSON

/// A rule's condition as somebody says it, before it is known what the levels of the activator count.
///
///     said = "on" / "off" / ( "above" / "below" ) 1*SP number    ; number: an amount of SaidSetting, or a
///                                                                ; percentage; upper or lower case
///
/// Of an activator with a unit a number is an amount in that unit, and `%` a part of its range. Without a
/// unit it is the state itself.
///
/// Accepted: `on`, `above 25`, `Above 25 °C`, `below 20%`. Rejected: `above`, `above warm`, `over 5`.
package struct SaidCondition: Equatable, Sendable {
    private enum Line: Equatable { case above, below }

    private enum Meaning: Equatable {
        case plain(RuleCondition)
        case line(Line, SaidSetting)
    }

    private let meaning: Meaning

    fileprivate static let forms =
        "give on, off, 'above 0.8' or 'below 20%'; 'above 25' where 'home unit' says what the levels count"

    package init(_ text: String) throws(ConditionError) {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        let rest = words.count == 2 ? String(words[1].drop { $0 == " " }) : ""
        switch (words.first?.lowercased(), rest.lowercased()) {
        case ("on", ""): meaning = .plain(.on)
        case ("off", ""): meaning = .plain(.off)
        case (let word?, _) where ["above", "below"].contains(word) && !rest.isEmpty:
            let line = word == "above" ? Line.above : .below
            // What a program has computed may have an exponent, and is the state itself.
            let said = try? SaidSetting(rest)
            let isPlain = if case .amount(_, nil, _)? = said { false } else { true }
            if isPlain, let condition = RuleCondition("\(word) \(rest)") {
                meaning = .plain(condition)
                return
            }
            switch said {
            case .setting(.on), .setting(.off), .colour, nil: throw .noCondition(text)
            case let said?: meaning = .line(line, said)
            }
        default: throw .noCondition(text)
        }
    }

    /// True if it is about a number: of a lamp with a switch and a brightness the brightness is meant.
    package var isLine: Bool {
        switch meaning {
        case .plain(.above), .plain(.below), .line: true
        case .plain(.on), .plain(.off): false
        }
    }

    /// The condition on the states of an activator.
    ///
    /// - Parameters:
    ///   - name: the appliance's, for messages.
    ///   - unit: what its levels count; nil if that is not known.
    package func condition(on activator: Activator, of name: String, _ unit: StateUnit?)
        throws(SettingError) -> RuleCondition
    {
        if isLine, activator.kind == .bool { throw .onlyOnAndOff(activator: activator.name) }
        let (line, said): (Line, SaidSetting)
        switch meaning {
        case .plain(let condition): return condition
        case .line(let way, let setting): (line, said) = (way, setting)
        }
        let number: Double
        switch said {
        case .amount(let value, nil, let text) where unit == nil:
            // A line that no level can cross would never tell.
            let isLevel = activator.state.asDouble.map((0...1).contains) ?? false
            guard !isLevel || (0...1).contains(value) else {
                throw .noUnit(text, device: name, activator: activator.name)
            }
            number = value
        default:
            guard case .level(let level) = try said.setting(for: activator, of: name, unit) else {
                throw .onlyOnAndOff(activator: activator.name)
            }
            number = level
        }
        return line == .above ? .above(number) : .below(number)
    }
}

/// Words that are no condition.
package enum ConditionError: Equatable, UserError {
    case noCondition(String)

    package var description: String {
        switch self {
        case .noCondition(let text): "\(quoted(text)) is no condition"
        }
    }

    package var kind: UserErrorKind { .usage }

    package var hint: String? {
        let words: Set<String> = ["open", "opened", "closed", "locked", "unlocked"]
        guard case .noCondition(let text) = self, words.contains(text.lowercased()) else {
            return SaidCondition.forms
        }
        return "give on or off: 'hubpair home show APPLIANCE' says which of them it is then"
    }
}

extension Rule {
    /// The rule with its line in another unit, where its text ends with it, as one that nobody has written
    /// does; nil if there is nothing to say otherwise.
    package func retold(from before: StateUnit?, to after: StateUnit?) -> Rule? {
        let tellings = [condition.words(in: before), condition.saying(nil), condition.description]
        guard let told = tellings.first(where: { text.hasSuffix(" is \($0)") }) else { return nil }
        let retold = String(text.dropLast(told.count)) + condition.saying(after)
        guard retold != text else { return nil }
        return Rule(
            name: name, device: device, activator: activator, condition: condition, kind: kind, text: retold,
            scenes: scenes, run: run, proviso: proviso)
    }
}

extension RuleCondition {
    /// The level of its line; nil if it has none, or none that counts something.
    private var level: Double? {
        switch self {
        case .above(let level), .below(let level): (0...1).contains(level) ? level : nil
        case .on, .off: nil
        }
    }

    /// In words: `above 25 °C`.
    package func words(in unit: StateUnit?) -> String {
        guard let unit, let level else { return description }
        let word = if case .above = self { "above" } else { "below" }
        return "\(word) \(unit.text(ofLevel: level))"
    }

    /// The same; without a unit as a part of a hundred.
    fileprivate func saying(_ unit: StateUnit?) -> String {
        guard unit == nil, let level else { return words(in: unit) }
        let word = if case .above = self { "above" } else { "below" }
        return "\(word) \(Setting.level(level).text)"
    }

    /// What the line counts; nil if it has no level or there is no unit.
    package func amount(in unit: StateUnit?) -> (value: Double, unit: String)? {
        guard let unit, let level else { return nil }
        return (unit.value(ofLevel: level), unit.symbol)
    }
}
