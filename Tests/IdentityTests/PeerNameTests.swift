import Identity
import Testing

@Suite struct PeerNameTests {
    @Test(arguments: [
        "Anna's tablet", "Küche 😀", "a", String(repeating: "é", count: 31) + "x", "\u{301}x", "👍🏽", "日本語",
        "Ti\u{1EBF}ng Vi\u{1EC7}t", "Tie\u{302}\u{301}ng", "a\u{301}\u{302}\u{303}\u{304}b\u{301}", "🇩🇪",
        "é\u{A0}b",
        // Not assigned in Unicode 17: a box, until a newer font has it.
        "\u{1FAFF}\u{1F8FF}",
    ])
    func accepted(text: String) throws {
        #expect(try PeerName(text).description == text)
        #expect(try PeerName(known: text).description == text)
    }

    /// Rules of every name, of the one that stands in a file, too.
    @Test(arguments: [
        ("", PeerNameError.empty),
        (String(repeating: "é", count: 32), .tooLong(64)),
        ("tab\tlet", .forbiddenCharacter("\t")),
        ("esc\u{1B}[2J", .forbiddenCharacter("\u{1B}")),
        ("next\u{85}line", .forbiddenCharacter("\u{85}")),
        ("line\u{2028}separator", .forbiddenCharacter("\u{2028}")),
        ("right\u{202E}to left", .forbiddenCharacter("\u{202E}")),
        ("an arabic mark\u{61C}", .forbiddenCharacter("\u{61C}")),
        (" tablet", .spaceAtEnd), ("tablet ", .spaceAtEnd), ("tablet\u{A0}", .spaceAtEnd),
    ])
    func rejection(text: String, error: PeerNameError) {
        #expect(throws: error) { try PeerName(text) }
        #expect(throws: error) { try PeerName(known: text) }
    }

    static let invisible: [Unicode.Scalar] = [
        "\u{AD}", "\u{34F}", "\u{600}", "\u{6DD}", "\u{70F}", "\u{115F}", "\u{1160}", "\u{17B4}", "\u{17B5}",
        "\u{180B}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{2060}", "\u{2061}", "\u{2064}",
        "\u{2065}", "\u{206A}", "\u{206F}", "\u{2800}", "\u{3164}", "\u{FE00}", "\u{FE0E}", "\u{FE0F}",
        "\u{FEFF}", "\u{FFA0}", "\u{FFF0}", "\u{FFF9}", "\u{FFFB}", "\u{FFFC}",
        "\u{110BD}", "\u{13430}", "\u{1BCA0}", "\u{1D159}", "\u{1D173}", "\u{E0001}", "\u{E0020}",
        "\u{E007F}",
        "\u{E0100}", "\u{E01EF}", "\u{E0FFF}",
    ]

    /// What nobody sees is refused wherever it stands, and read in a file.
    @Test(arguments: invisible)
    func aNewNameHasNothingInvisible(scalar: Unicode.Scalar) throws {
        for text in ["Anna\(scalar)s", "\(scalar)Anna", "Anna\(scalar)", "\(scalar)"] {
            #expect(throws: PeerNameError.invisibleCharacter(scalar)) { try PeerName(text) }
            #expect(try PeerName(known: text).description == text)
        }
        #expect(
            SafeText.escaped("a\(scalar)b") == "a\\u{\(String(scalar.value, radix: 16, uppercase: true))}b")
    }

    /// Every format character and every ignorable one that this Unicode has.
    @Test func theRuleIsTheProperties() {
        var count = 0
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let properties = scalar.properties
            let isHidden =
                properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
                || properties.isNoncharacterCodePoint || properties.generalCategory == .privateUse
            guard isHidden else { continue }
            count += 1
            if (try? PeerName("a\(scalar)b")) != nil {
                Issue.record("U+\(String(scalar.value, radix: 16)) is taken")
            }
        }
        #expect(count > 137_000)  // private use alone
    }

    @Test(arguments: ["\u{E000}", "\u{F8FF}", "\u{F0000}", "\u{10FFFD}"] as [Unicode.Scalar])
    func aNewNameHasNothingPrivate(scalar: Unicode.Scalar) throws {
        #expect(throws: PeerNameError.privateCharacter(scalar)) { try PeerName("a\(scalar)") }
        #expect(try PeerName(known: "a\(scalar)").description == "a\(scalar)")
    }

    @Test func marksAreNotHeaped() throws {
        let five = "Z\u{301}\u{302}\u{303}\u{304}\u{305}"
        #expect(throws: PeerNameError.tooManyMarks) { try PeerName(five) }
        #expect(throws: PeerNameError.tooManyMarks) {
            try PeerName("x\u{20DD}\u{20DD}\u{20DD}\u{20DD}\u{20DD}")
        }
        #expect(try PeerName(known: five).description == five)
    }

    @Test(arguments: [
        (PeerNameError.invisibleCharacter("\u{AD}"), "the name holds the invisible character U+00AD"),
        (.invisibleCharacter("\u{E0001}"), "the name holds the invisible character U+E0001"),
        (
            .invisibleCharacter("\u{FE0F}"),
            "the name holds the invisible character U+FE0F, which gives an emoji its colours"
        ),
        (.forbiddenCharacter("\t"), "the name holds the character U+0009"),
    ])
    func errorsNameTheCharacter(error: PeerNameError, text: String) {
        #expect(error.description == text && error.recoverySuggestion != nil)
    }

    @Test func comparesBytesAndNotCanonicalEquivalence() throws {
        #expect(try PeerName("\u{E9}") != PeerName("e\u{301}"))
    }
}

@Suite struct ReadableTextTests {
    /// What spells a word or makes an emoji one is left; the same character elsewhere is not.
    @Test(arguments: [
        ("plain", "plain"), ("Küche 😀", "Küche 😀"), ("a\nb", "a\\u{A}b"), ("\u{1B}[2J", "\\u{1B}[2J"),
        ("❤\u{FE0F}", "❤\u{FE0F}"), ("a\u{FE0F}", "a\\u{FE0F}"), ("1\u{FE0F}", "1\\u{FE0F}"),
        ("👩\u{200D}👧", "👩\u{200D}👧"), ("❤\u{FE0F}\u{200D}🔥", "❤\u{FE0F}\u{200D}🔥"),
        ("👩\u{200D}", "👩\\u{200D}"), ("\u{200D}👩", "\\u{200D}👩"), ("👩\u{200D}a", "👩\\u{200D}a"),
        ("می\u{200C}خواهم", "می\u{200C}خواهم"),
        ("\u{915}\u{94D}\u{200D}\u{937}", "\u{915}\u{94D}\u{200D}\u{937}"),
        ("a\u{200C}b", "a\\u{200C}b"), ("\u{E0041}", "\\u{E0041}"),
    ])
    func escaped(text: String, shown: String) {
        #expect(SafeText.escaped(text).unicodeScalars.elementsEqual(shown.unicodeScalars))
    }

    @Test(arguments: [("\u{7F}", "\\u007f"), ("\u{200B}", "\\u200b"), ("\u{E0041}", "\\udb40\\udc41")])
    func escapedForJSON(scalar: Unicode.Scalar, text: String) {
        #expect(SafeText.jsonEscape(of: scalar) == text)
    }
}
