import Languages
import Testing

@testable import hubpair

struct TextTableTests {
    private let table = TextTable(
        Language.lines(
            """
            # a comment
            on
            = an
            the room {0} is removed
            = der Raum {0} ist entfernt
            {0} is {1}
            = {0} ist {1!}
            {0} was not asked: {1}
            = {0} wurde nicht gefragt: {1!}
            {0} of {1} are done
            = von {1} sind {0} ausgeführt
            no answer
            = keine Antwort
            a line without a second one
            """.utf8))

    @Test(arguments: [
        ("on", "an"), ("off", "off"), ("", ""),
        ("the room \"Hall\" is removed", "der Raum \"Hall\" ist entfernt"),
        // The closest template counts, not the first that fits.
        ("Lamp is on", "Lamp ist an"), ("Lamp is 40%", "Lamp ist 40%"),
        // What a place holds is not translated but where the table says so.
        ("on is on", "on ist an"),
        ("3 of 5 are done", "von 5 sind 3 ausgeführt"),
        ("Hub was not asked: no answer", "Hub wurde nicht gefragt: keine Antwort"),
        ("Hub: no answer", "Hub: keine Antwort"), ("no answer; no answer", "keine Antwort; keine Antwort"),
        // A template of few letters does not take a sentence that the table lacks.
        ("the server is not running", "the server is not running"),
        // Nor two sentences.
        ("no answer; it is on", "keine Antwort; it ist an"),
        // A place holds a character at least.
        ("the room  is removed", "the room  is removed"), (" of  are done", " of  are done"),
        ("a line without a second one", "a line without a second one"),
    ])
    func aTextIsSaidInTheLanguageOfTheTable(text: String, expected: String) {
        #expect(table.words(text) == expected)
    }

    /// Names come from the network: whatever they are, the words end, and say nothing twice.
    @Test(arguments: 0..<200)
    func anyNameIsBorne(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let parts = [
            " is ", "{0}", "{1!}", ": ", "; ", "on", "the room ", " is removed", "é", "\u{0}", " of ", "= ",
            "!",
        ]
        let name = (0..<(1 + next(40))).map { _ in parts[next(parts.count)] }.joined()
        #expect(table.words("the room \(name) is removed").contains(name) || name.isEmpty)
        _ = TextTable(Language.lines(name.utf8)).words(name)
        _ = table.words(name)
    }

    @Test(
        arguments: [
            ([:], nil), (["LANG": "de_DE.UTF-8"], "de"), (["LANG": "de"], "de"),
            (["LANG": "en_US.UTF-8"], nil),
            (["LANG": "de_AT", "LC_MESSAGES": "en_GB"], nil),
            (["LANG": "en_GB", "LC_ALL": "de_CH.UTF-8"], "de"),
            (["LANG": "", "LC_ALL": "de"], "de"), (["LANG": "de_DE", "LC_ALL": "C"], nil),
            (["LANG": "C.UTF-8", "LANGUAGE": "de"], nil), (["LANG": "en_GB", "LANGUAGE": "de:en"], "de"),
            (["LANG": "de_DE", "LANGUAGE": "en:de"], nil), (["LANG": "fr_FR", "LANGUAGE": "tlh:de"], "de"),
            (["LANG": "fr_FR"], nil),
        ] as [([String: String], String?)])
    func theLanguageIsChosenAsGettextChoosesIt(environment: [String: String], expected: String?) {
        #expect(Texts.language(of: environment)?.code == expected)
    }

    /// No line of a table is a template that fits everything.
    @Test(arguments: Language.all)
    func aTableLeavesOtherTextAsItIs(language: Language) {
        let table = TextTable(language.lines(.commandLine))
        for text in ["", "x", "Hestia", "192.168.1.5:8000", "{\"error\":\"none\"}"] {
            #expect(table.words(text) == text)
        }
    }
}
