/// A form of a question.
///
///     pattern  = element *( " " element )
///     element  = words / slot [ "?" ]              ; with "?" it may be missing
///     words    = word *( "|" word )
///     slot     = "THINGS" / "STATE" / "PLACE"
///
/// Example: `which THINGS is|are STATE PLACE?`.
struct SpokenQuestionPattern: Sendable {
    enum Kind: Sendable {
        /// Is it so? Yes, no, or in part.
        case check
        /// What is so? A list.
        case list
        /// How is it? Its state.
        case tell
        /// How warm is it in some place?
        case warmth
    }

    enum Element: Equatable, Sendable {
        case words(Set<String>)
        case things
        case state
        case place(isOptional: Bool)
    }

    /// What stands in the slots.
    struct Match: Equatable, Sendable {
        var things: ArraySlice<SpokenWord>?
        var state: String?
        var place: ArraySlice<SpokenWord>?
    }

    let kind: Kind
    /// The word for the state that it is about, if none stands in the slot.
    let state: String?
    private let elements: [Element]

    init(_ kind: Kind, _ pattern: String, _ state: String? = nil) {
        (self.kind, self.state) = (kind, state)
        elements = pattern.split(separator: " ").map { element in
            switch element {
            case "THINGS": .things
            case "STATE": .state
            case "PLACE": .place(isOptional: false)
            case "PLACE?": .place(isOptional: true)
            default: .words(Set(element.split(separator: "|").map(String.init)))
            }
        }
    }

    /// Every way in which all the words fit. A sentence has at most `SpokenLanguage.maximumByteCount`
    /// bytes, and a pattern at most two slots of several words, so that they are few.
    ///
    /// - Parameter states: the words for a state.
    func matches(_ words: ArraySlice<SpokenWord>, states: Set<String>) -> [Match] {
        SpokenQuestionPattern.matches(elements[...], words, states: states)
    }

    private static func matches(
        _ elements: ArraySlice<Element>, _ words: ArraySlice<SpokenWord>, states: Set<String>
    ) -> [Match] {
        guard let element = elements.first else { return words.isEmpty ? [Match()] : [] }
        let later = elements.dropFirst()
        switch element {
        case .words(let allowed):
            guard let word = words.first, !word.isName, allowed.contains(word.text) else { return [] }
            return matches(later, words.dropFirst(), states: states)
        case .state:
            guard let word = words.first, !word.isName, states.contains(word.text) else { return [] }
            return matches(later, words.dropFirst(), states: states).map { match in
                var match = match
                match.state = match.state ?? word.text
                return match
            }
        case .things:
            return (1...max(1, words.count)).filter { $0 <= words.count }.flatMap { count in
                matches(later, words.dropFirst(count), states: states).map { match in
                    var match = match
                    match.things = words.prefix(count)
                    return match
                }
            }
        case .place(let isOptional):
            var found = isOptional ? matches(later, words, states: states) : []
            guard words.first?.isOne(of: [.place, .adverb, .placeBeforeArticle]) == true else { return found }
            for count in 1...words.count where SpokenPlace.name(words.prefix(count)) != nil {
                found += matches(later, words.dropFirst(count), states: states).map { match in
                    var match = match
                    match.place = words.prefix(count)
                    return match
                }
            }
            return found
        }
    }
}
