/// An order and what it leaves out.
///
///     sentence = order "except" things [ setting ]     ; "mach alle Lichter außer der Leselampe aus"
///              / "except" things ( "," / verb … ) order
///     things   = thing *( ( "and" / "," ) thing )
///     thing    = SpokenPhrase / "in" *article words / "upstairs"
///
/// Accepted: `all lights off except the hall light`, `everything off but the kitchen and the TV`. Rejected:
/// `lamp on except fan off`, a second "except".
struct SpokenException: Sendable {
    /// The most words of the order that may stand behind what it leaves out: "auf 40 Prozent stellen".
    private static let maximumTail = 4

    let order: SpokenSentence
    /// The words for each, at least one.
    let things: [[SpokenWord]]

    /// The ways in which a sentence with "except" can be read; empty if it has none.
    static func readings(of sentence: SpokenSentence) throws(SpokenError) -> [SpokenException] {
        let places = sentence.words.indices.filter { sentence.words[$0].isOne(of: .except) }
        guard let place = places.first else { return [] }
        guard places.count == 1 else { throw .twoMeanings(sentence.text) }
        var before = Array(sentence.words[..<place])
        var after = Array(sentence.words[(place + 1)...])
        var start = before
        _ = SpokenGrammar.strip(&start, sentence.language)
        if start.isEmpty {
            // "Except the lamp, all lights off", "except the lamp turn all lights off".
            guard let end = after.firstIndex(where: { $0.isVerb || $0.isOne(of: .separator) }) else {
                throw .noSetting(sentence.text)
            }
            return try [SpokenException(before + after[end...], Array(after[..<end]), like: sentence)]
        }
        while before.last?.isOne(of: [.separator, .filler]) == true { before.removeLast() }
        _ = SpokenGrammar.strip(&after, sentence.language)
        guard !after.isEmpty else { throw .noThing }
        var readings: [SpokenException] = []
        for count in 0...min(maximumTail, after.count - 1) {
            let tail = after.suffix(count)
            guard maySet(tail) else { continue }
            let things = Array(after.dropLast(count))
            readings.append(try SpokenException(before + tail, things, like: sentence))
        }
        return readings
    }

    /// True for words with which an order may end: "aus", "to 40 percent". Never a thing: what stands in "all
    /// on except A and B" is left out, and not ordered.
    private static func maySet(_ tail: ArraySlice<SpokenWord>) -> Bool {
        guard let first = tail.first else { return true }
        return first.isOne(of: [.to, .at, .particle, .final, .afterLevel, .level, .adverb])
            && !tail.contains { $0.isOne(of: [.article, .quantifier, .and, .then, .separator]) }
    }

    private init(_ order: [SpokenWord], _ things: [SpokenWord], like sentence: SpokenSentence)
        throws(SpokenError)
    {
        self.order = SpokenSentence(words: order, like: sentence)
        self.things = things.split { $0.isOne(of: [.and, .separator]) }.map(Array.init)
        guard !self.things.isEmpty else { throw .noThing }
    }
}
