/// Puts the parts of a sentence together to orders: `turn A, B | and C off`, `turn on A | and B | and off C`.
struct PlainWordsReader {
    private typealias Verb = SpokenVocabulary.Verb

    /// What the next part may go on with.
    private enum State {
        case beginning
        /// After "turn on A": further things, or "off B".
        case prefix
        /// After "A on": something new.
        case complete
        /// After "turn A": further things, then the setting.
        case open([SpokenPhrase], mustBeLevel: Bool)
    }

    private(set) var orders: [PlainWords.Order] = []
    private var state = State.beginning
    private var verb: SpokenVocabulary.Verb?

    /// Reads the words up to the next "and" or comma.
    mutating func read(_ part: [SpokenWord], isSingle: Bool) throws(PlainWordsError) {
        var words = part
        let hasVerb = try takeVerb(&words)
        var mustBeLevel = false
        if hasVerb, words.first?.isOne(of: SpokenVocabulary.up) == true,
            verb == .turn || verb?.needsTo == true
        {
            words.removeFirst()
            mustBeLevel = true
        } else if let setting = try takeSetting(&words, hasVerb: hasVerb) {
            orders.append(
                PlainWords.Order(verb: verb, things: [], readings: [.init(try SpokenPhrase(words), setting)]))
            state = .prefix
            return
        }
        let levels = try SpokenLevel.readings(words, isBareAllowed: isSingle && verb == .set)
        if levels.isEmpty {
            try addThing(words, mustBeLevel: mustBeLevel)
        } else {
            try addSetting(levels, said: words, mustBeLevel: mustBeLevel)
        }
    }

    /// The sentence ends here.
    mutating func finish() throws(PlainWordsError) {
        try close()
        state = .beginning
        verb = nil
    }

    private mutating func takeVerb(_ words: inout [SpokenWord]) throws(PlainWordsError) -> Bool {
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

    /// "on" or "off" at the beginning, after a verb; or without one where the part before was so.
    private func takeSetting(_ words: inout [SpokenWord], hasVerb: Bool) throws(PlainWordsError) -> Setting? {
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

    private mutating func addThing(_ words: [SpokenWord], mustBeLevel: Bool) throws(PlainWordsError) {
        let phrase = try SpokenPhrase(words)
        switch state {
        case .prefix:
            // It is one more of the things of the order before.
            guard let last = orders.popLast(), let reading = last.readings.first else { return }
            orders.append(
                PlainWords.Order(
                    verb: last.verb, things: last.things + [reading.thing],
                    readings: [.init(phrase, reading.setting)]))
        case .open(let things, let before): state = .open(things + [phrase], mustBeLevel: before)
        case .beginning, .complete: state = .open([phrase], mustBeLevel: mustBeLevel)
        }
    }

    private mutating func addSetting(_ levels: [SpokenLevel], said: [SpokenWord], mustBeLevel: Bool)
        throws(PlainWordsError)
    {
        var things: [SpokenPhrase] = []
        var mustBeLevel = mustBeLevel
        switch state {
        // "Turn on the lamp and the fan off": whether the lamp is to be on or off nobody knows.
        case .prefix: throw .mixed(text(said))
        case .open(let before, let must): (things, mustBeLevel) = (before, must)
        case .beginning, .complete: break
        }
        var readings: [PlainWords.Reading] = []
        for level in levels {
            guard verb?.allows(level.setting) ?? true else { throw .noSetting(text(said)) }
            if let verb, verb.needsTo, !level.hasTo { throw .needsTo(verb.rawValue) }
            if mustBeLevel {
                guard case .level = level.setting, level.hasTo else { throw .noSetting(text(said)) }
            }
            readings.append(.init(try SpokenPhrase(level.rest), level.setting, isBare: level.isBare))
        }
        orders.append(PlainWords.Order(verb: verb, things: things, readings: readings))
        state = .complete
    }

    /// Ends the order that is open: "dim A and B" is whole.
    private mutating func close() throws(PlainWordsError) {
        guard case .open(var things, _) = state else { return }
        state = .complete
        guard verb == .dim, let last = things.popLast() else {
            throw .noSetting(things.map(\.text).joined(separator: ", "))
        }
        orders.append(
            PlainWords.Order(
                verb: verb, things: things,
                readings: [.init(last, .level(PlainWords.dimmed), isDim: true)]))
    }

    private func text(_ words: [SpokenWord]) -> String { words.map(\.text).joined(separator: " ") }
}
