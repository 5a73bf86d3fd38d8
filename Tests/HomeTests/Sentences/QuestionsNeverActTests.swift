import FoundationEssentials
import Home
import Testing

/// Whatever is asked, nothing is set: questions of many forms about everything in two houses, with polite
/// words around them, with and without a question mark, and with words dropped.
@Suite struct QuestionsNeverActTests {
    private struct Language: Sendable {
        let code: String
        let things: [String]
        let states: [String]
        let places: [String]
        /// `T`, `S` and `P` stand for a thing, a state and a place.
        let forms: [String]
        let around: [(String, String)]
        let targets: [SpokenTargets]
    }

    private static let languages = [
        "en": Language(
            code: "en",
            things: [
                "the kitchen light", "the front door", "the tv", "all the lights", "the lights", "the blinds",
                "any lights", "everything", "the heating", "the garage door", "the hue go", "movie night",
            ],
            states: ["on", "off", "open", "closed", "locked", "unlocked", "up", "down", "running"],
            places: ["in the kitchen", "upstairs", "in the living room", "outside", "everywhere", ""],
            forms: [
                "is T S P", "are T S P", "is T still S P", "did I leave T S P", "has anyone left T S",
                "which lights are S P", "what is S P", "what's still S P", "how many lights are S P",
                "tell me if T is S", "show me what is S P", "did you turn T S", "why is T S", "when was T S",
                "who turned T S", "should I turn T S", "shall we turn T S P", "is it S P",
                "have you turned T S",
                "do you know if T is S", "was T S", "how bright is T P", "is there a light S P",
                "could it be that T is S", "can you tell me if T is S", "would T be S P",
            ],
            around: [("", ""), ("please ", ""), ("hey, ", ""), ("", " please"), ("ok ", " now")],
            targets: [SentenceHouse.inEnglish, FamilyHouse.inEnglish]),
        "de": Language(
            code: "de",
            things: [
                "das Küchenlicht", "die Haustür", "der Fernseher", "alle Lichter", "das Licht", "die Rollos",
                "alles", "die Heizung", "das Garagentor", "Filmabend", "die Stehlampe", "Licht",
            ],
            states: ["an", "aus", "offen", "zu", "auf", "abgeschlossen", "oben", "unten", "eingeschaltet"],
            places: ["in der Küche", "oben", "im Wohnzimmer", "draußen", "überall", ""],
            forms: [
                "ist T S P", "sind T S P", "ist T noch S P", "ist P T S", "habe ich T S",
                "hat jemand T S gelassen",
                "welche Lampen sind S P", "was ist S P", "was ist P noch S", "wie viele Lampen sind S P",
                "sag mir ob T S ist", "zeig mir was S ist P", "warum ist T S", "wann war T S",
                "wer hat T S gemacht",
                "soll ich T S machen", "brennt P noch T", "läuft T P", "weißt du ob T S ist", "steht T S P",
                "kannst du mir sagen ob T S ist", "wie hell ist T", "wäre T S P", "könnte T S sein",
            ],
            around: [("", ""), ("bitte ", ""), ("hey, ", ""), ("", " bitte"), ("ok ", " jetzt")],
            targets: [SentenceHouse.inGerman, FamilyHouse.inGerman]),
    ]

    /// How often each form is filled in; more for a long search.
    private static let rounds =
        ProcessInfo.processInfo.environment["HUBPAIR_QUESTIONS"].flatMap(Int.init) ?? 15

    private static func acts(_ sentence: String, _ targets: SpokenTargets) -> Bool {
        switch try? targets.meaning(of: sentence) {
        case .orders, .scene: true
        case .answer, nil: false
        }
    }

    @Test(arguments: ["en", "de"], [UInt64(3), 4])
    func nothingIsSet(_ code: String, _ seed: UInt64) throws {
        let language = try #require(Self.languages[code])
        var numbers = GeneratedSentencesTests.Numbers(state: seed)
        var (asked, answered) = (0, 0)
        for form in language.forms {
            for _ in 0..<Self.rounds {
                guard let thing = language.things.randomElement(using: &numbers),
                    let state = language.states.randomElement(using: &numbers),
                    let place = language.places.randomElement(using: &numbers),
                    let (before, after) = language.around.randomElement(using: &numbers),
                    let targets = language.targets.randomElement(using: &numbers)
                else { return }
                let words = form.split(separator: " ").map { word in
                    switch word {
                    case "T": thing
                    case "S": state
                    case "P": place
                    default: String(word)
                    }
                }
                let text = before + words.filter { !$0.isEmpty }.joined(separator: " ") + after
                for sentence in [text, text + "?"] {
                    asked += 1
                    switch try? targets.meaning(of: sentence) {
                    case .orders, .scene: Issue.record("\(sentence)")
                    case .answer: answered += 1
                    case nil: break
                    }
                }
            }
        }
        // They are questions, and not only words.
        #expect(answered * 6 > asked, "\(answered) of \(asked)")
    }

    /// With a question mark a word may be missing, at any place: it is still no order, unless it begins with
    /// a verb, as polite people give them.
    @Test(arguments: ["en", "de"])
    func withAWordMissingNothingIsSet(_ code: String) throws {
        let language = try #require(Self.languages[code])
        var numbers = GeneratedSentencesTests.Numbers(state: 5)
        for form in language.forms {
            for _ in 0..<Self.rounds {
                guard let thing = language.things.randomElement(using: &numbers),
                    let state = language.states.randomElement(using: &numbers),
                    let targets = language.targets.randomElement(using: &numbers)
                else { return }
                var words = form.replacing(" P", with: "").replacing("T", with: thing).split(separator: " ")
                    .map { $0 == "S" ? state : String($0) }
                words.remove(at: Int.random(in: 0..<words.count, using: &numbers))
                guard let first = words.first, !["turn", "turned", "show", "steht"].contains(first) else {
                    continue
                }
                let sentence = words.joined(separator: " ") + "?"
                #expect(!Self.acts(sentence, targets), "\(sentence)")
            }
        }
    }
}
