/// Joins the parts of a sentence to orders: `turn A, B | and C off`, `turn on A | and B | and off C`.
struct SpokenParser {
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
    private var verb: SpokenVerb?
    private let language: SpokenLanguage

    init(_ language: SpokenLanguage) { self.language = language }

    /// Reads the words up to the next "and" or comma.
    mutating func read(_ part: [SpokenWord], isSingle: Bool) throws(SpokenError) {
        var words = part
        if try addPlace(words) { return }
        let hasVerb = try takeVerb(&words)
        while hasVerb, words.count > 1, words.first?.isOne(of: .filler) == true { words.removeFirst() }
        var direction: String?
        if hasVerb, words.first?.isOne(of: .direction) == true, let verb, let first = words.first?.text,
            verb.actions[first] != nil || verb.levels == .afterTo
        {
            direction = first
            words.removeFirst()
        } else if let action = try takeAction(&words, hasVerb: hasVerb) {
            let levels = action == .on ? try levels(words, isBareAllowed: false) : []
            if !levels.isEmpty, levels.allSatisfy(SpokenParser.isAlsoOn) {
                state = .complete
                try addSetting(levels, said: words, direction: nil, turnsOn: true)
                return
            }
            orders.append(
                SpokenOrder(verb: verb, things: [], readings: [.init(try SpokenPhrase(words), action)]))
            state = .prefix
            return
        }
        let levels = try levels(words, isBareAllowed: isSingle && verb?.levels == .bare)
        if levels.isEmpty {
            try addThing(words, direction: direction)
        } else {
            try addSetting(levels, said: words, direction: direction)
        }
    }

    private func readings(_ words: [SpokenWord], isBareAllowed: Bool) throws(SpokenError) -> [SpokenLevel] {
        try SpokenLevel.readings(
            words, verb: verb ?? language.verbless, language, isBareAllowed: isBareAllowed)
    }

    /// The settings that may be meant at the end, or before the place at the end. With a place there may be
    /// only one thing: it is not known whether the others are in that place too.
    private func levels(_ words: [SpokenWord], isBareAllowed: Bool) throws(SpokenError) -> [SpokenLevel] {
        let levels = try readings(words, isBareAllowed: isBareAllowed)
        var plain = words
        if levels.isEmpty, SpokenLevel.dropDegree(&plain, language), !plain.isEmpty {
            // "Turn the heating down in the bedroom a bit".
            return try self.levels(plain, isBareAllowed: false).filter(\.action.isStep).map { level in
                var level = level
                level.shift = level.shift ?? .part(SpokenLanguage.step)
                return level
            }
        }
        guard levels.isEmpty, let index = SpokenPlace.index(in: words[...]) else { return levels }
        var before = try readings(Array(words[..<index]), isBareAllowed: false)
        var isList = SpokenPhrase.list(words[index...].dropFirst()).count > 1
        if case .open(let things, _) = state, !things.isEmpty { isList = true }
        for number in before.indices {
            let rest = before[number].rest
            isList =
                isList
                || SpokenPhrase.list(rest[...]).count > 1
                    && !rest.contains { $0.isOne(of: .decisive) }
            before[number].rest += words[index...]
        }
        guard before.isEmpty || !isList else { throw .twoMeanings(text(words)) }
        return before
    }

    /// True for "to 30%", "at 30%", "30 percent" and "full", which may follow "on".
    private static func isAlsoOn(_ level: SpokenLevel) -> Bool {
        guard case .set(.level(let value)) = level.action else { return false }
        return (level.hasTo || level.isPercent || level.isWord) && value > 0
    }

    /// The sentence ends here.
    mutating func finish() throws(SpokenError) {
        try close()
        state = .beginning
        verb = nil
    }

    private mutating func takeVerb(_ words: inout [SpokenWord]) throws(SpokenError) -> Bool {
        guard let first = words.first, first.isVerb, let found = language.verbs[first.text] else {
            return false
        }
        try close()
        state = .complete
        verb = found
        words.removeFirst()
        return true
    }

    /// "on" or "off" at the beginning, after a verb; or without one if the part before began so.
    private func takeAction(_ words: inout [SpokenWord], hasVerb: Bool) throws(SpokenError) -> SpokenAction? {
        guard let first = words.first, first.isOne(of: .particle), let verb, verb.takesParticleFirst,
            let setting = language.verbless.actions[first.text], setting == .on || setting == .off
        else { return nil }
        if !hasVerb { guard case .prefix = state else { return nil } }
        guard let action = verb.actions[first.text] else { throw .noSetting(text(words)) }
        words.removeFirst()
        guard !words.isEmpty else { throw .noThing }
        return action
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
                    readings: [.init(phrase, reading.action)]))
        case .open(let things, let before): state = .open(things + [phrase], direction: before)
        case .beginning, .complete: state = .open([phrase], direction: direction)
        }
    }

    /// Adds the thing before in one more place: "the lights in the bedroom and in the hall". False if the
    /// words are no place, or that thing is in none.
    private mutating func addPlace(_ words: [SpokenWord]) throws(SpokenError) -> Bool {
        guard let place = SpokenPlace.name(words[...]),
            !place.contains(where: { $0.isOne(of: [.article, .quantifier, .particle, .verb, .decisive]) })
        else { return false }
        switch state {
        case .open(let things, let direction):
            guard let moved = try things.last?.moved(to: words) else { return false }
            state = .open(things + [moved], direction: direction)
        case .prefix, .complete:
            guard let last = orders.last, last.readings.count == 1, let reading = last.readings.first,
                let moved = try reading.thing.moved(to: words)
            else { return false }
            orders[orders.count - 1] = SpokenOrder(
                verb: last.verb, things: last.things + [reading.thing],
                readings: [
                    .init(
                        moved, reading.action, isBare: reading.isBare, turnsOn: reading.turnsOn,
                        amount: reading.amount, shift: reading.shift)
                ])
        case .beginning: return false
        }
        return true
    }

    private mutating func addSetting(
        _ levels: [SpokenLevel], said: [SpokenWord], direction: String?, turnsOn: Bool = false
    ) throws(SpokenError) {
        var things: [SpokenPhrase] = []
        var direction = direction
        switch state {
        // "Turn on the lamp and the fan off" does not tell whether the lamp is to be on or off.
        case .prefix: throw .mixed(text(said))
        case .open(let before, let way):
            // "Close the blind and the lamp to 5%": the verb alone was enough for the first thing.
            if let action = verb?.actions[way ?? ""], action != .dim { throw .mixed(text(said)) }
            (things, direction) = (before, way)
        case .beginning, .complete: break
        }
        var readings: [SpokenOrder.Reading] = []
        // "To seventy five" has "to" before its first word, and none before its last.
        let isTold = levels.contains(where: \.hasTo)
        for level in levels where level.hasTo || !isTold || verb?.levels != .afterTo {
            var level = level
            if level.shift != nil {
                // By how much: the verb says which way, if the end does not.
                if level.action.direction == nil, let action = verb?.actions[direction ?? ""] {
                    (level.action, direction) = (action, nil)
                }
                guard level.action.direction != nil else { throw .noSetting(text(said)) }
            } else if case .set(.level(let value)) = level.action, let verb {
                if level.isWord, !level.hasTo, direction == nil,
                    let part = verb.actions[""]?.level(ofPart: value)
                {
                    // "Open it halfway".
                    level.action = .set(.level(part))
                } else {
                    guard verb.levels != .none || level.isInPart else { throw .noSetting(text(said)) }
                    if verb.levels == .afterTo, !level.hasTo, !level.isInPart { throw .needsTo(verb.word) }
                }
            }
            if direction != nil {
                guard case .set(.level) = level.action, level.hasTo else { throw .noSetting(text(said)) }
            }
            var thing = level.rest
            let dropsOn = !turnsOn && !level.turnsOn && direction == nil && dropOn(&thing, level)
            // "The lights in the bedroom and in the hall to 30%".
            var meant: SpokenPhrase?
            if SpokenPlace.name(thing[...]) != nil, let last = things.last {
                meant = try last.moved(to: thing)
            }
            if meant == nil { meant = try phrase(thing, level.action) }
            guard let meant else { continue }
            readings.append(
                .init(
                    meant, level.action, isBare: level.isBare,
                    turnsOn: turnsOn || dropsOn || level.turnsOn, amount: level.amount, shift: level.shift))
        }
        orders.append(SpokenOrder(verb: verb, things: things, readings: readings))
        state = .complete
    }

    /// Removes the "on" of "turn the lamp on at 30%".
    private func dropOn(_ words: inout [SpokenWord], _ level: SpokenLevel) -> Bool {
        guard SpokenParser.isAlsoOn(level), verb?.actions.values.contains(.on) ?? true, verb?.levels != .bare
        else { return false }
        for end in [words.endIndex, SpokenPlace.index(in: words[...]) ?? 0]
        where end > 0 && isOn(words[end - 1]) {
            words.remove(at: end - 1)
            return true
        }
        return false
    }

    private func isOn(_ word: SpokenWord) -> Bool {
        word.isOne(of: .particle) && (verb ?? language.verbless).actions[word.text] == .on
    }

    /// Ends the open order: "dim A and B" and "open A" are complete without a setting.
    private mutating func close() throws(SpokenError) {
        guard case .open(var things, let direction) = state else { return }
        state = .complete
        guard var action = verb?.actions[direction ?? ""], var last = things.popLast() else {
            let way = direction ?? (verb?.levels == .afterTo ? verb?.word : nil)
            throw .noSetting((way.map { "\($0) " } ?? "") + things.map(\.text).joined(separator: ", "))
        }
        var shift: SpokenShift?
        var words = last.spoken
        // "Raise the blind a bit" is not all the way up, and "dim it a bit" not to a certain level.
        if action.isStep || action == .dim, SpokenLevel.dropDegree(&words, language) {
            (last, shift) = (try SpokenPhrase(words), .part(SpokenLanguage.step))
            if action == .dim { action = .darker }
        }
        if action.isStep, last.quantity == .one, let thing = try brightness(last.said) {
            orders.append(
                SpokenOrder(verb: verb, things: things, readings: [.init(thing, action, shift: shift)]))
            return
        }
        orders.append(
            SpokenOrder(verb: verb, things: things, readings: [.init(last, action, shift: shift)]))
    }

    /// The thing of a level: "the brightness of the lamp" is the lamp.
    private func phrase(_ words: [SpokenWord], _ action: SpokenAction) throws(SpokenError) -> SpokenPhrase {
        if action.isLevel || action.isStep, let phrase = try brightness(words) { return phrase }
        // "A bit warmer in the bedroom".
        if [.warmer, .cooler, .brighter, .darker].contains(action), let it = language.pronoun,
            SpokenPlace.index(in: words[...]) == words.startIndex
        {
            return try SpokenPhrase([it] + words)
        }
        return try SpokenPhrase(words)
    }

    /// Nil if the words do not begin with "the brightness of", or "the brightness" and a place.
    private func brightness(_ words: [SpokenWord]) throws(SpokenError) -> SpokenPhrase? {
        var rest = words[...].withoutArticles
        guard rest.first?.isOne(of: .brightness) == true else { return nil }
        rest = rest.dropFirst()
        if SpokenPlace.index(in: rest) == rest.startIndex, let it = language.pronoun {
            return try SpokenPhrase([it] + rest)
        }
        guard rest.count > 1, rest.first?.isOne(of: [.of, .article]) == true else { return nil }
        if rest.first?.isOne(of: .of) == true { rest = rest.dropFirst() }
        return try SpokenPhrase(Array(rest))
    }

    private func text(_ words: [SpokenWord]) -> String { words.map(\.text).joined(separator: " ") }
}
