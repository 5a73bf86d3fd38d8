/// An order in plain English, as a person says it or a speech recogniser writes it.
///
///     sentence = [ polite ] order [ polite ]
///     order    = verb things setting / verb setting things / things setting
///              / ( "set" / "dim" ) things [ "to" ] level / "dim" things
///     verb     = "turn" / "switch" / "put" / "set"
///     setting  = "on" / "off" / level
///     level    = number [ "%" / "percent" ] / "full" / "half"  ; with a setting, "to" may stand before it
///     things   = thing *( ( "and" / "," ) thing )
///     thing    = [ "the" / "my" / "all" / "every" / … ] words
///     polite   = "please" / "could you" / "can you" / …
///
/// Numbers are digits or words from zero to a hundred. Without a verb of level, a bare number is a percentage. "dim"
/// alone means 30%.
///
/// Accepted: `Turn the kitchen light off, please.`, `dim the lamp to forty percent`, `switch off all lights`.
/// Rejected: `make it cosy` (no verb that it knows), `turn the lamp` (no setting), `set the lamp to 140%`.
package struct PlainWords: Equatable, Sendable {
    /// What is to be set, in the speaker's words, lower case and without articles; each is one thing.
    package let things: [[String]]
    /// True for each thing that was said with "all", "every" or in the plural of everything.
    package let isEvery: [Bool]
    package let setting: Setting

    /// Nobody says more in one breath; what is longer is no order.
    package static let maximumByteCount = 500

    package init(_ sentence: String) throws(PlainWordsError) {
        guard sentence.utf8.count <= PlainWords.maximumByteCount else { throw .tooLong }
        // The mark of bytes that were no text: what they were to say, nobody knows.
        guard !sentence.unicodeScalars.contains("\u{FFFD}") else { throw .noSetting(sentence) }
        var words = PlainWords.tokens(sentence)
        PlainWords.strip(&words)
        guard let first = words.first else { throw .empty }
        let isDim = first == "dim"
        if ["turn", "switch", "put", "set", "dim"].contains(first) {
            words.removeFirst()
        }
        let setting: Setting
        if let (found, rest) = try PlainWords.setting(atEndOf: words) {
            (setting, words) = (found, rest)
        } else if !isDim, let word = words.first, word == "on" || word == "off" {
            setting = word == "on" ? .on : .off
            words.removeFirst()
        } else if isDim {
            setting = .level(0.3)
        } else {
            throw .noSetting(words.joined(separator: " "))
        }
        if isDim, setting == .on { throw .noSetting("dim on") }
        let parts = words.split { $0 == "and" || $0 == "," }.map(Array.init)
        var things: [[String]] = []
        var isEvery: [Bool] = []
        for part in parts {
            let thing = part.filter { !PlainWords.articles.contains($0) }
            let every = part.contains { PlainWords.quantifiers.contains($0) }
            let bare = thing.filter { !PlainWords.quantifiers.contains($0) }
            guard !bare.isEmpty || every else { throw .noThing }
            things.append(bare)
            isEvery.append(every)
        }
        guard !things.isEmpty else { throw .noThing }
        self.things = things
        self.isEvery = isEvery
        self.setting = setting
    }

    private static let articles: Set<String> = ["the", "a", "an", "my", "our", "of"]
    private static let quantifiers: Set<String> = ["all", "every", "everything", "each"]
    private static let polite: [[String]] = [
        ["please"], ["could", "you"], ["can", "you"], ["would", "you"], ["will", "you"], ["hey"], ["ok"],
        ["okay"],
        ["thanks"], ["thank", "you"], ["now"], ["kindly"],
    ]

    /// Lower-case words; a comma and a percent sign stand by themselves, other punctuation falls away.
    private static func tokens(_ sentence: String) -> [String] {
        var tokens: [String] = []
        var word = ""
        func finish() {
            // A full stop belongs to a number only between its digits.
            while word.hasSuffix(".") { word.removeLast() }
            if !word.isEmpty { tokens.append(word) }
            word = ""
        }
        for character in sentence.lowercased() {
            switch character {
            case "%", ",":
                finish()
                tokens.append(String(character))
            case "." where word.allSatisfy(\.isNumber) && !word.isEmpty: word.append(character)
            case "'", "’": word.append("'")
            default:
                if character.isLetter || character.isNumber { word.append(character) } else { finish() }
            }
        }
        finish()
        return tokens
    }

    /// Takes polite words off both ends.
    private static func strip(_ words: inout [String]) {
        var before = -1
        while words.count != before {
            before = words.count
            while words.first == "," { words.removeFirst() }
            while words.last == "," { words.removeLast() }
            for phrase in polite {
                if words.starts(with: phrase) { words.removeFirst(phrase.count) }
                if words.reversed().starts(with: phrase.reversed()) { words.removeLast(phrase.count) }
            }
        }
    }

    /// The setting that the words end with, and the words before it.
    private static func setting(atEndOf words: [String]) throws(PlainWordsError) -> (Setting, [String])? {
        var rest = words
        var setting: Setting?
        let isPercent = rest.last == "%" || rest.last == "percent"
        if isPercent { rest.removeLast() }
        switch rest.last {
        case "on" where !isPercent: (setting, rest) = (.on, rest.dropLast())
        case "off" where !isPercent: (setting, rest) = (.off, rest.dropLast())
        case "full" where !isPercent: (setting, rest) = (.level(1), rest.dropLast())
        case "half" where !isPercent: (setting, rest) = (.level(0.5), rest.dropLast())
        default:
            // "lamp 2" is a name, so that a number is a setting only after "to" or before a percent sign.
            let words = rest.suffix { NumberWords.isPart($0) }
            var before = rest.dropLast(words.count)
            if words.first == "hundred", before.last == "a" { before.removeLast() }
            guard let value = NumberWords.value(of: Array(words)), isPercent || before.last == "to" else {
                break
            }
            guard value <= 100 else { throw .outOfRange(words.joined(separator: " ")) }
            setting = .level(value < 1 && !isPercent ? value : value / 100)
            rest = Array(before)
        }
        guard let setting else { return nil }
        if rest.last == "to" { rest.removeLast() }
        return (setting, rest)
    }
}

extension Array where Element == String {
    /// The longest end of the array of which all fulfil the condition.
    fileprivate func suffix(_ condition: (String) -> Bool) -> ArraySlice<String> {
        self[(lastIndex { !condition($0) }.map { $0 + 1 } ?? startIndex)...]
    }
}
