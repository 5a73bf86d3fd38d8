/// A phrase in the form that is compared with names.
struct SpokenWords {
    let head: SpokenName
    let place: SpokenName
    let whole: SpokenName

    /// - Parameters:
    ///   - areas: the areas; such a word needs no "in": "the lights upstairs".
    ///   - isEverything: only the place tells what is meant.
    init(
        _ phrase: SpokenPhrase, areas: Set<[String]>, _ language: SpokenLanguage,
        isEverything: Bool = false
    ) {
        var words = isEverything ? [] : phrase.words
        var place = phrase.place
        let mayBePlace = place.isEmpty && (words.count > 1 || phrase.isWhole)
        if mayBePlace, let last = words.last, let first = words.first {
            if areas.contains(SpokenName([last], language).stems) {
                place = [words.removeLast()]
            } else if areas.contains(SpokenName([first], language).stems) {
                place = [words.removeFirst()]
            }
        }
        (head, self.place) = (SpokenName(words, language), SpokenName(place, language))
        whole = place.isEmpty ? head : SpokenName(place + words, language)
    }
}
