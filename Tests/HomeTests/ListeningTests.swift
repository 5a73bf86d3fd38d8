import JSON
import Testing

@testable import Home

/// What a recogniser listens for, and what of it counts.
@Suite struct ListeningTests {
    private static let words = ListeningWords(
        devices: SentenceHouse.english, rooms: SentenceHouse.englishRooms,
        scenes: SentenceHouse.englishScenes)

    /// The sentences of a rule, without those of its rules: every choice is taken at random.
    private static func expand(
        _ rule: String, _ rules: [String: String], _ numbers: inout some RandomNumberGenerator
    ) -> String {
        var text = rule[...]
        func alternatives(until end: Character?) -> String {
            var choices = [""]
            while let next = text.popFirst() {
                switch next {
                case end: return choices.randomElement(using: &numbers) ?? ""
                case "|": choices.append("")
                case "(": choices[choices.count - 1] += alternatives(until: ")")
                case "[":
                    let inner = alternatives(until: "]")
                    if Bool.random(using: &numbers) { choices[choices.count - 1] += inner }
                case "<":
                    let name = String(text.prefix { $0 != ">" })
                    text = text.dropFirst(name.count + 1)
                    choices[choices.count - 1] += expand(rules[name] ?? "?", rules, &numbers)
                case "/": text = text.drop { $0 != "/" }.dropFirst()
                default: choices[choices.count - 1].append(next)
                }
            }
            return choices.randomElement(using: &numbers) ?? ""
        }
        return alternatives(until: nil)
    }

    /// Whatever the recogniser can hear, the grammar of sentences understands: a thousand of its sentences.
    @Test func whatIsHeardIsUnderstood() {
        let grammar = ListeningGrammar(Self.words, known: Self.words.words)
        var rules: [String: String] = [:]
        for line in grammar.text(preferring: .on).split(separator: "\n") {
            let halves = line.split(separator: "=", maxSplits: 1)
            guard halves.count == 2, let name = halves[0].split(separator: " ").last else { continue }
            rules[String(name.dropFirst().dropLast())] = String(halves[1].dropLast())
        }
        var numbers = GeneratedSentencesTests.Numbers(state: 3)
        for _ in 0..<1_000 {
            let sentence = Self.expand(rules["order"] ?? "?", rules, &numbers)
                .split(separator: " ").joined(separator: " ")
            do {
                let meaning = try SentenceHouse.inEnglish.meaning(of: sentence)
                guard case .orders(let understood) = meaning else { continue }
                for order in understood.orders {
                    let device = SentenceHouse.english.first { $0.id == order.device }
                    #expect(device?.isLock == false, "\(sentence)")
                }
            } catch let error as SpokenError {
                // How things are may be in the way, and never the words.
                switch error {
                case .isOff, .alreadyDim, .cannot, .unknown: break
                default: Issue.record("\(sentence): \(error)")
                }
            } catch {
                Issue.record("\(sentence): \(error)")
            }
        }
    }

    @Test func namesWithoutPronunciationAreLeftOut() {
        let house = [
            SentenceHouse.lamp("Kitchen light", true, 1), SentenceHouse.lamp("Küchenlampe", true, 1),
            SentenceHouse.lamp("Lamp 2", true, 1), SentenceHouse.lamp("a; <order> = bomb", true, 1),
        ]
        let words = ListeningWords(devices: house, rooms: [], scenes: ["Movie night"])
        let known = ListeningWords.grammar.union(["kitchen", "lamp", "two", "order", "bomb", "a", "movie"])
        #expect(words.unheard(known: known) == ["Küchenlampe", "Movie night"])
        let text = ListeningGrammar(words, known: known).text(preferring: .off)
        #expect(text.contains("kitchen light | lamp two"))
        #expect(!text.contains("kuchenlampe") && !text.contains("a;"))
        #expect(text.contains("/0.000001/ on | /1/ off"))
    }

    @Test func noiseAndDoubtDoNotCount() {
        #expect(ListeningGrammar.sentence(heard: ["what is on ", "what is on "]) == "what is on")
        #expect(ListeningGrammar.sentence(heard: ["turn on the fan", "turn off the fan"]) == nil)
        #expect(ListeningGrammar.sentence(heard: ["xdh xuh xw", "xdh xuh xw"]) == nil)
        #expect(ListeningGrammar.sentence(heard: ["", ""]) == nil)
        #expect(ListeningGrammar.sentence(heard: []) == nil)
    }

    @Test func dictionaryGivesWhatIsAskedFor() {
        let text = "on AA N\non(2) AO N\nonto AA N T UW\noff AO F\n"
        let (lines, known) = PronouncingDictionary.lines(of: Array(text.utf8), for: ["on", "gone"])
        #expect(String(decoding: lines, as: UTF8.self) == "on AA N\non(2) AO N\n")
        #expect(known == ["on"])
    }

    private static func wave(_ samples: [Int16], rate: Int = 16_000, channels: Int = 1) -> [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let data = SoundFile.raw(samples)
        return Array("RIFF".utf8) + bytes(36 + data.count, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4)
            + bytes(1, 2) + bytes(channels, 2) + bytes(rate, 4) + bytes(rate * 2 * channels, 4)
            + bytes(2 * channels, 2) + bytes(16, 2) + Array("data".utf8) + bytes(data.count, 4) + data
    }

    @Test func soundIsReadAndConverted() throws {
        #expect(try SoundFile.samples(parsing: Self.wave([1, -2, 300])) == [1, -2, 300])
        #expect(try SoundFile.samples(parsing: Self.wave([10, 20, -4, -8], channels: 2)) == [15, -6])
        let fast = Self.wave([Int16](repeating: 7, count: 441), rate: 44_100)
        #expect(try SoundFile.samples(parsing: fast) == [Int16](repeating: 7, count: 160))
    }

    /// Any part of a file, and any byte of it changed: samples or an error, never a trap.
    @Test func brokenSoundIsRefused() {
        let whole = Self.wave([Int16](repeating: 99, count: 50), channels: 2)
        for count in 0..<whole.count { _ = try? SoundFile.samples(parsing: Array(whole[..<count])) }
        for at in whole.indices {
            for value in [UInt8(0), 1, 0x7F, 0xFF] {
                var bytes = whole
                bytes[at] = value
                _ = try? SoundFile.samples(parsing: bytes)
            }
        }
        #expect(throws: SoundFileError.notWave) { try SoundFile.samples(parsing: []) }
        #expect(throws: SoundFileError.otherFormat) {
            try SoundFile.samples(parsing: Self.wave([], channels: 6))
        }
    }

    @Test(arguments: [1, 7, 160, 3_200, 100_000])
    func utterancesAreCutAtPauses(_ chunk: Int) {
        func tone(_ seconds: Double) -> [Int16] {
            (0..<Int(seconds * 16_000)).map { $0 % 40 < 20 ? 5_000 : -5_000 }
        }
        func quiet(_ seconds: Double) -> [Int16] { [Int16](repeating: 3, count: Int(seconds * 16_000)) }
        // A cough, an order with a breath in it, another one, and a radio.
        let stream =
            quiet(1) + tone(0.1) + quiet(1) + tone(0.8) + quiet(0.3) + tone(0.7) + quiet(1) + tone(1)
            + quiet(1) + tone(12) + quiet(1)
        var cut = Utterances()
        var found: [[Int16]] = []
        for start in stride(from: 0, to: stream.count, by: chunk) {
            found += cut.take(stream[start..<min(start + chunk, stream.count)])
        }
        found += cut.end()
        #expect(found.map { ($0.count + 4_000) / 8_000 } == [5, 3])
    }
}
