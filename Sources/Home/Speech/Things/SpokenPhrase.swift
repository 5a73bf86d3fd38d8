/// The words for one thing, or for several.
///
///     phrase   = *article words [ place ]                  ; "the kitchen light", "the light in the hall"
///              / "it" place                                ; "it in the hall": what can be warmer, brighter
///              / ( "all" / "every" / "each" / "both" ) [ "of" ] *article words [ place ]
///              / ( "everything" / [ "it" ] "all" ) [ place ]
///     place    = "in" *article words                      ; not "in 5 minutes", "in the evening"
///     article  = "the" / "a" / "an" / "my" / "our"
///
/// Accepted: `the kitchen light`, `all of the lights in the hall`, `both lamps`. Rejected: `the`, `both`.
struct SpokenPhrase: Equatable, Sendable {
    enum Quantity: Equatable, Sendable { case one, both, every }

    let quantity: Quantity
    /// True if "all" or "everything" stands by itself, so that a place alone may follow: "everything
    /// upstairs".
    let isWhole: Bool
    /// Without articles at its beginning, and without the place.
    let words: [SpokenWord]
    /// True for "everything", which takes no thing.
    let isAlone: Bool
    /// The place that is said; empty if there is none.
    let place: [SpokenWord]
    /// All words in the order in which they were said, without articles and quantifiers at the beginning.
    let said: [SpokenWord]
    /// All words.
    let spoken: [SpokenWord]

    init(_ spoken: [SpokenWord]) throws(SpokenError) {
        self.spoken = spoken
        var words = spoken[...].withoutArticles
        var quantity = Quantity.one
        // "All" is enough by itself; "every", "all of" and "all the" are not.
        var isWhole = false
        var isBare = false
        var isAlone = false
        if words.count > 1, words[words.startIndex].isOne(of: .pronoun),
            words[words.startIndex + 1].isOne(of: .whole)
        {
            words = words.dropFirst()
        }
        if let first = words.first, first.isOne(of: .quantifier) {
            // "The all light" was not heard right.
            guard words.startIndex == spoken.startIndex || spoken.first?.isOne(of: .pronoun) == true else {
                throw .leftOver(first.text, in: spoken.map(\.text).joined(separator: " "))
            }
            quantity = first.isOne(of: .both) ? .both : .every
            words = words.dropFirst()
            isAlone = first.isOne(of: .alone)
            isBare = first.isOne(of: .whole) && words.first?.isOne(of: [.of, .article]) != true
            isWhole =
                first.isOne(of: .whole) && (words.isEmpty || SpokenPlace.index(in: words) == words.startIndex)
            if words.count > 1, words.first?.isOne(of: .of) == true { words = words.dropFirst() }
            words = words.withoutArticles
            if words.count == 1, words.first?.isOne(of: .pronoun) == true {
                words = []
                isWhole = quantity == .every
                isBare = isWhole
            }
        }
        guard !words.isEmpty || isWhole else { throw .noThing }
        self.quantity = quantity
        self.isWhole = isWhole || isBare
        self.isAlone = isAlone
        said = Array(words)
        (self.words, place) = SpokenPhrase.split(words, isWhole: isWhole)
    }

    /// True for "it" in some place.
    var isPronoun: Bool {
        quantity == .one && words.count == 1 && words[0].isOne(of: .pronoun) && !place.isEmpty
    }

    /// The same thing in another place; nil if it is in none.
    func moved(to place: [SpokenWord]) throws(SpokenError) -> SpokenPhrase? {
        guard !self.place.isEmpty, let index = SpokenPlace.index(in: spoken[...]) else { return nil }
        return try SpokenPhrase(spoken[..<index] + place)
    }

    /// As it was said.
    var text: String {
        let words = said.map(\.text).joined(separator: " ")
        switch quantity {
        case .one: return words
        case .both: return "both " + words
        case .every: return words.isEmpty ? "everything" : "all " + words
        }
    }

    /// The first word that may change the meaning of the sentence and was not understood.
    var leftOver: String? {
        (words + place).first { $0.isOne(of: .decisive) }?.text
    }

    /// The words before and after "in", if there is one place and something in it.
    private static func split(_ words: ArraySlice<SpokenWord>, isWhole: Bool) -> ([SpokenWord], [SpokenWord])
    {
        guard let index = SpokenPlace.index(in: words), index > words.startIndex || isWhole,
            let place = SpokenPlace.name(words[index...])
        else { return (Array(words), []) }
        return (Array(words[..<index]), Array(place))
    }

    /// The things of a list as a speech recogniser writes it, without commas: "the tv the heater" are two. An
    /// article begins a new thing, but not after "in", "of" and the like. "A" does not: it may be a name.
    static func list(_ words: ArraySlice<SpokenWord>) -> [[SpokenWord]] {
        var things: [[SpokenWord]] = [[]]
        for word in words {
            let isInside =
                things.last?.last.map {
                    !$0.isOne(of: .decisive) && !$0.isOne(of: .quantifier)
                        && !$0.isOne(of: .article)
                } ?? false
            if isInside, word.isOne(of: .listArticle) { things.append([]) }
            things[things.count - 1].append(word)
        }
        return things
    }
}
