/// What somebody wants an appliance to be set to, before it is known what its levels count.
///
///     said   = setting / amount / colour
///     amount = [ "-" ] 1*6DIGIT [ "." 1*17DIGIT ] [ SP ] [ symbol ]
///
/// Of an activator with a unit, a number is an amount in that unit, and `%` a part of its range. Without a
/// unit a number from 0 to 1 is a level; any other is refused.
///
/// A colour is a ``ColourWord``, of a light that has colours.
///
/// Accepted: `on`, `40%`, `0.4`, `21`, `21°C`, `-18 °C`, `turquoise`. Rejected: `1e3`, `warm`, `140%`.
package enum SaidSetting: Equatable, Sendable {
    case setting(Setting)
    /// A number, and the unit's symbol if that was said, too; the text for messages.
    case amount(Double, symbol: String?, text: String)
    case colour(ColourWord)

    package init(_ text: String) throws(SettingError) {
        if let amount = SaidSetting.parsed(text) {
            self = amount
        } else if let colour = ColourWord(text) {
            self = .colour(colour)
        } else {
            self = .setting(try Setting(text))
        }
    }

    private static func parsed(_ text: String) -> SaidSetting? {
        // The longest number, a space and the longest symbol have 42 bytes.
        guard text.utf8.count <= 48 else { return nil }
        let digits = text.prefix { $0 == "-" || $0 == "." || $0.isASCII && $0.isNumber }
        let rest = text[digits.endIndex...]
        let symbol = rest.drop { $0 == " " }
        guard !symbol.hasPrefix("%"), rest.isEmpty == symbol.isEmpty else { return nil }
        // What a program has computed is written with all of its digits.
        guard let value = StateUnit.number(digits, maximumDecimals: 17) else { return nil }
        return .amount(value, symbol: symbol.isEmpty ? nil : String(symbol), text: text)
    }

    /// Two words that are one setting: `21`, `degrees`; nil if they are not.
    package init?(_ number: String, _ symbol: String) {
        guard (try? SaidSetting(symbol)) == nil, case .amount(_, nil, _)? = SaidSetting.parsed(number),
            let both = SaidSetting.parsed("\(number) \(symbol)")
        else { return nil }
        self = both
    }

    /// The activator that is meant if none is named.
    package func activator(of device: ControlledDevice, _ units: StateUnits) throws(SettingError) -> Activator
    {
        switch self {
        case .setting(let setting): try device.activator(for: setting)
        case .amount: try units.activator(of: device)
        case .colour(let colour):
            if let activator = device.activators.first(where: {
                ColourWord.strip(of: $0, device) == colour.strip && units[device.id, $0.id] == nil
            }) {
                activator
            } else {
                throw .noColour(colour.english, device: device.name)
            }
        }
    }

    /// The setting for an activator.
    ///
    /// - Parameter name: the appliance's, for messages.
    package func setting(for activator: Activator, of name: String, _ unit: StateUnit?)
        throws(SettingError) -> Setting
    {
        let (value, symbol, text): (Double, String?, String)
        switch self {
        case .setting(let setting): return setting
        case .colour(let colour): return .level(colour.level)
        case .amount(let number, let said, let words): (value, symbol, text) = (number, said, words)
        }
        guard let unit else {
            if symbol == nil, (0...1).contains(value) { return .level(value) }
            guard activator.kind == .float else { throw .onlyOnAndOff(activator: activator.name) }
            throw .noUnit(text, device: name, activator: activator.name)
        }
        if let symbol, !unit.isCalled(symbol) { throw .otherUnit(text, device: name, symbol: unit.symbol) }
        guard let level = unit.level(of: value) else {
            throw .beyondUnit(text, device: name, range: unit.range, symbol: unit.symbol)
        }
        return .level(level)
    }

    /// In a word: `on`, `40%`, `21 °C`.
    package var text: String {
        switch self {
        case .setting(let setting): setting.text
        case .amount(let value, nil, _) where (0...1).contains(value): Setting.level(value).text
        case .amount(_, _, let text): text
        case .colour(let colour): colour.english
        }
    }
}
