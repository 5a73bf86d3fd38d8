/// Orders in plain English, as people say them or a speech recogniser writes them.
///
///     sentence = [ polite ] order *( ( "and" / "then" / "," / "." ) order ) [ polite ]
///              / [ polite ] place [ "," ] verb …                ; one order of one thing: SpokenPlace
///              / … "except" …                                   ; SpokenException
///     order    = verb things setting / things setting         ; a verb counts until the next one
///              / verb ( "on" / "off" ) things                 ; again without a verb: "turn on A and off B"
///              / verb "on" things ( "to" / "at" ) level / verb things "on" ( "to" / "at" ) level
///              / verb things setting place              ; one thing: "turn the light off in the kitchen"
///              / ( "dim" / "brighten" / "fade" ) things "to" level / "dim" things      ; to 30%
///     verb     = "turn" / "switch" / "put" / "set" / "shut" / "power"
///     things   = thing *( ( "and" / "," ) thing )
///     thing    = SpokenPhrase
///     setting  = SpokenLevel
///     polite   = "please" / "could you" / "can you" / "hey" / "now" / …
///
/// "up" or "down" may follow "turn" if a level with "to" ends the order. A verb must follow "could you". A
/// sentence without a verb does not end with a question mark.
///
/// Accepted: `Turn the kitchen light off, please.`, `dim the lamp to forty percent`,
/// `turn the lamp on and the fan off`. Rejected: `make it cosy`, `turn the lamp`, `turn off the lamp to 30%`,
/// `set the lamp to 140%`, `turn on the lamp and the fan off` (is the lamp to be on or off?).
package struct SpokenGrammar: Equatable, Sendable {
    let orders: [SpokenOrder]
    /// True if nothing but "and" joins them: a place at the end is then one for all.
    let sharePlace: Bool

    /// The most bytes of a sentence.
    package static let maximumByteCount = SpokenLanguage.maximumByteCount

    /// The orders in `sentence`. Words that are marked as names are not read as grammar.
    package init(_ sentence: SpokenSentence) throws(SpokenError) {
        let language = sentence.language
        var words = sentence.words
        let manner = SpokenGrammar.strip(&words, language)
        // "Das Licht im Flur ausschalten": before the place is moved behind it.
        let endsWithVerb = words.last?.isOne(of: [.final, .afterLevel]) == true
        words = try SpokenGrammar.placeAtEnd(words, language)
        guard let first = words.first else { throw .empty }
        let isOrder =
            first.isVerb || manner == .wished
            || manner == .asked && endsWithVerb
        if first.isOne(of: .question) || !isOrder && (manner == .asked || sentence.isQuestion)
            || language.telling.contains(where: { SpokenGrammar.begins(words, with: $0) })
        {
            throw .question
        }
        var reader = SpokenParser(language)
        for part in try SpokenGrammar.parts(of: words) {
            try reader.read(part.words, isSingle: part.isOnly)
            if part.endsSentence { try reader.finish() }
        }
        try reader.finish()
        orders = reader.orders
        sharePlace = !words.contains { $0.isOne(of: [.separator, .then]) }
    }

    /// How an order is given.
    enum Manner {
        case plain
        /// "Could you": a verb must follow.
        case asked
        /// "I want": a verb may follow.
        case wished
    }

    /// Takes polite words off both ends.
    static func strip(_ words: inout [SpokenWord], _ language: SpokenLanguage) -> Manner {
        var manner = Manner.plain
        var before = -1
        while words.count != before {
            before = words.count
            while words.first?.isOne(of: .separator) == true { words.removeFirst() }
            while words.last?.isOne(of: .separator) == true { words.removeLast() }
            for phrase in language.polite {
                if begins(words, with: phrase) { words.removeFirst(phrase.count) }
                if begins(words.reversed(), with: phrase.reversed()) { words.removeLast(phrase.count) }
            }
            for phrase in language.asking {
                if begins(words, with: phrase) {
                    words.removeFirst(phrase.count)
                    manner = .asked
                }
                // "Lamp off, would you?"
                if begins(words.reversed(), with: phrase.reversed()) { words.removeLast(phrase.count) }
            }
            for phrase in language.wishes where begins(words, with: phrase) {
                words.removeFirst(phrase.count)
                manner = .wished
            }
        }
        return manner
    }

    static func begins(_ words: [SpokenWord], with phrase: [String]) -> Bool {
        words.count >= phrase.count && zip(words, phrase).allSatisfy { !$0.isName && $0.text == $1 }
    }

    /// The sentence with a place at its beginning or behind its verb moved to its end; without one as it is.
    ///
    /// Only one order for one thing is read so: of several things it is not known which are in that place.
    private static func placeAtEnd(_ words: [SpokenWord], _ language: SpokenLanguage) throws(SpokenError)
        -> [SpokenWord]
    {
        guard let place = try placeToMove(words, language) else { return words }
        let order = words[..<place.lowerBound] + words[place.upperBound...]
        let isVerbFirst = order.first?.isVerb == true
        let thing = (isVerbFirst ? order.dropFirst() : order[...]).drop {
            $0.isOne(of: [.particle, .filler])
        }
        let isOne = !order.contains { $0.isOne(of: .ends) } && SpokenPhrase.list(thing).count == 1
        guard isOne else { throw .twoMeanings(words.map(\.text).joined(separator: " ")) }
        var end = words[place]
        while end.last?.isOne(of: [.filler, .separator]) == true { end.removeLast() }
        return Array(order) + end
    }

    /// Where such a place stands, with what separates it from the order; nil if there is none.
    private static func placeToMove(_ words: [SpokenWord], _ language: SpokenLanguage) throws(SpokenError)
        -> Range<Int>?
    {
        let verb = words.firstIndex(where: \.isVerb)
        if words.first?.isOne(of: [.place, .adverb]) == true, let verb {
            var place = words[..<verb]
            if place.last?.isOne(of: .filler) == true { place.removeLast() }
            if place.last?.isOne(of: .separator) == true, place.last?.isOne(of: .stop) == false {
                place.removeLast()
            }
            let isPlace = !place.contains { $0.isOne(of: .ends) } && SpokenPlace.name(place) != nil
            return isPlace ? 0..<verb : nil
        }
        // "Mach in der Küche das Licht an", "in der Küche Licht an".
        var start = 0
        if verb == 0 {
            // "Turn on the lamp" has no place "on the lamp".
            guard language.verbs[words[0].text]?.takesParticleFirst == false else { return nil }
            start = words.dropFirst().firstIndex { !$0.isOne(of: .filler) } ?? words.count
        } else if verb != nil || !language.beginsWithPlace {
            return nil
        }
        guard let count = SpokenPlace.count(atBeginningOf: words[start...]), start + count < words.count
        else {
            return nil
        }
        return start..<(start + count)
    }

    private struct Part {
        var words: [SpokenWord]
        let isOnly: Bool
        let endsSentence: Bool
    }

    /// The words between "and", "then", commas and full stops, without "please" at their ends.
    private static func parts(of words: [SpokenWord]) throws(SpokenError) -> [Part] {
        let hasOne = !words.contains { $0.isOne(of: .ends) }
        var parts: [Part] = []
        var rest = words[...]
        while !rest.isEmpty {
            var part = Array(rest.prefix { !$0.isOne(of: .ends) })
            rest = rest.dropFirst(part.count)
            let separators = rest.prefix { $0.isOne(of: .ends) }
            rest = rest.dropFirst(separators.count)
            if part.first?.isOne(of: .filler) == true { part.removeFirst() }
            if part.last?.isOne(of: .filler) == true { part.removeLast() }
            // A sentence that ends with "and" was not heard to its end. Together only "and then" may stand.
            let joining = separators.filter { !$0.isOne(of: .separator) }
            let areJoined =
                joining.count < 2
                || joining.count == 2 && joining[0].isOne(of: .and) && joining[1].isOne(of: .then)
            guard !part.isEmpty, separators.isEmpty || !rest.isEmpty, areJoined else { throw .noThing }
            parts.append(
                Part(
                    words: part, isOnly: hasOne, endsSentence: separators.contains { $0.isOne(of: .stop) }))
        }
        return parts
    }
}
