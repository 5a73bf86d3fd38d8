import Home
import Household
import JSON
import Testing

/// A rule's condition in the words of the command line.
@Suite struct SaidConditionTests {
    private static let level = Activator(
        id: "a", rank: 0, name: "Temperature", kind: .float, state: .number(0.4), extra: [:])
    private static let power = Activator(
        id: "a", rank: 0, name: "On/Off", kind: .bool, state: .boolean(true), extra: [:])
    private static let raw = Activator(
        id: "a", rank: 0, name: "Lux", kind: .float, state: .number(340), extra: [:])

    private func condition(
        _ text: String, on activator: Activator = level, range: String? = nil
    ) throws -> String {
        let unit = try range.map { try StateUnit(symbol: "°C", range: $0) }
        return try SaidCondition(text).condition(on: activator, of: "Thermometer", unit).description
    }

    @Test(arguments: [
        ("on", "on"), ("OFF", "off"), ("above 0.8", "above 0.8"), ("below 20%", "below 0.2"),
        ("Above  40%", "above 0.4"), ("below 1", "below 1"), ("above 1e-1", "above 0.1"),
    ])
    func withoutAUnitANumberIsTheStateItself(_ text: String, _ expected: String) throws {
        #expect(try condition(text) == expected)
    }

    @Test(arguments: [
        ("above 25", "above 0.8"), ("above 25 °C", "above 0.8"), ("below 5°C", "below 0"),
        ("above 17.5 degrees", "above 0.5"), ("above 40%", "above 0.4"), ("on", "on"),
    ])
    func withAUnitItIsAnAmount(_ text: String, _ expected: String) throws {
        #expect(try condition(text, range: "5..30") == expected)
    }

    @Test func whatIsBelowZeroIsAnAmountToo() throws {
        #expect(try condition("above -15", range: "-30..-10") == "above 0.75")
        #expect(try condition("below -3", on: Self.raw) == "below -3")
        #expect(try condition("above 500", on: Self.raw) == "above 500")
    }

    @Test(arguments: [
        "", "over 5", "above", "above warm", "on 5", "above on", "25",
    ])
    func otherWordsAreNone(_ text: String) {
        #expect(throws: ConditionError.noCondition(text)) { try SaidCondition(text) }
    }

    @Test func aLineThatNothingCrossesIsRefused() {
        #expect(throws: SettingError.self) { try condition("above 25") }
        #expect(throws: SettingError.self) { try condition("above 0,5") }
        #expect(throws: SettingError.self) { try condition("above 5 .. 6", range: "5..30") }
        #expect(throws: SettingError.self) { try condition("below -3") }
        #expect(throws: SettingError.self) { try condition("above 25 °C") }
        #expect(throws: SettingError.self) { try condition("above 31", range: "5..30") }
        #expect(throws: SettingError.self) { try condition("above 20 min", range: "5..30") }
        #expect(throws: SettingError.self) { try condition("above 50%", on: Self.power) }
        #expect(throws: SettingError.self) { try condition("above 0.5", on: Self.power) }
    }

    @Test func itIsToldInItsUnit() throws {
        let unit = try StateUnit(symbol: "°C", range: "5..30")
        #expect(RuleCondition.above(0.8).words(in: unit) == "above 25 °C")
        #expect(RuleCondition.below(0.5).words(in: unit) == "below 17.5 °C")
        #expect(RuleCondition.above(0.8).words(in: nil) == "above 0.8")
        #expect(RuleCondition.above(3).words(in: unit) == "above 3")
        #expect(RuleCondition.on.words(in: unit) == "on")
        let amount = RuleCondition.above(0.8).amount(in: unit)
        #expect(amount?.value == 25 && amount?.unit == "°C")
        #expect(RuleCondition.off.amount(in: unit) == nil)
    }

    /// Every tenth of a percent of a range comes back as the level that it was made of.
    @Test(arguments: ["5..30", "0..90", "-30..-10", "0..1000", "0..0.5"])
    func anAmountComesBackAsItsLevel(_ range: String) throws {
        let unit = try StateUnit(symbol: "x", range: range)
        for step in 0...1_000 {
            let level = Double(step) / 1_000
            let words = RuleCondition.above(level).words(in: unit)
            let again = try SaidCondition(words).condition(on: Self.level, of: "T", unit)
            guard case .above(let back) = again else {
                Issue.record("\(words)")
                continue
            }
            // Half of what is told of it.
            #expect(abs(back - level) <= 0.0026, "\(words)")
        }
    }
}
