import Testing

@testable import Home

/// Whole rooms, several places, what is locked at once and times, as sentences that are made of parts;
/// the rooms and what they hold are written down here once more, and nothing is read from the grammar.
@Suite struct GeneratedPlacesTests {
    struct Place: Sendable {
        let said: String
        let inside: String
        /// What "everything" there means, and the lamps among it.
        let switched: [String]
        let lamps: [String]
    }

    struct Words: Sendable {
        let places: [Place]
        /// In each `R` stands for a room, `I` for "in the room", `S` for another one, `J` for that with "in".
        let whole: [String]
        let wholeOfTwo: [String]
        let lamps: [String]
        let lampsOfTwo: [String]
        let lock: [String]
        let locks: String
        let times: [(said: String, kind: SpokenTime.Kind)]
        let negations: [String]
        let targets: SpokenTargets
        let language: SpokenLanguage
    }

    static let english = Words(
        places: [
            Place(
                said: "the kitchen", inside: "in the kitchen",
                switched: ["Coffee machine", "Counter lamp", "Kitchen light"],
                lamps: ["Counter lamp", "Kitchen light"]),
            Place(
                said: "the bathroom", inside: "in the bathroom", switched: ["Bathroom light", "Mirror lamp"],
                lamps: ["Bathroom light", "Mirror lamp"]),
            Place(
                said: "the bedroom", inside: "in the bedroom",
                switched: ["Bedroom light", "Bedside lamp", "Fan"],
                lamps: ["Bedroom light", "Bedside lamp"]),
            Place(
                said: "the living room", inside: "in the living room",
                switched: ["Ceiling light", "Hue go", "Reading lamp", "TV"],
                lamps: ["Ceiling light", "Hue go", "Reading lamp"]),
        ],
        whole: [
            "turn off R", "turn R off", "R off", "please switch R off", "turn everything off I", "all off I",
            "can you turn off R", "shut everything off I", "make sure everything I is off",
        ],
        wholeOfTwo: ["turn off R and S", "R and S off", "turn R and S off"],
        lamps: [
            "lights off I", "turn off the lights I", "turn all the lights off I",
            "the lights I should be off", "make sure the lights I are off",
        ],
        lampsOfTwo: [
            "lights off I and S", "turn off the lights I and S", "turn the lights off I and J",
            "turn off the lights I, S",
        ],
        lock: [
            "lock up", "lock everything", "lock all the doors", "lock the doors", "please lock all doors",
        ],
        locks: "Front door locked",
        times: [
            ("for ten minutes", .lasting(600)), ("in half an hour", .later(1800)),
            ("for two and a half hours", .lasting(9000)),
            ("until half past nine", .until(hour: 9, minute: 30, isEither: true)),
            ("at ten past eight", .at(hour: 8, minute: 10, isEither: true)),
            ("at six in the evening", .at(hour: 18, minute: 0, isEither: false)),
        ],
        negations: ["not", "don't", "never", "no"], targets: FamilyHouse.inEnglish, language: .english)

    static let german = Words(
        places: [
            Place(
                said: "die Küche", inside: "in der Küche",
                switched: ["Arbeitslampe", "Deckenlicht Küche", "Kaffeemaschine"],
                lamps: ["Arbeitslampe", "Deckenlicht Küche"]),
            Place(
                said: "das Bad", inside: "im Bad", switched: ["Badlicht", "Spiegellampe"],
                lamps: ["Badlicht", "Spiegellampe"]),
            Place(
                said: "das Schlafzimmer", inside: "im Schlafzimmer",
                switched: ["Nachttischlampe", "Schlafzimmerlampe", "Ventilator"],
                lamps: ["Nachttischlampe", "Schlafzimmerlampe"]),
            Place(
                said: "das Wohnzimmer", inside: "im Wohnzimmer",
                switched: ["Deckenlampe", "Fernseher", "Leselampe", "Sofalampe"],
                lamps: ["Deckenlampe", "Leselampe", "Sofalampe"]),
        ],
        whole: [
            "mach R aus", "schalte R bitte aus", "R aus", "kannst du R ausschalten", "alles aus I",
            "I alles aus",
            "mach alles I aus",
        ],
        wholeOfTwo: ["mach R und S aus", "R und S aus", "schalte R und S aus"],
        lamps: [
            "Lichter aus I", "mach die Lichter I aus", "Licht aus I", "I das Licht aus", "alle Lichter I aus",
        ],
        lampsOfTwo: ["mach die Lichter I und J aus", "die Lichter I und J aus", "Licht aus I und J"],
        lock: ["schließ alles ab", "alles abschließen", "schließ alle Türen ab", "schließ ab"],
        locks: "Haustür locked",
        times: [
            ("für zehn Minuten", .lasting(600)), ("in einer halben Stunde", .later(1800)),
            ("für zweieinhalb Stunden", .lasting(9000)),
            ("bis halb zehn", .until(hour: 9, minute: 30, isEither: true)),
            ("um zehn nach acht", .at(hour: 8, minute: 10, isEither: true)),
            ("um 6 Uhr abends", .at(hour: 18, minute: 0, isEither: false)),
        ],
        negations: ["nicht", "nie", "kein", "niemals"], targets: FamilyHouse.inGerman, language: .german)

    private static func text(_ form: String, _ one: Place, _ other: Place? = nil) -> String {
        // Capitals of their own: no word of a form is one of these letters.
        form.split(separator: " ").map { word in
            let bare = word.filter { $0 != "," }
            let tail = word.hasSuffix(",") ? "," : ""
            switch bare {
            case "R": return one.said + tail
            case "I": return one.inside + tail
            case "S": return (other?.said ?? "") + tail
            case "J": return (other?.inside ?? "") + tail
            default: return String(word)
            }
        }.joined(separator: " ")
    }

    private static func off(_ names: [String]) -> String {
        names.sorted().map { "\($0) off" }.joined(separator: ", ")
    }

    /// Every sentence with what it means.
    static func all(_ words: Words) -> [(text: String, meaning: String)] {
        var all: [(String, String)] = []
        for one in words.places {
            for form in words.whole { all.append((text(form, one), off(one.switched))) }
            for form in words.lamps { all.append((text(form, one), off(one.lamps))) }
            for other in words.places where other.said != one.said {
                for form in words.wholeOfTwo {
                    all.append((text(form, one, other), off(one.switched + other.switched)))
                }
                for form in words.lampsOfTwo {
                    all.append((text(form, one, other), off(one.lamps + other.lamps)))
                }
            }
        }
        return all + words.lock.map { ($0, words.locks) }
    }

    private static func outcome(_ text: String, _ words: Words) -> String {
        SentenceHouse.outcome(text, words.targets, words.language)
    }

    @Test(arguments: [english, german])
    func everySentenceIsUnderstood(_ words: Words) {
        let all = GeneratedPlacesTests.all(words)
        #expect(all.count > 100)
        for sentence in all {
            #expect(
                GeneratedPlacesTests.outcome(sentence.text, words) == sentence.meaning, "\(sentence.text)")
        }
    }

    /// A time changes when, and nothing of what.
    @Test(arguments: [english, german])
    func aTimeLeavesTheOrderAsItIs(_ words: Words) {
        for sentence in GeneratedPlacesTests.all(words) {
            for time in words.times {
                let text = "\(sentence.text) \(time.said)"
                let said = SpokenTime(text, words.language)
                #expect(said?.kind == time.kind, "\(text)")
                let outcome = said.map { GeneratedPlacesTests.outcome($0.rest, words) }
                #expect(outcome == sentence.meaning || outcome == "!", "\(text)")
            }
        }
    }

    /// A word of no, anywhere, and nothing is done. Words that are lost or change their places: what is
    /// left is
    /// done, or nothing; never what opens.
    @Test(arguments: [english, german], [UInt64(1), 2])
    func noAndSlipsDoNothingWrong(_ words: Words, _ seed: UInt64) {
        var random = GeneratedSentencesTests.Numbers(state: seed)
        let all = GeneratedPlacesTests.all(words)
        let meanings = Set(all.map(\.meaning))
        let inside = Set(words.places.flatMap(\.switched).map { "\($0) off" } + [words.locks])
        for sentence in all {
            let said = sentence.text.split(separator: " ").map(String.init)
            for negation in words.negations {
                let at = Int.random(in: 0...said.count, using: &random)
                let text = (said[..<at] + [negation] + said[at...]).joined(separator: " ")
                #expect(GeneratedPlacesTests.outcome(text, words) == "!", "\(text)")
            }
            var slipped = said
            let at = Int.random(in: 0..<said.count, using: &random)
            if Bool.random(using: &random) { slipped.remove(at: at) } else { slipped.swapAt(at, 0) }
            let outcome = GeneratedPlacesTests.outcome(slipped.joined(separator: " "), words)
            let orders = outcome.split(separator: ", ").map(String.init)
            #expect(
                outcome == "!" || meanings.contains(outcome) || orders.allSatisfy(inside.contains),
                "\(slipped.joined(separator: " ")): \(outcome)")
        }
    }
}
