/// Joins the parts of a sentence to orders: `turn A, B | and C off`, `turn on A | and B | and off C`.
struct SpokenParser {
    private typealias Verb = SpokenVocabulary.Verb

    /// What the next part may continue.
    private enum State {
        case beginning
        /// After "turn on A": further things, or "off B".
        case prefix
        /// After "A on": a new order.
        case complete
        /// After "turn A": further things, then the setting.
        case open([SpokenPhrase], direction: String?)
    }

    private(set) var orders: [SpokenOrder] = []
    private var state = State.beginning
    private var verb: SpokenVocabulary.Verb?

    /// Reads the words up to the next "and" or comma.
    mutating func read(_ part: [SpokenWord], isSingle: Bool) throws(SpokenError) {
        var words = part
        let hasVerb = try takeVerb(&words)
        var direction: String?
        if hasVerb, words.first?.isOne(of: SpokenVocabulary.up) == true,
            verb == .turn || verb?.needsTo == true
        {
            direction = words.removeFirst().text
        } else if let setting = try takeSetting(&words, hasVerb: hasVerb) {
            let levels = setting == .on ? try levels(words, isBareAllowed: false) : []
            if !levels.isEmpty, levels.allSatisfy(SpokenParser.isAlsoOn) {
                state = .complete
                try addSetting(levels, said: words, direction: nil, turnsOn: true)
                return
            }
            orders.append(
                SpokenOrder(verb: verb, things: [], readings: [.init(try SpokenPhrase(words), setting)]))
            state = .prefix
            return
        }
        let levels = try levels(words, isBareAllowed: isSingle && verb == .set)
        if levels.isEmpty {
            try addThing(words, direction: direction)
        } else {
            try addSetting(levels, said: words, direction: direction)
        }
    }

    /// The settings that may be meant at the end, or before the place at the end. With a place there may be
    /// only one thing: it is not known whether the others are in that place too.
    private func levels(_ words: [SpokenWord], isBareAllowed: Bool) throws(SpokenError) -> [SpokenLevel] {
        let levels = try SpokenLevel.readings(words, isBareAllowed: isBareAllowed)
        guard levels.isEmpty, let index = SpokenPlace.index(in: words[...]) else { return levels }
        var before = try SpokenLevel.readings(Array(words[..<index]), isBareAllowed: false)
        var isList = SpokenPhrase.list(words[(index + 1)...]).count > 1
        if case .open(let things, _) = state, !things.isEmpty { isList = true }
        for number in before.indices {
            let rest = before[number].rest
            isList =
                isList
                || SpokenPhrase.list(rest[...]).count > 1
                    && !rest.contains { $0.isOne(of: SpokenVocabulary.decisive) }
            before[number].rest += words[index...]
        }
        guard before.isEmpty || !isList else { throw .twoMeanings(text(words)) }
        return before
    }

    /// True for "to 30%" and "at 30%", which may follow "on".
    private static func isAlsoOn(_ level: SpokenLevel) -> Bool {
        guard case .level(let value) = level.setting else { return false }
        return level.hasTo && value > 0
    }

    /// The sentence ends here.
    mutating func finish() throws(SpokenError) {
        try close()
        state = .beginning
        verb = nil
    }

    private mutating func takeVerb(_ words: inout [SpokenWord]) throws(SpokenError) -> Bool {
        guard let first = words.first, !first.isName else { return false }
        let isSwitching = [words.last, words.dropFirst().first].contains {
            $0?.isOne(of: ["on", "off"]) == true
        }
        if SpokenVocabulary.lockVerbs.contains(first.text) || first.text == Verb.shut.rawValue && !isSwitching
        {
            throw .lockVerb(first.text)
        }
        guard let found = Verb(rawValue: first.text) else { return false }
        try close()
        state = .complete
        verb = found
        words.removeFirst()
        return true
    }

    /// "on" or "off" at the beginning, after a verb; or without one if the part before began so.
    private func takeSetting(_ words: inout [SpokenWord], hasVerb: Bool) throws(SpokenError) -> Setting? {
        guard let first = words.first, first.isOne(of: ["on", "off"]), let verb, verb.takesSettingFirst else {
            return nil
        }
        if !hasVerb { guard case .prefix = state else { return nil } }
        let setting: Setting = first.text == "on" ? .on : .off
        guard verb.allows(setting) else { throw .noSetting(text(words)) }
        words.removeFirst()
        guard !words.isEmpty else { throw .noThing }
        return setting
    }

    private mutating func addThing(_ words: [SpokenWord], direction: String?) throws(SpokenError) {
        let phrase = try SpokenPhrase(words)
        switch state {
        case .prefix:
            // One more thing of the order before.
            guard let last = orders.popLast(), let reading = last.readings.first else { return }
            orders.append(
                SpokenOrder(
                    verb: last.verb, things: last.things + [reading.thing],
                    readings: [.init(phrase, reading.setting)]))
        case .open(let things, let before): state = .open(things + [phrase], direction: before)
        case .beginning, .complete: state = .open([phrase], direction: direction)
        }
    }

    private mutating func addSetting(
        _ levels: [SpokenLevel], said: [SpokenWord], direction: String?, turnsOn: Bool = false
    ) throws(SpokenError) {
        var things: [SpokenPhrase] = []
        var direction = direction
        switch state {
        // "Turn on the lamp and the fan off" does not tell whether the lamp is to be on or off.
        case .prefix: throw .mixed(text(said))
        case .open(let before, let way): (things, direction) = (before, way)
        case .beginning, .complete: break
        }
        var readings: [SpokenOrder.Reading] = []
        for level in levels {
            guard verb?.allows(level.setting) ?? true else { throw .noSetting(text(said)) }
            if let verb, verb.needsTo, !level.hasTo { throw .needsTo(verb.rawValue) }
            if direction != nil {
                guard case .level = level.setting, level.hasTo else { throw .noSetting(text(said)) }
            }
            var thing = level.rest
            let dropsOn = !turnsOn && direction == nil && dropOn(&thing, level)
            readings.append(
                .init(
                    try SpokenPhrase(thing), level.setting, isBare: level.isBare,
                    turnsOn: turnsOn || dropsOn))
        }
        orders.append(SpokenOrder(verb: verb, things: things, readings: readings))
        state = .complete
    }

    /// Removes the "on" of "turn the lamp on at 30%".
    private func dropOn(_ words: inout [SpokenWord], _ level: SpokenLevel) -> Bool {
        guard SpokenParser.isAlsoOn(level), verb?.takesSettingFirst ?? true else { return false }
        for end in [words.endIndex, SpokenPlace.index(in: words[...]) ?? 0]
        where end > 0 && words[end - 1].isOne(of: ["on"]) {
            words.remove(at: end - 1)
            return true
        }
        return false
    }

    /// Ends the open order: only "dim A and B" is complete without a setting.
    private mutating func close() throws(SpokenError) {
        guard case .open(var things, let direction) = state else { return }
        state = .complete
        guard verb == .dim, let last = things.popLast() else {
            let way = direction ?? (verb?.needsTo == true ? verb?.rawValue : nil)
            throw .noSetting((way.map { "\($0) " } ?? "") + things.map(\.text).joined(separator: ", "))
        }
        orders.append(
            SpokenOrder(
                verb: verb, things: things,
                readings: [.init(last, .level(SpokenVocabulary.dimmed), isDim: true)]))
    }

    private func text(_ words: [SpokenWord]) -> String { words.map(\.text).joined(separator: " ") }
}
