/// The place of a thing. It may stand at the beginning or at the end of a sentence:
///
///     place    = "in" *article words / "auf" 1*article words / "upstairs"     ; words of English and German
///     sentence = place [ "," ] verb …      ; "in the hall turn the lamp off"
///              / … setting place           ; "lamp off in the hall"
///
/// Accepted: `in the kitchen`. Rejected: `in 5 minutes`, `in the evening`, `in the hall in the attic`.
enum SpokenPlace {
    /// The index at which the only place begins, if nothing but it follows.
    static func index(in words: ArraySlice<SpokenWord>) -> Int? {
        let places = words.indices.filter { begins(words, at: $0) }
        guard places.count == 1, let index = places.first else { return nil }
        return name(words[index...]) == nil ? nil : index
    }

    private static func begins(_ words: ArraySlice<SpokenWord>, at index: Int) -> Bool {
        if words[index].isOne(of: [.place, .adverb]) { return true }
        return words[index].isOne(of: .placeBeforeArticle) && index + 1 < words.endIndex
            && words[index + 1].isOne(of: .article)
            && !words[(index + 1)...].withoutArticles.prefix(1)
                .contains { $0.isOne(of: .level) }
    }

    /// How many words the place at the beginning of `words` takes, if more follow: up to the next article or
    /// quantifier, and else one word after its own article. Nil if there is none.
    static func count(atBeginningOf words: ArraySlice<SpokenWord>) -> Int? {
        guard !words.isEmpty, begins(words, at: words.startIndex), let first = words.first else { return nil }
        if first.isOne(of: .adverb) { return 1 }
        let rest = words.dropFirst().withoutArticles
        let next = rest.firstIndex { $0.isOne(of: [.article, .quantifier, .ends]) }
        let end = next ?? min(rest.startIndex + 1, rest.endIndex)
        guard name(words[words.startIndex..<end]) != nil else { return nil }
        return end - words.startIndex
    }

    /// The place at the beginning of `words` without "in" and articles; nil if they tell a time, or no place.
    static func name(_ words: ArraySlice<SpokenWord>) -> ArraySlice<SpokenWord>? {
        guard !words.isEmpty, begins(words, at: words.startIndex), let first = words.first else { return nil }
        if first.isOne(of: .adverb) { return words.count == 1 ? words : nil }
        let place = words.dropFirst().withoutArticles
        guard let first = place.first, !first.text.contains(where: \.isNumber),
            !place.contains(where: { $0.isOne(of: .time) })
        else { return nil }
        return place
    }
}
