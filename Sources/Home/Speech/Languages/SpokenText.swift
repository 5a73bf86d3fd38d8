/// Cuts sentences and names into words in the same way, so that they can be compared word by word.
///
///     token = word / number / "," / "." / "%" / "-"     ; "." for every mark that ends a sentence
///
/// Words are lower case and without diacritics: a speech recogniser writes "cafe lamp" for "Café lamp".
/// Letters and digits are separate words: `Lamp2` is `lamp`, `2`. A number stays as it was written, `0.4`.
/// Numbers that could be misread become words that are not numbers: `12,5` and `.5`; and `-5` becomes `-`,
/// `5`.
enum SpokenText {
    /// Characters that change the number after them.
    private static let signs: Set<Character> = [
        "-", "−", "–", "—", "+", "~", "<", ">", "=", "±", "*", "×", "/", "≤", "≥", "^",
    ]

    static func tokens(_ text: String) -> [String] {
        if let plain = plainTokens(text) { return plain }
        var tokens: [String] = []
        var word = ""
        func finish() {
            if !word.isEmpty { tokens.append(word) }
            word = ""
        }
        let characters = Array(text.lowercased())
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : " "
            let isInNumber = word.last?.isNumber ?? false
            switch character {
            case "%":
                finish()
                tokens.append("%")
            case "&":
                finish()
                tokens.append("and")
            case ".", ",":
                if next.isNumber, isInNumber || character == "." && word.isEmpty {
                    word.append(character)
                } else {
                    finish()
                    tokens.append(String(character))
                }
            case ";", "!", "?", "\n":
                finish()
                tokens.append(".")
            case "'", "’":
                // Inside a word it is an apostrophe, else a quotation mark.
                if !word.isEmpty, next.isLetter { word.append("'") } else { finish() }
            default:
                if character == "ß" {
                    if isInNumber { finish() }
                    word += "ss"
                } else if character.isLetter {
                    if isInNumber { finish() }
                    word.append(withoutDiacritics(character))
                } else if character.isNumber {
                    if let last = word.last, !last.isNumber, last != ".", last != "," { finish() }
                    word.append(character)
                } else {
                    let isAfterLetter = !word.isEmpty && !isInNumber
                    finish()
                    if signs.contains(character), next.isNumber, !isAfterLetter { tokens.append("-") }
                }
            }
        }
        finish()
        return tokens
    }

    /// The same for a text of ASCII letters, digits and spaces, and of words with `/` between them, as most
    /// names and types are: a list of a thousand appliances asks for several thousand; nil for any other.
    private static func plainTokens(_ text: String) -> [String]? {
        var tokens: [String] = []
        var word: [UInt8] = []
        var isInNumber = false
        func finish() {
            if !word.isEmpty { tokens.append(String(decoding: word, as: UTF8.self)) }
            word.removeAll(keepingCapacity: true)
        }
        for byte in text.utf8 {
            switch byte {
            case 0x61...0x7A, 0x41...0x5A, 0x30...0x39:
                let isDigit = byte < 0x41
                if isDigit != isInNumber { finish() }
                isInNumber = isDigit
                word.append(isDigit ? byte : byte | 0x20)
            case UInt8(ascii: " "): finish()
            case UInt8(ascii: "/") where !word.isEmpty && !isInNumber: finish()
            default: return nil
            }
        }
        finish()
        return tokens
    }

    /// "é" is "e", "ø" is "o". Unicode's names of the letters tell; no table is needed.
    private static func withoutDiacritics(_ letter: Character) -> Character {
        guard !letter.isASCII, let scalar = letter.unicodeScalars.first else { return letter }
        if scalar.isASCII { return Character(scalar) }
        let words = (scalar.properties.name ?? "").split(separator: " ", maxSplits: 5)
        guard words.count > 4, words[0] == "LATIN", words[2] == "LETTER", words[4] == "WITH",
            words[3].count == 1, let base = words[3].lowercased().first
        else { return letter }
        return base
    }
}
