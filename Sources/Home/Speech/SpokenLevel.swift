/// The setting at the end of an order.
///
///     setting    = [ "to" ] ( "on" / "off" / percentage / word [ "brightness" ] ) / "to" number
///                / "at" ( percentage / word [ "brightness" ] )    ; "at 5" may be a time
///     percentage = number ( "%" / "percent" / "per cent" )        ; 0 to 100
///     setting   =/ ( "to" / "at" ) number ( "degrees" / "celsius" )  ; of what has a unit (StateUnit)
///     setting   =/ ( word / percentage ) ( "open" / "closed" )     ; "half open", "30% closed"
///     setting   =/ ( percentage / word ) "on"                      ; "to 30% on": it is also turned on
///     setting   =/ [ "a bit" ] ( "up" / "down" / "brighter" / "darker" / … ) [ "a bit" ]   ; a step
///     setting   =/ "by" ( percentage / number "degrees" ) [ step ]  ; "by 10 percent brighter"
///     setting   =/ number "degrees" step / step number "degrees"    ; at most 5: "down two degrees"
///     word       = "full" / "maximum" / "max" / "half" / "quarter" / "minimum" / "min"
///
/// A `number` after "to" is a fraction if it is `0.x` or `1.0`, and a percentage if it is whole, 0 or 2 to
/// 100. A bare 1 is refused: it may be 1% or, as in `home set`, all of it. "up" or "down" may stand before
/// "to". Only after the verb "set" the "to" before a number may be left out: "set the lamp 40".
///
/// Accepted: `to 40 percent`, `at half`, `full`, `to 0.4`. Rejected: `at 5`, `to 1`, `to 140`, `to 12.5` (no
/// percent), `by 20`.
struct SpokenLevel: Equatable, Sendable {
    /// The words before the setting.
    var rest: [SpokenWord]
    var action: SpokenAction
    /// True if "to" or "at" stood before it.
    let hasTo: Bool
    /// True if it is a number with neither "to" nor "percent": the number may be part of a name.
    let isBare: Bool
    /// The number as it was said, unless it is a percentage.
    var amount: SpokenAmount?
    /// By how much, if it is a step.
    var shift: SpokenShift?
    /// True if it is a percentage: no name and no time ends so.
    var isPercent = false
    /// True for a word such as "half".
    var isWord = false
    /// True for "half open": the verb need not say that it is a level.
    var isInPart = false
    /// True for "to 30% on".
    var turnsOn = false

    /// The ways to read the end of `words` as a setting: several where a number can belong to the name before
    /// it.
    ///
    /// - Parameters:
    ///   - verb: what the particles mean.
    ///   - isBareAllowed: whether a number may stand without "to" and "percent".
    static func readings(
        _ words: [SpokenWord], verb: SpokenVerb, _ language: SpokenLanguage, isBareAllowed: Bool
    ) throws(SpokenError) -> [SpokenLevel] {
        var rest = words
        var verbAtEnd: SpokenWord?
        if rest.count > 1, rest.last?.isOne(of: .afterLevel) == true { verbAtEnd = rest.popLast() }
        if let level = inPart(rest, verb: verb, language) { return [level] }
        var plain = rest
        var hasDegree = false
        if dropDegree(&plain, language), let last = plain.last, verb.actions[last.text]?.isStep == true {
            (rest, hasDegree) = (plain, true)
        }
        if let last = rest.last, last.isOne(of: .particle) {
            guard let action = verb.actions[last.text] else {
                // "Fade the lamp off": its end is a setting, and none for this verb.
                if language.verbless.actions[last.text] == .on || language.verbless.actions[last.text] == .off
                {
                    throw .noSetting(words.map(\.text).joined(separator: " "))
                }
                return []
            }
            rest.removeLast()
            while rest.count > 1, rest.last?.isOne(of: .filler) == true { rest.removeLast() }
            if action.isStep {
                hasDegree = dropDegree(&rest, language) || hasDegree
                if let level = shift(&rest, action, verb: verb, language) { return [level] }
            }
            if action == .on, verb.levels != .bare {
                // "Auf 20 Prozent an".
                let levels = try readings(rest, verb: verb, language, isBareAllowed: false).filter {
                    if case .set(.level) = $0.action { $0.hasTo || $0.isPercent } else { false }
                }
                if !levels.isEmpty {
                    return levels.map { level in
                        var level = level
                        level.turnsOn = true
                        return level
                    }
                }
            }
            let hasTo = !action.isStep && dropTo(&rest)
            // "Down a bit" is not all the way down.
            let shift = hasDegree ? SpokenShift.part(SpokenLanguage.step) : nil
            return [SpokenLevel(rest: rest, action: action, hasTo: hasTo, isBare: false, shift: shift)]
        }
        if rest.last?.isOne(of: .brightness) == true, rest.dropLast().last?.isOne(of: .level) == true {
            rest.removeLast()
        }
        if let last = rest.last, last.isOne(of: .level), let level = language.levels[last.text] {
            rest.removeLast()
            // "To the maximum", "auf die Hälfte".
            var before = rest
            while before.last?.isOne(of: .article) == true { before.removeLast() }
            let hasTo = dropTo(&before) || dropAt(&before)
            if hasTo { rest = before }
            return [
                SpokenLevel(
                    rest: rest, action: .set(.level(level)), hasTo: hasTo, isBare: false, isWord: true)
            ]
        }
        // "To 50% brightness".
        if rest.count > 1, rest.last?.isOne(of: .brightness) == true {
            var before = Array(rest.dropLast())
            if dropPhrase(&before, language.percent) { rest.removeLast() }
        }
        if let level = shift(&rest, nil, verb: verb, language) { return [level] }
        let levels = try numbers(rest, language, isBareAllowed: isBareAllowed)
        guard levels.isEmpty, let verbAtEnd, let action = verb.actions[verbAtEnd.text] else { return levels }
        // "Die Lampe dimmen", "die Lampe etwas dimmen".
        let hasBit = dropDegree(&rest, language)
        return [
            SpokenLevel(
                rest: rest, action: action == .dim && hasBit ? .darker : action, hasTo: false, isBare: false)
        ]
    }

    /// "Half open", "ganz zu".
    private static func inPart(
        _ words: [SpokenWord], verb: SpokenVerb, _ language: SpokenLanguage
    ) -> SpokenLevel? {
        guard words.count > 2, let last = words.last, !last.isName, let word = words.dropLast().last else {
            return nil
        }
        let action: SpokenAction? =
            switch language.states[last.text] {
            case .open: .open
            case .closed: .close
            case .on, .off, .locked, .unlocked, nil:
                verb.actions[last.text] ?? language.verbless.actions[last.text]
            }
        var rest = Array(words.dropLast())
        // "30 percent closed".
        if dropPhrase(&rest, language.percent), let number = rest.last, !number.isName,
            let percent = language.numbers.value(of: [number.text]), percent <= 100,
            language.states[last.text] == .open || language.states[last.text] == .closed,
            let level = action?.level(ofPart: percent / 100)
        {
            rest.removeLast()
            _ = dropTo(&rest)
            return SpokenLevel(
                rest: rest, action: .set(.level(level)), hasTo: false, isBare: false, isInPart: true)
        }
        guard word.isOne(of: .level), let part = language.levels[word.text],
            let level = action?.level(ofPart: part)
        else { return nil }
        // "A quarter open".
        rest = Array(words.dropLast(2))
        if rest.count > 1, rest.last?.isOne(of: .article) == true { rest.removeLast() }
        return SpokenLevel(
            rest: rest, action: .set(.level(level)), hasTo: false, isBare: false, isInPart: true)
    }

    /// "By 10 percent", "by 2 degrees"; takes it off the end of `words`. A bare number may be a time.
    ///
    /// - Parameter step: the way, if a word behind it told it.
    private static func shift(
        _ words: inout [SpokenWord], _ step: SpokenAction?, verb: SpokenVerb, _ language: SpokenLanguage
    ) -> SpokenLevel? {
        var rest = words
        let isDegrees = dropPhrase(&rest, language.temperature)
        guard isDegrees || dropPhrase(&rest, language.percent) else { return nil }
        for count in 1...2 where rest.count > count {
            let number = rest.suffix(count)
            // "Up a degree".
            let isOne =
                isDegrees && count == 1 && rest.last?.isOne(of: .article) == true
                && rest.last?.isOne(of: .listArticle) == false
            guard !number.contains(where: \.isName),
                let value = isOne ? 1 : language.numbers.value(of: number.map(\.text)), value <= 100
            else { continue }
            let isBy = rest.dropLast(count).last?.isOne(of: .by) == true
            // "Up 22 degrees" may be meant as "up to 22 degrees".
            guard isBy || isDegrees && value <= 5 else { continue }
            var before = Array(rest.dropLast(isBy ? count + 1 : count))
            var action = step
            // "Brighter by 10 percent".
            if action == nil, let last = before.last, before.count > 1,
                let named = verb.actions[last.text] ?? language.verbless.actions[last.text], named.isStep
            {
                before.removeLast()
                action = named
            }
            // "Dim it by 20 percent" does not tell of what.
            guard action != nil || isBy && verb.actions.values.contains(where: { $0.direction != nil }) else {
                continue
            }
            words = before
            return SpokenLevel(
                rest: before, action: action ?? .dim, hasTo: false, isBare: false,
                shift: isDegrees ? .degrees(value) : .part(value / 100))
        }
        return nil
    }

    /// Takes "a bit" off the end of `words`; false if it is not there.
    static func dropDegree(_ words: inout [SpokenWord], _ language: SpokenLanguage) -> Bool {
        for phrase in language.degrees where words.suffix(phrase.count).map(\.text) == phrase {
            words.removeLast(phrase.count)
            return true
        }
        return false
    }

    private static func numbers(
        _ words: [SpokenWord], _ language: SpokenLanguage, isBareAllowed: Bool
    ) throws(SpokenError) -> [SpokenLevel] {
        var rest = words
        if dropPhrase(&rest, language.temperature) {
            return try amounts(rest, language)
        }
        let isPercent = dropPhrase(&rest, language.percent)
        var readings: [SpokenLevel] = []
        var refusal: SpokenError?
        for count in 1...2 where rest.count >= count {
            let number = rest.suffix(count)
            guard !number.contains(where: \.isName),
                let value = language.numbers.value(of: number.map(\.text))
            else {
                continue
            }
            var before = Array(rest.dropLast(count))
            if let first = number.first, language.numbers.isHundred(first.text),
                before.last?.isOne(of: .article) == true, before.last?.isOne(of: .listArticle) == false
            {
                before.removeLast()
            }
            let hasTo = dropTo(&before) || isPercent && dropAt(&before)
            guard isPercent || hasTo || isBareAllowed, before.last?.isOne(of: .minus) != true else {
                continue
            }
            do {
                let level = try level(value, as: number.map(\.text), isPercent: isPercent)
                readings.append(
                    SpokenLevel(
                        rest: before, action: .set(.level(level)), hasTo: hasTo,
                        isBare: !isPercent && !hasTo,
                        amount: isPercent ? nil : SpokenAmount(value: value, isTemperature: false),
                        isPercent: isPercent))
            } catch {
                refusal = refusal ?? error
                // "To 22.5" is clear where degrees are meant.
                guard case .bareNumber = error, value > 1, hasTo else { continue }
                let amount = SpokenAmount(value: value, isTemperature: false, needsUnit: true)
                readings.append(
                    SpokenLevel(
                        rest: before, action: .set(.level(0.5)), hasTo: true, isBare: false, amount: amount))
            }
        }
        if readings.isEmpty, let refusal { throw refusal }
        return readings
    }

    /// "To 21 degrees": what level that is only the appliance's unit tells. "Minus" is not understood.
    private static func amounts(
        _ words: [SpokenWord], _ language: SpokenLanguage
    ) throws(SpokenError) -> [SpokenLevel] {
        var readings: [SpokenLevel] = []
        for count in 1...2 where words.count >= count {
            let number = words.suffix(count)
            guard !number.contains(where: \.isName),
                let value = language.numbers.value(of: number.map(\.text))
            else { continue }
            var before = Array(words.dropLast(count))
            let hasTo = dropTo(&before) || dropAt(&before)
            // What "degrees" follows is no part of a name. "By" and "about" stay in front, and are not read.
            guard before.last?.isOne(of: .minus) != true else { continue }
            // The level is a stand-in: it is never sent, see SpokenSetting.
            readings.append(
                SpokenLevel(
                    rest: before, action: .set(.level(0.5)), hasTo: hasTo, isBare: false,
                    amount: SpokenAmount(value: value, isTemperature: true)))
        }
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

    private static func dropPhrase(_ words: inout [SpokenWord], _ phrases: [[String]]) -> Bool {
        for phrase in phrases {
            let end = words.suffix(phrase.count)
            guard end.map(\.text) == phrase, !end.contains(where: \.isName) else { continue }
            words.removeLast(phrase.count)
            return true
        }
        return false
    }

    private static func dropAt(_ words: inout [SpokenWord]) -> Bool {
        guard words.last?.isOne(of: .at) == true else { return false }
        words.removeLast()
        return true
    }

    private static func dropTo(_ words: inout [SpokenWord]) -> Bool {
        guard words.last?.isOne(of: .to) == true else { return false }
        words.removeLast()
        if words.last?.isOne(of: .direction) == true { words.removeLast() }
        return true
    }
}
