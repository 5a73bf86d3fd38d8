/// The setting at the end of an order.
///
///     setting    = [ "to" ] ( "on" / "off" / percentage / word [ "brightness" ] ) / "to" number
///                / "at" ( percentage / word [ "brightness" ] )    ; "at 5" may be a time
///     percentage = number ( "%" / "percent" / "per cent" )        ; 0 to 100
///     word       = "full" / "maximum" / "max" / "half" / "minimum" / "min"
///
/// A `number` after "to" is a fraction if it is `0.x` or `1.0`, and a percentage if it is whole, 0 or 2 to
/// 100. A bare 1 is refused: it may be 1% or, as in `home set`, all of it. "up" or "down" may stand before
/// "to". Only after the verb "set" the "to" before a number may be left out: "set the lamp 40".
///
/// Accepted: `to 40 percent`, `at half`, `full`, `to 0.4`. Rejected: `at 5`, `to 1`, `to 140`, `to 12.5` (no
/// percent), `by 20 percent`.
struct SpokenLevel: Equatable, Sendable {
    /// The words before the setting.
    var rest: [SpokenWord]
    let setting: Setting
    /// True if "to" or "at" stood before it.
    let hasTo: Bool
    /// True if it is a number with neither "to" nor "percent": the number may be part of a name.
    let isBare: Bool

    /// The ways to read the end of `words` as a setting: several where a number can belong to the name before
    /// it.
    ///
    /// - Parameter isBareAllowed: whether a number may stand without "to" and "percent".
    static func readings(_ words: [SpokenWord], isBareAllowed: Bool) throws(SpokenError) -> [SpokenLevel] {
        var rest = words
        if rest.last?.isOne(of: ["on", "off"]) == true {
            let setting: Setting = rest.removeLast().text == "on" ? .on : .off
            let hasTo = dropTo(&rest)
            return [SpokenLevel(rest: rest, setting: setting, hasTo: hasTo, isBare: false)]
        }
        if rest.last?.isOne(of: ["brightness"]) == true,
            rest.dropLast().last?.isOne(of: Set(SpokenVocabulary.levels.keys)) == true
        {
            rest.removeLast()
        }
        if let last = rest.last, !last.isName, let level = SpokenVocabulary.levels[last.text] {
            rest.removeLast()
            let hasTo = dropTo(&rest) || dropAt(&rest)
            return [SpokenLevel(rest: rest, setting: .level(level), hasTo: hasTo, isBare: false)]
        }
        return try numbers(rest, isBareAllowed: isBareAllowed)
    }

    private static func numbers(_ words: [SpokenWord], isBareAllowed: Bool) throws(SpokenError)
        -> [SpokenLevel]
    {
        var rest = words
        let isPercent = dropPercent(&rest)
        var readings: [SpokenLevel] = []
        var refusal: SpokenError?
        for count in 1...2 where rest.count >= count {
            let number = rest.suffix(count)
            guard !number.contains(where: \.isName), let value = SpokenNumber.value(of: number.map(\.text))
            else {
                continue
            }
            var before = Array(rest.dropLast(count))
            if number.first?.text == "hundred", before.last?.isOne(of: ["a"]) == true { before.removeLast() }
            let hasTo = dropTo(&before) || isPercent && dropAt(&before)
            guard isPercent || hasTo || isBareAllowed, before.last?.text != "-" else { continue }
            do {
                let level = try level(value, as: number.map(\.text), isPercent: isPercent)
                readings.append(
                    SpokenLevel(
                        rest: before, setting: .level(level), hasTo: hasTo, isBare: !isPercent && !hasTo))
            } catch {
                refusal = refusal ?? error
            }
        }
        if readings.isEmpty, let refusal { throw refusal }
        return readings
    }

    private static func level(_ value: Double, as words: [String], isPercent: Bool) throws(SpokenError)
        -> Double
    {
        let text = words.joined(separator: " ")
        if isPercent {
            guard value <= 100 else { throw .outOfRange(text) }
            return value / 100
        }
        if text.contains(".") {
            guard value <= 1 else { throw .bareNumber(text) }
            return value
        }
        guard value != 1 else { throw .bareNumber(text) }
        guard value <= 100 else { throw .outOfRange(text) }
        return value / 100
    }

    private static func dropPercent(_ words: inout [SpokenWord]) -> Bool {
        if words.last?.isOne(of: ["%", "percent"]) == true {
            words.removeLast()
            return true
        }
        if words.last?.isOne(of: ["cent"]) == true, words.dropLast().last?.isOne(of: ["per"]) == true {
            words.removeLast(2)
            return true
        }
        return false
    }

    private static func dropAt(_ words: inout [SpokenWord]) -> Bool {
        guard words.last?.isOne(of: ["at"]) == true else { return false }
        words.removeLast()
        return true
    }

    private static func dropTo(_ words: inout [SpokenWord]) -> Bool {
        guard words.last?.isOne(of: ["to"]) == true else { return false }
        words.removeLast()
        if words.last?.isOne(of: SpokenVocabulary.up) == true { words.removeLast() }
        return true
    }
}
