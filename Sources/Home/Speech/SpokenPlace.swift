/// Where something is said to be. It goes with the thing wherever it stands:
///
///     place    = "in" *article words
///     sentence = place [ "," ] verb … / … setting place         ; "in the hall turn the lamp off", "lamp off in the hall"
///
/// Accepted: `in the kitchen`. Rejected: `in 5 minutes`, `in the evening`, `in the hall in the attic`.
enum SpokenPlace {
    /// The index of the only "in", if a place follows it.
    static func index(in words: ArraySlice<SpokenWord>) -> Int? {
        let places = words.indices.filter { words[$0].isOne(of: ["in"]) }
        guard places.count == 1, let index = places.first else { return nil }
        return name(words[(index + 1)...]) == nil ? nil : index
    }

    /// The words after "in" without articles; nil if they tell a time, or nothing.
    static func name(_ words: ArraySlice<SpokenWord>) -> ArraySlice<SpokenWord>? {
        let place = SpokenPhrase.withoutArticles(words)
        guard let first = place.first, !SpokenName.isNumber(first.text),
            !place.contains(where: { SpokenVocabulary.times.contains($0.text) })
        else { return nil }
        return place
    }

    /// The sentence with the place at its beginning put to its end; as it is if there is none.
    ///
    /// Only one order of one thing is read so: of several nobody knows how many are in that place.
    static func atEnd(_ words: [SpokenWord]) throws(SpokenError) -> [SpokenWord] {
        guard words.first?.isOne(of: ["in"]) == true, let verb = words.firstIndex(where: \.isVerb) else {
            return words
        }
        var place = words[..<verb]
        if place.last?.isOne(of: ["please"]) == true { place.removeLast() }
        if place.last?.isOne(of: [","]) == true { place.removeLast() }
        let isPlace = !place.contains {
            $0.isOne(of: SpokenGrammar.ends) || $0.isOne(of: SpokenVocabulary.lockVerbs)
        }
        guard isPlace, name(place.dropFirst()) != nil else { return words }
        var order = words[verb...]
        let thing = order.dropFirst().drop { $0.isOne(of: ["on", "off", "up", "down"]) }
        let isOne =
            !order.contains { $0.isOne(of: SpokenGrammar.ends) } && SpokenPhrase.list(thing).count == 1
        guard isOne else { throw .twoMeanings(words.map(\.text).joined(separator: " ")) }
        order += place
        return Array(order)
    }
}
