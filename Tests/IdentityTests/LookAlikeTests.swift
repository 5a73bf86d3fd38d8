import Identity
import TestSupport
import Testing

@Suite struct LookAlikeTests {
    static func isAlike(_ one: String, _ other: String) -> Bool {
        LookAlike.skeleton(one) == LookAlike.skeleton(other)
    }

    @Test(arguments: [
        ("Anna's phone", "annas PHONE"), ("Anna's phone", "Anna’s phone"),
        ("Anna's phone", "Anna's\u{A0}phone"),
        ("Anna's phone", "Anna's  phone"), ("Anna's phone", "Annas-phone!"), ("Anna's phone", "Аnna's phone"),
        ("Anna's phone", "Αnnα's ρhοne"), ("Anna's phone", "Ａｎｎａ＇ｓ　ｐｈｏｎｅ"), ("Anna's phone", "Ánnà's phôné"),
        ("Anna's phone", "A\u{301}nna's phone"), ("Anna's phone", "𝐀𝑛𝓷𝖆'𝚜 𝗉𝕙𝗼𝙣𝚎"),
        ("Anna's phone", "Ⓐⓝⓝⓐⓢ ⓟⓗⓞⓝⓔ"),
        ("Anna's phone", "ᴀnna's phone"), ("Anna's phone", "Anna\u{200B}'s phone"),
        ("Anna's phone", "Annaʼs phone"),
        ("Kitchen 10", "Kitchen lO"), ("Kitchen 10", "Kitchen I0"), ("Kitchen 10", "Kitchen |o"),
        ("Kitchen 10", "Kitchen ١٠"), ("Kitchen 10", "Kitchen 𝟙𝟘"), ("Kitchen 10", "Kitchen ⑩"),
        ("Modern", "Modem"), ("Window", "VVindow"), ("Cloud", "doud"), ("Küche", "Ku\u{308}che"),
        ("Küche", "Kuche"),
        ("Straße", "Strasse"), ("Office", "O\u{FB03}ce"), ("Ærø", "aero"), ("Нанна", "НАННА"),
        ("Ёлка", "Елка"),
        ("Äther", "Ather"), ("Ἀνναx", "Ανναx"), ("が", "か\u{3099}"), ("각", "\u{1100}\u{1161}\u{11A8}"),
        ("Phone №2", "Phone No 2"), ("Mark Ⅱ", "Mark II"), ("❤\u{FE0F}", "❤"), ("x", "х"),
        ("Tablet ３", "Tablet З"),
        ("\u{212A}itchen", "Kitchen"), ("\u{212B}sa", "Asa"),
    ])
    func looksTheSame(one: String, other: String) {
        #expect(Self.isAlike(one, other), "\(LookAlike.skeleton(one)) \(LookAlike.skeleton(other))")
    }

    @Test(arguments: [
        ("Anna's phone", "Anna's tablet"), ("Anna's phone", "Hanna's phone"), ("Phone 1", "Phone 2"),
        ("Phone", "Phone+"), ("Phone", "Phone 2"), ("Kitchen", "Küche"), ("😀", "😁"), ("👍🏽", "👍🏿"),
        ("!!!", "???"),
        ("日本", "日木"), ("が", "か"), ("की", "कि"), ("Lamp", "Lame"), ("Tablet 5", "Tablet S"), ("Ivan", "Иван"),
        ("a", ""), ("Bob", "Rob"),
    ])
    func looksDifferent(one: String, other: String) {
        #expect(!Self.isAlike(one, other), "\(LookAlike.skeleton(one)) \(LookAlike.skeleton(other))")
    }

    /// Written down apart from the table under test: for each letter what an attacker has (Unicode's
    /// confusables, keyboards, mathematical alphabets).
    static let replacements: [Character: String] = [
        "a": "аα\u{251}\u{FF41}àáâãäåāăąǎȧạảấặаӑ𝐚𝒂𝓪𝔞𝖆ⓐ", "b": "ЬᏏｂḃḅ𝐛𝕓ⓑ", "c": "сϲⅽｃçćčċ𝐜𝕔ⓒ",
        "d": "ԁⅾｄďđḍ𝐝𝕕ⓓ",
        "e": "еҽｅèéêëēĕėęěẽếệѐ𝐞𝕖ⓔ℮", "f": "ｆḟ𝐟ⓕ", "g": "ɡｇğĝģǵ𝐠ⓖ", "h": "һհｈĥħḥ𝐡ⓗℎ",
        "i": "іıｉìíîïĩīỉị1lI|ιίӏ𝐢ⓘ",
        "j": "јϳｊĵ𝐣ⓙ", "k": "ｋķǩкκ𝐤ⓚ", "l": "ӀІⅼｌĺľł1iI|ǀ𝐥ⓛ", "m": "ｍⅿṁм𝐦ⓜ", "n": "ոｎñńňņṅ𝐧ⓝ",
        "o": "оοօｏòóôõöøōőơ0OОθө𝐨ⓞᴏ०๐", "p": "рρｐṗ𝐩ⓟ", "q": "ԛզｑ𝐪ⓠ", "r": "гᴦｒŕřṛ𝐫ⓡ", "s": "ѕꜱｓśšşșṡ𝐬ⓢ",
        "t": "ｔťţțŧτт𝐭ⓣ", "u": "υսｕùúûüũūůűưừ𝐮ⓤ", "v": "νѵⅴｖṽ𝐯ⓥ∨", "w": "ԝѡｗŵẁẅω𝐰ⓦ", "x": "хⅹｘẋ×𝐱ⓧ",
        "y": "уγүｙýÿŷȳўỳ𝐲ⓨ", "z": "ｚźžżᴢẓ𝐳ⓩ", "0": "Oo০ОΟ٠०０𝟎⓪", "1": "lI|١१１𝟏①Ӏ", "2": "２٢२𝟐②²",
        "3": "３ЗӠ٣३𝟑③³",
    ]

    /// 4,000 disguises of eight names: letters exchanged, case, marks, spaces, punctuation and invisible
    /// characters.
    @Test func noDisguiseIsMissed() {
        let names = [
            "Anna's phone", "Kitchen tablet 10", "Living room", "Max's laptop", "Grandma", "hub-client 3",
            "Vic", "Q2",
        ]
        var generator = SplitMix64(seed: 20_261_122)
        let noise = [
            "\u{200B}", "\u{AD}", "\u{301}", "\u{20DD}", " ", "\u{A0}", "-", "’", ".", "\u{FE0F}", "\u{2060}",
        ]
        for round in 0..<4_000 {
            let name = names[round % names.count]
            var disguise = ""
            for character in name {
                let letter = Character(character.lowercased())
                switch generator.next() % 5 {
                case 0, 1:
                    disguise.append(Self.replacements[letter]?.randomElement(using: &generator) ?? character)
                case 2: disguise += character.uppercased()
                default: disguise.append(character)
                }
                if generator.next() % 6 == 0 { disguise += noise.randomElement(using: &generator) ?? "" }
            }
            if !Self.isAlike(name, disguise) {
                Issue.record("\(name) \(disguise.debugDescription): \(LookAlike.skeleton(disguise))")
            }
        }
    }

    /// Every character by itself: nothing traps, and what is written twice is written once more.
    @Test func everyCharacterHasASkeleton() {
        for scalar in (0...0x10FFFF as ClosedRange<UInt32>).compactMap(Unicode.Scalar.init) {
            let skeleton = LookAlike.skeleton("a\(scalar)")
            if skeleton.isEmpty { Issue.record("U+\(String(scalar.value, radix: 16))") }
        }
    }
}
