/// A grammar for a recogniser, in JSGF (W3C Note of June 2000), made from a house's own words.
///
/// A recogniser fits whatever it hears to its grammar. So speech that is no order can also be heard as
/// `noise`, a row of single phones: what fits that better than any sentence is not acted on. And words of
/// opposite meaning sound alike, "on" and "off" most of all: a sentence is heard twice, once with a
/// preference for each, and counts only if both times the same was heard.
package struct ListeningGrammar: Equatable, Sendable {
    /// Which word of each pair is more likely.
    package enum Preference: Sendable, CaseIterable {
        case on, off
    }

    /// The rules for words of opposite meaning.
    private static let opposites: [(rule: String, on: [String], off: [String])] = [
        ("onoff", ["on"], ["off"]), ("shade", ["brighter"], ["darker"]), ("heat", ["warmer"], ["cooler"]),
        ("move", ["open", "raise"], ["close", "lower"]),
    ]

    /// A phone of noise costs as much: the lower, the more is taken for an order. Measured with espeak-ng's
    /// voices: `Documentation.docc/Home.md`.
    static let noiseWeight = "0.000001"
    /// How much less likely the word is that is not preferred.
    static let otherWeight = "0.000001"
    /// The phones of CMU's dictionary. Each is also a word, with an x before it.
    static let phones = """
        AA AE AH AO AW AY B CH D DH EH ER EY F G HH IH IY JH K L M N NG OW OY P R S SH T TH UH UW V W Y Z ZH
        """.split(separator: " ").map(String.init)

    private let rules: [String]

    /// - Parameter known: the words that can be pronounced.
    package init(_ words: ListeningWords, known: Set<String>) {
        var rules: [String] = []
        func rule(_ name: String, _ phrases: [ListeningWords.Phrase]) -> Bool {
            var seen: Set<[String]> = []
            let heard = phrases.filter { $0.isHeard(known) && seen.insert($0.words).inserted }
            guard !heard.isEmpty else { return false }
            let said = heard.map { $0.words.joined(separator: " ") }.joined(separator: " | ")
            rules.append("<\(name)> = [the] (\(said));")
            return true
        }
        var orders: [String] = ["what is on"]
        // Not after "everything" or "what is on": there the silence at the end is heard as a place.
        let place = rule("room", words.rooms) ? " [in <room>]" : ""
        if rule("thing", words.switched) {
            orders += ["(turn | switch) <onoff> (<thing> | <many>)", "is <thing> on"]
            rules.append("<many> = [all] the lights\(place) | everything;")
        }
        if rule("lamp", words.dimmed) {
            orders += [
                "dim <lamp>", "(set | dim) <lamp> to <number> percent", "make <lamp> <shade>",
            ]
            rules.append(
                "<number> = ten | twenty | thirty | forty | fifty | sixty | seventy | eighty | ninety;")
        }
        if rule("blind", words.coverings) {
            orders += ["<move> (<blind> | [all] the blinds)"]
        }
        if rule("heating", words.heatings) { orders.append("make <heating> <heat>") }
        // Locks are asked about only: a stranger at a window must not open the door.
        if rule("lock", words.locks) { orders.append("is <lock> locked") }
        if rule("scene", words.scenes) { orders.append("[run] <scene>") }
        rules.append("<order> = " + orders.joined(separator: " | ") + ";")
        self.rules = rules
    }

    /// The grammar's file.
    package func text(preferring preference: Preference) -> String {
        let (on, off) = preference == .on ? ("1", Self.otherWeight) : (Self.otherWeight, "1")
        let pairs = Self.opposites.map { pair in
            let words = pair.on.map { "/\(on)/ \($0)" } + pair.off.map { "/\(off)/ \($0)" }
            return "<\(pair.rule)> = \(words.joined(separator: " | "));"
        }
        let phones = Self.phones.map { "/\(Self.noiseWeight)/ x\($0.lowercased())" }
        return """
            #JSGF V1.0;
            grammar home;
            public <sentence> = /1/ <order> | /1/ <noise>;
            <noise> = <phone> <phone> <phone> <phone>*;
            <phone> = \(phones.joined(separator: " | "));
            \(pairs.joined(separator: "\n"))
            \(rules.joined(separator: "\n"))

            """
    }

    /// The lines of the dictionary for noise.
    package static var noiseDictionary: String {
        phones.map { "x\($0.lowercased()) \($0)\n" }.joined()
    }

    /// The sentence that was heard; nil if it was noise, nothing, or not the same each time.
    package static func sentence(heard: [String]) -> String? {
        guard let first = heard.first, heard.allSatisfy({ $0 == first }) else { return nil }
        let words = first.split(separator: " ")
        let isNoise = words.contains { word in
            word.first == "x" && phones.contains(word.dropFirst().uppercased())
        }
        return words.isEmpty || isNoise ? nil : words.joined(separator: " ")
    }
}

/// The words of a pronouncing dictionary, `word PHONE PHONE` or `word(2) PHONE`, a line each.
package enum PronouncingDictionary {
    /// The lines for `words`, and the words that were found.
    package static func lines(of bytes: [UInt8], for words: Set<String>) -> (
        text: [UInt8], known: Set<String>
    ) {
        var text: [UInt8] = []
        var known: Set<String> = []
        let wanted = Set(words.map { Array($0.utf8) })
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let word = line.prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") }
            let key = Array(word)
            guard wanted.contains(key) else { continue }
            known.insert(String(decoding: key, as: UTF8.self))
            text += line
            text.append(UInt8(ascii: "\n"))
        }
        return (text, known)
    }
}
