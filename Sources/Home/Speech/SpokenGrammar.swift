/// Orders in plain English, as a person says them or a speech recogniser writes them.
///
///     sentence = [ polite ] order *( ( "and" / "then" / "," / "." ) order ) [ polite ]
///              / [ polite ] place [ "," ] verb …                ; one order of one thing: SpokenPlace
///     order    = verb things setting / things setting         ; a verb counts until the next one
///              / verb ( "on" / "off" ) things                 ; again without a verb: "turn on A and off B"
///              / verb "on" things ( "to" / "at" ) level / verb things "on" ( "to" / "at" ) level
///              / verb things setting place                    ; one thing: "turn the light off in the kitchen"
///              / ( "dim" / "brighten" / "fade" ) things "to" level / "dim" things      ; to 30%
///     verb     = "turn" / "switch" / "put" / "set" / "shut" / "power"
///     things   = thing *( ( "and" / "," ) thing )
///     thing    = SpokenPhrase
///     setting  = SpokenLevel
///     polite   = "please" / "could you" / "can you" / "hey" / "now" / …
///
/// "turn" may be followed by "up" or "down" where a level with "to" ends the order. After "could you" there must be a
/// verb. A sentence without a verb does not end with a question mark.
///
/// Accepted: `Turn the kitchen light off, please.`, `dim the lamp to forty percent`, `turn the lamp on and the fan off`.
/// Rejected: `make it cosy`, `turn the lamp`, `turn off the lamp to 30%`, `set the lamp to 140%`, `turn on the lamp and the fan off` (which?).
package struct SpokenGrammar: Equatable, Sendable {
    let orders: [SpokenOrder]

    /// Nobody says more in one breath; what is longer is no order.
    package static let maximumByteCount = 500
    /// What is between orders, and between things.
    static let ends: Set<String> = SpokenText.separators.union(["and", "then"])
    /// What "dim" means by itself.
    static let dimmed = 0.3

    /// The orders in `sentence`, in which the names of `devices` are no grammar.
    package init(_ sentence: SpokenSentence) throws(SpokenError) {
        var words = sentence.words
        let isAsked = SpokenGrammar.strip(&words)
        words = try SpokenPlace.atEnd(words)
        guard let first = words.first else { throw .empty }
        let hasVerb = first.isVerb
        let isLockVerb = first.isOne(of: SpokenVocabulary.lockVerbs)
        if first.isOne(of: SpokenVocabulary.question) || !hasVerb && !isLockVerb && sentence.isQuestion {
            throw .question
        }
        if isAsked, !hasVerb, !isLockVerb { throw .question }
        var reader = SpokenParser()
        for part in try SpokenGrammar.parts(of: words) {
            try reader.read(part.words, isSingle: part.isOnly)
            if part.endsSentence { try reader.finish() }
        }
        try reader.finish()
        orders = reader.orders
    }

    /// Takes polite words off both ends.
    ///
    /// - Returns: whether an order is asked for.
    private static func strip(_ words: inout [SpokenWord]) -> Bool {
        var isAsked = false
        var before = -1
        while words.count != before {
            before = words.count
            while words.first?.isOne(of: SpokenText.separators) == true { words.removeFirst() }
            while words.last?.isOne(of: SpokenText.separators) == true { words.removeLast() }
            for phrase in SpokenVocabulary.polite {
                if begins(words, with: phrase) { words.removeFirst(phrase.count) }
                if begins(words.reversed(), with: phrase.reversed()) { words.removeLast(phrase.count) }
            }
            for phrase in SpokenVocabulary.asking where begins(words, with: phrase) {
                words.removeFirst(phrase.count)
                isAsked = true
            }
        }
        return isAsked
    }

    private static func begins(_ words: [SpokenWord], with phrase: [String]) -> Bool {
        words.count >= phrase.count && zip(words, phrase).allSatisfy { $0.isOne(of: [$1]) }
    }

    private struct Part {
        var words: [SpokenWord]
        let isOnly: Bool
        let endsSentence: Bool
    }

    /// The words between "and", "then", commas and full stops, without "please" at their ends.
    private static func parts(of words: [SpokenWord]) throws(SpokenError) -> [Part] {
        let hasOne = !words.contains { $0.isOne(of: ends) }
        var parts: [Part] = []
        var rest = words[...]
        while !rest.isEmpty {
            var part = Array(rest.prefix { !$0.isOne(of: ends) })
            rest = rest.dropFirst(part.count)
            let separators = rest.prefix { $0.isOne(of: ends) }
            rest = rest.dropFirst(separators.count)
            if part.first?.isOne(of: ["please"]) == true { part.removeFirst() }
            if part.last?.isOne(of: ["please"]) == true { part.removeLast() }
            // "and" at an end: the rest was not heard. Of several together one may be an "and", and the last "then".
            let joining = separators.map(\.text).filter { !SpokenText.separators.contains($0) }
            guard !part.isEmpty, separators.isEmpty || !rest.isEmpty,
                joining.count < 2 || joining == ["and", "then"]
            else { throw .noThing }
            parts.append(
                Part(words: part, isOnly: hasOne, endsSentence: separators.contains { $0.text == "." }))
        }
        return parts
    }
}
