import Home
import Testing

/// Thousands of sentences with known meanings, and their mutations. Every language passes the same test.
@Suite struct GeneratedSentencesTests {
    /// SplitMix64: the same numbers on every run, and a seed in every failure.
    struct Numbers: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    /// What may come of a sentence: its orders by name, or nil for a refusal, an answer or a scene.
    private static func orders(_ sentence: String, _ targets: SpokenTargets) -> [String]? {
        guard let meaning = try? targets.meaning(of: sentence), case .orders(let understood) = meaning else {
            return nil
        }
        return understood.orders.map { SentenceHouse.text($0, targets) }.sorted()
    }

    private static func inLanguage(_ code: String) -> (GeneratedSentences, SpokenTargets) {
        code == "de" ? (.german, SentenceHouse.inGerman) : (.english, SentenceHouse.inEnglish)
    }

    @Test(arguments: ["en", "de"])
    func everySentenceIsUnderstood(_ code: String) {
        let (grammar, targets) = GeneratedSentencesTests.inLanguage(code)
        let all = grammar.all
        #expect(all.count > 200)
        for sentence in all {
            #expect(
                GeneratedSentencesTests.orders(sentence.text, targets) == sentence.meaning, "\(sentence.text)"
            )
        }
    }

    /// Two orders do both, or nothing. If they contradict each other: nothing.
    @Test(arguments: ["en", "de"])
    func twoOrdersDoBothOrNothing(_ code: String) {
        let (grammar, targets) = GeneratedSentencesTests.inLanguage(code)
        let all = grammar.all
        var numbers = Numbers(state: 7)
        var understood = 0
        for _ in 0..<1_500 {
            guard let one = all.randomElement(using: &numbers),
                let other = all.randomElement(using: &numbers),
                let joiner = grammar.joiners.randomElement(using: &numbers)
            else { return }
            let sentence = "\(one.text) \(joiner) \(other.text)"
            guard let orders = GeneratedSentencesTests.orders(sentence, targets) else { continue }
            understood += 1
            #expect(orders == Array(Set(one.meaning + other.meaning)).sorted(), "\(sentence)")
        }
        #expect(understood > 500)
    }

    /// What an order leaves out stays as it is, and all else is done; or nothing is, if that is not among it.
    @Test(arguments: ["en", "de"])
    func whatIsExceptedIsLeftAlone(_ code: String) {
        let (grammar, targets) = GeneratedSentencesTests.inLanguage(code)
        let sentences = grammar.all.filter { $0.names.count > 1 }
        // "Everything" also leaves out what the house of this grammar does not list.
        let things = (grammar.switched + grammar.dimmed + grammar.blinds + grammar.locks).filter {
            $0.names.count < 4
        }
        var numbers = Numbers(state: 17)
        var (sensible, understood) = (0, 0)
        for _ in 0..<4_000 {
            guard let sentence = sentences.randomElement(using: &numbers),
                let thing = things.randomElement(using: &numbers),
                let form = grammar.exceptions.randomElement(using: &numbers)
            else { return }
            let isAmong = !Set(sentence.names).isDisjoint(with: thing.names)
            // "Everything but the door": locks and blinds are not among it, and may be named.
            let mayBeAmong =
                isAmong || (grammar.locks + grammar.blinds).contains { $0.words == thing.words }
            let rest = sentence.meaning.filter { order in !thing.names.contains { order.hasPrefix($0 + " ") }
            }
            let text = form.replacing("S", with: sentence.text, maxReplacements: 1)
                .replacing("T", with: thing.words, maxReplacements: 1)
            let orders = GeneratedSentencesTests.orders(text, targets)
            if isAmong, !rest.isEmpty { sensible += 1 }
            guard let orders else { continue }
            understood += 1
            #expect(mayBeAmong && !rest.isEmpty && orders == rest, "\(text)")
        }
        print("exceptions, \(code): \(understood) of \(sensible)")
        #expect(understood * 10 > sensible * 6)
    }

    /// Negated, conditional and timed sentences, and questions, do nothing.
    @Test(arguments: ["en", "de"])
    func whatIsNoPlainOrderDoesNothing(_ code: String) {
        let (grammar, targets) = GeneratedSentencesTests.inLanguage(code)
        var numbers = Numbers(state: 11)
        for sentence in grammar.all {
            for condition in grammar.conditions.shuffled(using: &numbers).prefix(3) {
                for text in ["\(sentence.text) \(condition)", "\(condition) \(sentence.text)"] {
                    #expect(GeneratedSentencesTests.orders(text, targets) == nil, "\(text)")
                }
            }
            let words = sentence.text.split(separator: " ").map(String.init)
            for negation in grammar.negations {
                let at = Int.random(in: 0...words.count, using: &numbers)
                let text = (words[..<at] + [negation] + words[at...]).joined(separator: " ")
                #expect(GeneratedSentencesTests.orders(text, targets) == nil, "\(text)")
            }
            for question in grammar.questions {
                let text = "\(question) \(sentence.text)?"
                #expect(GeneratedSentencesTests.orders(text, targets) == nil, "\(text)")
            }
        }
    }

    /// Words dropped, swapped and misspelt: the right orders, or none. A mutation may be another sentence of
    /// the grammar; then that one's orders.
    @Test(arguments: ["en", "de"], [UInt64(1), 2])
    func mutationsAreRightOrRefused(_ code: String, _ seed: UInt64) {
        let (grammar, targets) = GeneratedSentencesTests.inLanguage(code)
        let all = grammar.all
        let known = Dictionary(all.map { ($0.text.lowercased(), $0.meaning) }, uniquingKeysWith: { $1 })
        // A number with another digit means what it says.
        let spared = Set(grammar.numbers.flatMap { $0.words.split(separator: " ").map(String.init) })
        var numbers = Numbers(state: seed)
        for sentence in all {
            for _ in 0..<5 {
                let text = GeneratedSentencesTests.mutate(sentence.text, sparing: spared, &numbers)
                guard let orders = GeneratedSentencesTests.orders(text, targets) else { continue }
                // "The kitchen light off" without its light is the kitchen.
                let isRoom =
                    grammar.wholeRooms.contains { text.hasSuffix($0.words) || text.contains("\($0.words) ") }
                    && grammar.wholeRooms.contains { orders == $0.names.map { "\($0) off" }.sorted() }
                let isRight = orders == sentence.meaning || orders == known[text.lowercased()] || isRoom
                #expect(isRight, "\(sentence.text) | \(text) | \(orders)")
            }
        }
    }

    private static func mutate(_ text: String, sparing spared: Set<String>, _ numbers: inout Numbers)
        -> String
    {
        var words = text.split(separator: " ").map(String.init)
        let places = words.indices.filter { !spared.contains(words[$0].filter { $0 != "%" }) }
        guard let at = places.randomElement(using: &numbers) else { return text }
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: words.remove(at: at)
        case 1: words.swapAt(at, Int.random(in: 0..<words.count, using: &numbers))
        case 2:
            var letters = Array(words[at])
            letters.remove(at: Int.random(in: 0..<letters.count, using: &numbers))
            words[at] = String(letters)
        default:
            var letters = Array(words[at])
            letters.insert(
                "abcdefghijklmnopqrstuvwxyz".randomElement(using: &numbers) ?? "x",
                at: Int.random(in: 0...letters.count, using: &numbers))
            words[at] = String(letters)
        }
        return words.joined(separator: " ")
    }
}
