/// The words of the grammar, and what follows from a word alone.
enum SpokenVocabulary {
    /// The most bytes of a sentence: longer than any order that is spoken.
    static let maximumByteCount = 500

    /// The words that begin an order.
    enum Verb: String, CaseIterable {
        case turn, `switch`, put, set, shut, power, dim, brighten, fade

        /// True if "on" or "off" may follow it: "turn off the lamp". "Set off the alarm" means the opposite.
        var takesSettingFirst: Bool { [.turn, .switch, .put, .shut, .power].contains(self) }

        /// True if it changes a level and needs "to" before it: without "to", "by" may be meant.
        var needsTo: Bool { [.dim, .brighten, .fade].contains(self) }

        /// True if it is clear enough for a lock.
        var isForLocks: Bool { self == .turn || self == .switch }

        func allows(_ setting: Setting) -> Bool {
            switch (self, setting) {
            case (.dim, .on), (.dim, .off), (.brighten, .on), (.brighten, .off), (.fade, .on), (.fade, .off):
                false
            case (.shut, .on), (.shut, .level), (.power, .level): false
            default: true
            }
        }
    }

    /// Verbs for locks. Whether such a verb means on or off depends on the lock's maker.
    static let lockVerbs: Set<String> = ["lock", "unlock", "open", "close", "bolt", "unbolt"]

    static let separators: Set<String> = [",", "."]
    /// The words between orders, and between things.
    static let ends: Set<String> = separators.union(["and", "then"])

    /// The words for levels; the minimum is the lowest level that is still on.
    static let levels: [String: Double] = [
        "full": 1, "maximum": 1, "max": 1, "half": 0.5, "minimum": 0.01, "min": 0.01,
    ]
    /// The level that "dim" means without one.
    static let dimmed = 0.3

    static let articles: Set<String> = ["the", "a", "an", "my", "our"]
    static let quantifiers: Set<String> = ["all", "every", "each", "everything", "both"]
    static let devices: Set<String> = ["device", "devices"]
    static let pronouns: Set<String> = ["it", "them"]
    static let up: Set<String> = ["up", "down"]

    /// Words that make a time of what follows "in".
    static let times: Set<String> = [
        "second", "seconds", "sec", "secs", "minute", "minutes", "mins", "hour", "hours", "days", "week",
        "weeks",
        "moment", "while", "bit", "time", "morning", "afternoon", "evening", "night",
    ]

    static let polite: [[String]] = [
        ["please"], ["hey"], ["ok"], ["okay"], ["thanks"], ["thank", "you"], ["now"], ["kindly"],
    ]
    /// Words that ask for an order if a verb follows: "can you see the light on" is a question.
    static let asking: [[String]] = [["could", "you"], ["can", "you"], ["would", "you"], ["will", "you"]]

    /// A sentence that begins with one of these asks or tells how things are.
    static let question: Set<String> = [
        "is", "isn't", "are", "aren't", "was", "wasn't", "were", "did", "does", "has", "have", "had",
        "what", "which", "how", "why", "when", "where", "who", "should", "shall", "may", "might",
    ]

    /// Words that change the meaning of a sentence, or say when or whether. A sentence in which one is left
    /// over is refused, unless the word is in an appliance's name.
    static let decisive: Set<String> = question.union([
        "on", "off", "not", "no", "do", "don't", "dont", "doesn't", "never", "at", "by", "in", "after",
        "before",
        "until", "till", "unless", "except", "but", "if", "while", "for", "from", "to", "with", "without",
        "or", "of", "than", "then", "be", "been", "i", "you", "he", "she", "it", "they", "we", "them", "that",
        "it's", "and", "nor", "minus", "plus", "percent", "%", "-",
    ])

    /// A name with one of these words is looked for before the grammar is read.
    static let grammar: Set<String> = {
        var words = separators.union(articles).union(quantifiers).union(up).union(levels.keys)
        words.formUnion(["percent", "per", "cent", "%"])
        words.formUnion(["on", "off", "to", "at", "in", "and", "then", "of", "brightness"])
        words.formUnion(polite.joined())
        words.formUnion(asking.joined())
        words.formUnion(Verb.allCases.map(\.rawValue))
        return words.union(lockVerbs).union(question)
    }()
}
