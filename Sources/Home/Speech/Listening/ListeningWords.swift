import Identity

/// The names in a house that may be said, as the words of a recogniser: lower case, digits as words.
package struct ListeningWords: Sendable {
    /// A name, and its words.
    struct Phrase: Equatable, Sendable {
        let name: String
        let words: [String]
    }

    let switched: [Phrase]
    let dimmed: [Phrase]
    let coverings: [Phrase]
    let heatings: [Phrase]
    let locks: [Phrase]
    let rooms: [Phrase]
    let scenes: [Phrase]

    /// Words of the grammar itself.
    static let grammar = Set(
        """
        turn switch on off dim set to percent make brighter darker warmer cooler open close raise lower what \
        is locked the all lights light everything blinds in run ten twenty thirty forty fifty sixty seventy \
        eighty ninety
        """.split(separator: " ").map(String.init))

    /// Most names that are listened for: a recogniser with more hears worse, and slowly.
    static let maximumCount = 500

    package init(devices: [ControlledDevice], rooms: [Room], scenes: [String]) {
        let devices = devices.prefix(ListeningWords.maximumCount)
        func phrases(_ isMeant: (ControlledDevice) -> Bool) -> [Phrase] {
            devices.filter(isMeant).map { ListeningWords.phrase($0.name) }
        }
        switched = phrases { !$0.staysOutOfEverything && $0.isOn != nil }
        dimmed = phrases { !$0.staysOutOfEverything && $0.brightness != nil }
        coverings = phrases { $0.isCovering && $0.opening != nil }
        heatings = phrases { $0.warmth != nil }
        locks = phrases { $0.isLock && $0.locking != nil }
        self.scenes = scenes.prefix(ListeningWords.maximumCount).map(ListeningWords.phrase)
        self.rooms = rooms.prefix(ListeningWords.maximumCount).map { ListeningWords.phrase($0.name) }
    }

    private var all: [Phrase] { switched + dimmed + coverings + heatings + locks + rooms + scenes }

    /// Every word whose pronunciation is needed.
    package var words: Set<String> { ListeningWords.grammar.union(all.flatMap(\.words)) }

    /// The names that cannot be heard, because a word of theirs has no pronunciation among `known`.
    package func unheard(known: Set<String>) -> [String] {
        var seen: Set<String> = []
        return all.filter { !$0.isHeard(known) }.map(\.name).filter { seen.insert($0).inserted }
    }

    private static let numbers = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
    ]

    private static func phrase(_ name: String) -> Phrase {
        let words = SpokenName(name).words.map { word in
            Int(word).flatMap { numbers.indices.contains($0) ? numbers[$0] : nil } ?? word
        }
        return Phrase(name: name, words: words)
    }
}

extension ListeningWords.Phrase {
    /// True if each of its words can be pronounced. The grammar's file takes letters only: a name must not
    /// become a rule.
    func isHeard(_ known: Set<String>) -> Bool {
        !words.isEmpty && words.count <= 8
            && words.allSatisfy { word in
                known.contains(word) && word.utf8.allSatisfy { (0x61...0x7A).contains($0) }
            }
    }
}
