/// The words of one language, and what they are to the grammar. The parser knows roles, verbs and
/// particles, and no word of any language. All words are in the form of `SpokenText.tokens`: lower case,
/// without diacritics.
package struct SpokenLanguage: Sendable {
    /// The most bytes of a sentence: longer than any order that is spoken.
    static let maximumByteCount = 500
    /// The level that "dim" means without one.
    static let dimmed = 0.3
    /// What "brighter" changes, as a part of the range.
    static let step = 0.1
    /// The lowest level of what is on, which "darker" does not go below: "minimum".
    static let least = 0.01

    /// A state that a question asks for.
    enum State: Sendable { case on, off, open, closed, locked, unlocked }

    /// What to do with the end of a word to get its stem; the first that fits counts.
    struct Ending: Sendable {
        let suffix: String
        let replacement: String
        /// The least letters that stay before the suffix.
        let minimum: Int
        let isPlural: Bool

        init(_ suffix: String, _ replacement: String = "", minimum: Int = 0, isPlural: Bool = false) {
            (self.suffix, self.replacement) = (suffix, replacement)
            (self.minimum, self.isPlural) = (minimum, isPlural)
        }
    }

    /// Its ISO 639 code, and its name in English.
    package let code: String
    package let name: String
    let verbs: [String: SpokenVerb]
    /// What a particle at the end means without a verb.
    let verbless: SpokenVerb
    /// The words for levels; the minimum is the lowest level that is still on.
    let levels: [String: Double]
    let numbers: SpokenNumbers
    let percent: [[String]]
    /// "Degrees", after a number. The sign is no part of a word: "21 °C" is "21 c".
    let temperature: [[String]]
    let polite: [[String]]
    /// Words that ask for an order if a verb follows: "can you see the light on" is a question.
    let asking: [[String]]
    /// Words that wish for an order, with or without a verb: "I want the light off".
    let wishes: [[String]]
    /// Words that ask for an answer, before a question or instead of one: "tell me".
    let telling: [[String]]
    /// Words that stand for others: "what's" is "what is", "everywhere" is nothing. By their first word, the
    /// longest first.
    let rewrites: [String: [(from: [String], to: [String])]]
    /// In which forms a scene is run by its name.
    let scenes: [SpokenQuestionPattern]
    /// "Scene", which may stand before or behind its name.
    let sceneWords: Set<String>
    /// "A bit", before a step.
    let degrees: [[String]]
    /// Rounds of endings: each takes one ending off.
    let endings: [[Ending]]
    /// Plurals that their endings do not show.
    let plurals: Set<String>
    /// A type of the server, as a stem of its word, and the stems of the words for it.
    let kinds: [String: [[String]]]
    /// Words for a place, as stems, and the areas that they mean in a house that has none called so:
    /// "downstairs" is the ground floor.
    let areas: [[String]: [[String]]]
    /// Words before a place that change nothing: "the whole kitchen".
    let wholes: Set<String>
    /// Stems of words that mean one or several: "das Licht".
    let collectives: Set<String>
    /// Words that stand for the things of an order in what it leaves out: "except the hall one".
    let standIns: Set<String>
    /// True if an order may begin with its place, without a verb: "in der Küche Licht an".
    let beginsWithPlace: Bool
    /// Words that may be the last part of a compound.
    let tails: [String]
    /// Ends of words that are no compounds: "Ventilator" is no "Tor".
    let falseTails: [String]
    let questions: [SpokenQuestionPattern]
    let states: [String: State]
    private let roles: [String: SpokenRoles]
    /// A name with one of these words is looked for before the grammar is read.
    let grammar: Set<String>

    /// - Parameters: lists are separated by spaces, phrases in lists by commas.
    init(
        code: String, name: String, roles: [(SpokenRoles, String)], verbs: [SpokenVerb], verbless: SpokenVerb,
        levels: [String: Double], numbers: SpokenNumbers, percent: String, polite: String, asking: String,
        wishes: String, telling: String, temperature: String, degrees: String,
        endings: [[Ending]], plurals: String = "", wholes: String, collectives: String = "",
        kinds: [String: String],
        areas: [String: String], standIns: String = "", tails: String = "", falseTails: String = "",
        beginsWithPlace: Bool = false,
        rewrites: [String: String], scenes: [String],
        sceneWords: String, questions: [SpokenQuestionPattern], states: [String: State]
    ) {
        (self.code, self.name, self.verbless) = (code, name, verbless)
        (self.levels, self.numbers, self.endings, self.states) = (levels, numbers, endings, states)
        self.percent = SpokenLanguage.phrases(percent)
        self.temperature = SpokenLanguage.phrases(temperature)
        self.polite = SpokenLanguage.phrases(polite)
        self.asking = SpokenLanguage.phrases(asking)
        self.degrees = SpokenLanguage.phrases(degrees)
        self.wishes = SpokenLanguage.phrases(wishes)
        self.telling = SpokenLanguage.phrases(telling)
        let pairs = rewrites.map { (from: SpokenLanguage.list($0), to: SpokenLanguage.list($1)) }
        self.rewrites = Dictionary(grouping: pairs) { $0.from.first ?? "" }
            .mapValues { $0.sorted { $0.from.count > $1.from.count } }
        self.scenes = scenes.map { SpokenQuestionPattern(.list, $0) }
        self.sceneWords = Set(SpokenLanguage.list(sceneWords))
        self.plurals = Set(SpokenLanguage.list(plurals))
        self.tails = SpokenLanguage.list(tails)
        self.falseTails = SpokenLanguage.list(falseTails)
        let stem = { (word: String) in SpokenLanguage.stem(word, endings: endings).text }
        self.beginsWithPlace = beginsWithPlace
        self.wholes = Set(SpokenLanguage.list(wholes))
        self.collectives = Set(SpokenLanguage.list(collectives).map(stem))
        self.kinds = kinds.mapValues { SpokenLanguage.phrases($0).map { $0.map(stem) } }
        self.standIns = Set(SpokenLanguage.list(standIns))
        self.areas = Dictionary(
            uniqueKeysWithValues: areas.map { word, names in
                ([stem(word)], SpokenLanguage.phrases(names).map { $0.map(stem) })
            })
        self.questions = questions
        var byWord: [String: SpokenRoles] = [
            ",": .separator, ".": [.separator, .stop], "-": [.minus, .decisive], "%": .decisive,
        ]
        for (role, words) in roles {
            for word in SpokenLanguage.list(words) { byWord[word, default: []].insert(role) }
        }
        var verbsByWord: [String: SpokenVerb] = [:]
        for verb in verbs {
            for word in SpokenLanguage.list(verb.words) {
                verbsByWord[word] = verb
                byWord[word, default: []].insert(.verb)
            }
        }
        self.verbs = verbsByWord
        for word in (verbs + [verbless]).flatMap(\.actions.keys) where !word.isEmpty {
            byWord[word, default: []].insert(.particle)
        }
        for word in levels.keys { byWord[word, default: []].insert(.level) }
        self.roles = byWord
        let grammatical = byWord.filter { $0.value != .decisive && $0.value != .time }.keys
        let phrases =
            self.percent + self.temperature + self.polite + self.asking + self.degrees + self.wishes
            + self.telling
        grammar = Set(grammatical).union(phrases.joined()).subtracting(["-"])
    }

    /// "It".
    var pronoun: SpokenWord? {
        roles.filter { $0.value.contains(.pronoun) }.keys.min().map { SpokenWord($0, self.roles(of: $0)) }
    }

    func roles(of word: String) -> SpokenRoles { roles[word] ?? [] }

    func isDecisive(_ word: String) -> Bool { roles(of: word).contains(.decisive) }

    /// The stem of a word without apostrophes, and whether its ending is a plural.
    func stem(_ word: String) -> (text: String, isPlural: Bool) {
        let stem = SpokenLanguage.stem(word, endings: endings)
        return (stem.text, stem.isPlural || plurals.contains(word))
    }

    /// The parts of a compound whose last one is known: "kuchenlampe" is "kuchen", "lampe".
    func parts(of word: String) -> [String] {
        guard !tails.contains(word), !falseTails.contains(where: word.hasSuffix) else { return [word] }
        for tail in tails where word.utf8.count >= tail.utf8.count + 3 && word.hasSuffix(tail) {
            return [String(word.dropLast(tail.count)), tail]
        }
        return [word]
    }

    private static func stem(_ word: String, endings: [[Ending]]) -> (text: String, isPlural: Bool) {
        var word = word
        var isPlural = false
        for round in endings {
            let ending = round.first {
                word.hasSuffix($0.suffix) && word.count >= $0.suffix.count + $0.minimum
            }
            guard let ending else { continue }
            word = word.dropLast(ending.suffix.count) + ending.replacement
            isPlural = isPlural || ending.isPlural
        }
        return (word, isPlural)
    }

    private static func list(_ words: String) -> [String] {
        words.split { $0 == " " || $0 == "\n" }.map(String.init)
    }

    private static func phrases(_ list: String) -> [[String]] {
        list.split(separator: ",").map { self.list(String($0)) }.filter { !$0.isEmpty }
            .sorted { $0.count > $1.count }
    }
}

extension SpokenLanguage {
    /// Every language there is.
    package static let all = [english, german]

    /// The language of this code, as in `de` and `de_AT.UTF-8`; nil if there is none.
    package init?(code: String) {
        let short = code.lowercased().prefix { $0 != "_" && $0 != "." && $0 != "-" && $0 != "@" }
        guard let language = SpokenLanguage.all.first(where: { $0.code == short }) else { return nil }
        self = language
    }
}
