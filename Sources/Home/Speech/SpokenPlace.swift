/// The place of a thing. It may stand at the beginning or at the end of a sentence:
///
///     place    = "in" *article words
///     sentence = place [ "," ] verb …      ; "in the hall turn the lamp off"
///              / … setting place           ; "lamp off in the hall"
///
/// Accepted: `in the kitchen`. Rejected: `in 5 minutes`, `in the evening`, `in the hall in the attic`.
enum SpokenPlace {
    /// The index of the only "in", if a place follows it.
    static func index(in words: ArraySlice<SpokenWord>) -> Int? {
        let places = words.indices.filter { words[$0].isOne(of: ["in"]) }
        guard places.count == 1, let index = places.first else { return nil }
        return name(words[(index + 1)...]) == nil ? nil : index
    }

    /// The words after "in" without articles; nil if there are none, or they tell a time.
    static func name(_ words: ArraySlice<SpokenWord>) -> ArraySlice<SpokenWord>? {
        let place = words.withoutArticles
        guard let first = place.first, !SpokenName.isNumber(first.text),
            !place.contains(where: { SpokenVocabulary.times.contains($0.text) })
        else { return nil }
        return place
    }
}
