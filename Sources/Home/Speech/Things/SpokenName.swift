import Identity

/// The words of an appliance's name, or of a name that is spoken, in the forms in which names are compared.
struct SpokenName: Equatable, Sendable {
    /// Without articles at the beginning, punctuation and apostrophes.
    let words: [String]
    /// The same with numbers in digits: "lamp one" is "lamp 1".
    let plain: [String]
    /// The same in the singular: "lights", "light's" and "light" are equal.
    let stems: [String]

    /// No sentence could hold a longer name.
    private static let maximumByteCount = SpokenLanguage.maximumByteCount

    init(_ name: String, _ language: SpokenLanguage = .english) {
        self.init(name.utf8.count > SpokenName.maximumByteCount ? [] : SpokenText.tokens(name), language)
    }

    init(_ phrase: [SpokenWord], _ language: SpokenLanguage) { self.init(phrase.map(\.text), language) }

    private init(_ tokens: [String], _ language: SpokenLanguage) {
        let words = tokens.filter { $0.contains { $0.isLetter || $0.isNumber } }
        let named = Array(words.drop { language.roles(of: $0).contains(.article) })
        let kept = named.isEmpty ? words : named
        self.words = kept.map(SpokenName.withoutApostrophe)
        plain = SpokenName.withDigits(self.words, language)
        let parts = kept.flatMap(language.parts)
        stems = SpokenName.withDigits(parts.map { SpokenName.stem($0, language).text }, language)
        isPlural = parts.last.map { SpokenName.stem($0, language).isPlural } ?? false
        units = SpokenName.units(stems)
        joined = stems.reduce(into: "") { joined, stem in
            if SpokenName.isNumber(stem), joined.last?.isNumber == true { joined += " " }
            joined += stem
        }
    }

    /// True if the last word is a plural, so that several things may be meant.
    let isPlural: Bool

    /// All words joined: "kitchenlight" is "kitchen light". Numbers stay apart.
    let joined: String
    /// The words, each with the number that follows it: "bedroom 2 light" is not "bedroom light 2".
    let units: [String]

    static func units(_ stems: some Sequence<String>) -> [String] {
        var units: [String] = []
        for stem in stems {
            if isNumber(stem), let last = units.last, !isNumber(last), !last.contains(" ") {
                units[units.count - 1] = "\(last) \(stem)"
            } else {
                units.append(stem)
            }
        }
        return units
    }

    /// True if all these are among the units. A unit may have a number that was not said.
    func contains(_ part: [String]) -> Bool {
        !part.isEmpty
            && part.allSatisfy { unit in units.contains { $0 == unit || $0.hasPrefix("\(unit) ") } }
    }

    /// True if `spoken` is this name with one slip of the speaker or the recogniser: as many words, all but
    /// one equal. The other one has at least four letters, the first of them right, and one letter wrong (two
    /// from eight letters on). Numbers are never slips.
    func isSlip(_ spoken: SpokenName, known: Set<String>, _ language: SpokenLanguage) -> Bool {
        guard plain.count == spoken.plain.count else { return false }
        let slips = zip(plain, spoken.plain).filter { $0 != $1 }
        guard slips.count == 1, let (wanted, said) = slips.first, !known.contains(said),
            !language.isDecisive(said), [wanted, said].allSatisfy(SpokenName.isForgiven),
            wanted.first == said.first
        else { return false }
        let isLong = min(wanted.count, said.count) >= 8
        return Orthography.distance(wanted, said, limit: isLong ? 2 : 1) != nil
    }

    /// True for a word in which a slip is not another word, as `IV` and `VI` are.
    private static func isForgiven(_ word: String) -> Bool {
        word.count >= 4 && word.allSatisfy(\.isLetter) && !word.allSatisfy("ivx".contains)
    }

    /// True for a number in digits; names are kept with all numbers in digits.
    static func isNumber(_ word: String) -> Bool { word.last?.isNumber == true }

    private static func withoutApostrophe(_ word: String) -> String { word.filter { $0 != "'" } }

    /// "glass" stays as it is; "switches" is "switch"; "niche" and "niches" are both "nich".
    private static func stem(_ word: String, _ language: SpokenLanguage) -> (text: String, isPlural: Bool) {
        let stem = language.stem(word.hasSuffix("'s") ? word : withoutApostrophe(word))
        return (withoutApostrophe(stem.text), stem.isPlural)
    }

    private static func withDigits(_ words: [String], _ language: SpokenLanguage) -> [String] {
        var found: [String] = []
        var rest = words[...]
        while let first = rest.first {
            let count = rest.count > 1 && language.numbers.value(of: Array(rest.prefix(2))) != nil ? 2 : 1
            if let value = language.numbers.value(of: Array(rest.prefix(count))),
                let whole = Int(exactly: value)
            {
                found.append("\(whole)")
            } else {
                found.append(first)
            }
            rest = rest.dropFirst(count)
        }
        return found
    }
}
