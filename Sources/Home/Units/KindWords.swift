/// The words of a type or a name, as far as they tell what an appliance is. No language is loaded for it:
/// every list of appliances needs it.
struct KindWords {
    /// The words, in lower case and without diacritics.
    private let words: [String]

    /// Longer ones tell nothing.
    private static let maximumByteCount = 500
    /// Ends of words that are no compounds: "Ventilator" is no "Tor", and "Temperatur" no "Tür".
    private static let falseTails = ["ator", "itor", "otor", "ktor", "utor", "atur", "itur", "ktur"]

    /// - Parameter isType: `DoorLock` is two words.
    init(_ text: String, isType: Bool = false) {
        guard text.utf8.count <= KindWords.maximumByteCount else {
            words = []
            return
        }
        words = isType ? KindWords.types[text] : KindWords.split(text)
    }

    private static let types = RepeatedWords { split(spaced($0)) }

    private static func split(_ text: String) -> [String] {
        SpokenText.tokens(text).map { $0.hasSuffix("'s") ? String($0.dropLast(2)) : $0 }
    }

    /// `Door Lock` of `DoorLock`.
    private static func spaced(_ text: String) -> String {
        var (spaced, isAfterSmall) = ("", false)
        for character in text {
            let isLarge = character.asciiValue.map { (0x41...0x5A).contains($0) } ?? character.isUppercase
            if isLarge, isAfterSmall { spaced.append(" ") }
            isAfterSmall = character.asciiValue.map { (0x61...0x7A).contains($0) } ?? character.isLowercase
            spaced.append(character)
        }
        return spaced
    }

    /// True if one of the words is among `known`, or its plural.
    func has(_ known: [String]) -> Bool {
        words.contains { word in
            known.contains { KindWords.isSame(word, $0) }
        }
    }

    /// "Garage" alone, or at the end, is its door.
    var endsWithGarage: Bool { words.last.map { $0.hasPrefix("garage") && $0.count <= 7 } ?? false }

    private static func isSame(_ word: String, _ known: String) -> Bool {
        guard known.utf8.first == UInt8(ascii: "-") else { return word == known || word == known + "s" }
        let tail = known.dropFirst()
        return word.utf8.count >= tail.utf8.count + 3 && word.hasSuffix(tail)
            && !falseTails.contains(where: word.hasSuffix)
    }
}
