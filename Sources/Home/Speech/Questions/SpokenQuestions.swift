/// Answers questions from the states of the appliances.
struct SpokenQuestions {
    let house: SpokenHouse

    /// The answer, if the whole sentence is a question in one of the forms of its language.
    func answer(to sentence: SpokenSentence) throws(SpokenError) -> SpokenAnswer {
        let language = sentence.language
        let states = Set(language.states.keys)
        var refusal: SpokenError?
        for sentence in [sentence.marking(house.tokens), sentence].compactMap({ $0 }) {
            var words = sentence.words
            _ = SpokenGrammar.strip(&words, language)
            words.removeAll { $0.isOne(of: .filler) }
            guard !words.contains(where: { $0.isOne(of: .ends) }) else { continue }
            for pattern in language.questions {
                for match in pattern.matches(words[...], states: states) {
                    do {
                        return try answer(pattern.kind, match, language)
                    } catch {
                        refusal = refusal ?? error
                    }
                }
            }
        }
        throw refusal ?? .question
    }

    private func answer(
        _ kind: SpokenQuestionPattern.Kind, _ match: SpokenQuestionPattern.Match, _ language: SpokenLanguage
    ) throws(SpokenError) -> SpokenAnswer {
        let state = match.state.flatMap { language.states[$0] } ?? (kind == .list ? .on : nil)
        let place = match.place ?? []
        var devices = house.devices
        if let things = match.things {
            let phrase = try SpokenPhrase(Array(things) + place)
            devices = try house.find(phrase, isFull: false, isAsking: true).targets.map(\.device)
        } else if !place.isEmpty {
            devices = try house.devices(in: place)
        }
        switch kind {
        case .tell:
            return SpokenAnswer(verdict: nil, rows: devices.map { SpokenAnswer.row($0, state) })
        case .list:
            let found = devices.filter { device in
                state.map { SpokenAnswer.isSo(device, $0) == true } ?? false
            }
            return SpokenAnswer(verdict: nil, rows: found.map { SpokenAnswer.row($0, state) })
        case .check:
            guard let state else { throw .question }
            let answers = devices.map { SpokenAnswer.isSo($0, state) }
            let verdict: SpokenAnswer.Verdict =
                answers.contains(nil) || answers.isEmpty
                ? .unknown
                : answers.allSatisfy { $0 == true } ? .yes : answers.contains(true) ? .some : .no
            return SpokenAnswer(verdict: verdict, rows: devices.map { SpokenAnswer.row($0, state) })
        }
    }
}
