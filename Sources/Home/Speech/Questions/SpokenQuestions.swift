/// Answers questions from the states of the appliances.
struct SpokenQuestions {
    let house: SpokenHouse
    /// What the levels of some appliances count.
    let units: StateUnits

    /// The answer, if the whole sentence is a question in one of the forms of its language.
    func answer(to sentence: SpokenSentence) throws(SpokenError) -> SpokenAnswer {
        let language = sentence.language
        let states = Set(language.states.keys)
        var refusal: SpokenError?
        for sentence in [sentence.marking(house.tokens), sentence].compactMap({ $0 }) {
            var words = sentence.words
            _ = SpokenGrammar.strip(&words, language)
            if let telling = language.telling.first(where: { SpokenGrammar.begins(words, with: $0) }) {
                words.removeFirst(telling.count)
                words = Array(words.drop { $0.isOne(of: .separator) })
            }
            words.removeAll { $0.isOne(of: .filler) }
            // "The kitchen window, open or closed?"
            words.removeAll { $0.isOne(of: .separator) && !$0.isOne(of: .stop) }
            guard !words.contains(where: { $0.isOne(of: .ends) }) else { continue }
            for pattern in language.questions {
                for match in pattern.matches(words[...], states: states) {
                    do {
                        return try answer(pattern, match, language)
                    } catch {
                        refusal = refusal ?? error
                    }
                }
            }
        }
        throw refusal ?? .question
    }

    private func find(_ phrase: SpokenPhrase, _ state: SpokenLanguage.State?) throws(SpokenError)
        -> [ControlledDevice]
    {
        do throws(SpokenError) {
            return try house.find(phrase, isFull: false, isAsking: true).targets.map(\.device)
        } catch {
            guard case .ambiguous = error, let state else { throw error }
            // "Is the garage open?" is about what can be open there.
            let able = house.devices.filter { SpokenAnswer.isSo($0, state) != nil }
            return try house.restricted(to: able).find(phrase, isFull: false, isAsking: true).targets
                .map(\.device)
        }
    }

    private func answer(
        _ pattern: SpokenQuestionPattern, _ match: SpokenQuestionPattern.Match, _ language: SpokenLanguage
    ) throws(SpokenError) -> SpokenAnswer {
        let kind = pattern.kind
        let isOfOn = kind == .list || kind == .check
        let word = match.state ?? pattern.state
        let state = word.flatMap { language.states[$0] } ?? (isOfOn ? .on : nil)
        let place = match.place ?? []
        var devices = house.devices
        if let things = match.things {
            let phrase = try SpokenPhrase(Array(things) + place)
            devices = try find(phrase, word.flatMap { language.states[$0] })
        } else if !place.isEmpty {
            devices = try house.devices(in: place)
        }
        switch kind {
        case .warmth:
            let found = devices.filter { device in
                device.warmth != nil
                    || device.activators.contains { units[device.id, $0.id]?.isOfDegrees == true }
                    || device.onlyTells
                        && device.activators.contains { $0.name.lowercased() == "temperature" }
            }
            guard !found.isEmpty else { throw .question }
            return SpokenAnswer(verdict: nil, rows: found.map { SpokenAnswer.row($0, nil, units) })
        case .tell:
            return SpokenAnswer(verdict: nil, rows: devices.map { SpokenAnswer.row($0, state, units) })
        case .list:
            let found = devices.filter { device in
                state.map { SpokenAnswer.isSo(device, $0) == true } ?? false
            }
            return SpokenAnswer(verdict: nil, rows: found.map { SpokenAnswer.row($0, state, units) })
        case .check:
            guard let state else { throw .question }
            // "Is everything locked?" is about what can be locked.
            if let things = match.things, things.count == 1, things.first?.isOne(of: .whole) == true {
                let able = devices.filter { SpokenAnswer.isSo($0, state) != nil }
                if !able.isEmpty { devices = able }
            }
            let answers = SpokenAnswer.answers(devices, state)
            // "Are all the lights off?" is not so while one is on.
            let isOfAll = match.things?.contains { $0.isOne(of: .quantifier) } ?? false
            let verdict: SpokenAnswer.Verdict =
                answers.contains(nil) || answers.isEmpty
                ? .unknown
                : answers.allSatisfy { $0 == true }
                    ? .yes : answers.contains(true) && !isOfAll ? .some : .no
            return SpokenAnswer(verdict: verdict, rows: devices.map { SpokenAnswer.row($0, state, units) })
        }
    }
}
