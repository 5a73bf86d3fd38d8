/// A grammar of sentences with their meaning, written apart from that of `Home`. Nothing of it is read
/// from there.
struct GeneratedSentences {
    /// What one sentence is to do: `Fan on` and the like, sorted.
    typealias Meaning = [String]

    struct Sentence {
        let text: String
        let meaning: Meaning
        /// The appliances that it names, also those that need no order.
        let names: [String]
    }

    /// Words for some appliances, with articles.
    struct Target {
        let words: String
        let names: [String]
    }

    let switched: [Target]
    /// What "off" means for rooms whose names are left when a word is lost.
    var wholeRooms: [Target] = []
    let dimmed: [Target]
    let blinds: [Target]
    let locks: [Target]
    /// In each `T` stands for the words of a target, and `N` for a number.
    let on: [String]
    let off: [String]
    let level: [String]
    let open: [String]
    let close: [String]
    let lock: [String]
    let unlock: [String]
    let brighter: [String]
    let numbers: [(words: String, percent: Int)]
    let joiners: [String]
    /// Words that make an order of nothing wherever they stand, or at the end.
    let negations: [String]
    let conditions: [String]
    /// In each `S` stands for an order, and `T` for what it leaves out.
    let exceptions: [String]
    let questions: [String]
    /// The levels of the lamps before, in percent, of those that are on.
    let levels: [String: Int]

    /// Every sentence of one order.
    var all: [Sentence] {
        var all: [Sentence] = []
        func add(_ forms: [String], _ targets: [Target], _ state: (String) -> String?) {
            for form in forms {
                for target in targets {
                    let orders = target.names.compactMap { name in state(name).map { "\(name) \($0)" } }
                    guard !orders.isEmpty else { continue }
                    all.append(
                        Sentence(
                            text: form.replacing("T", with: target.words, maxReplacements: 1),
                            meaning: orders.sorted(), names: target.names))
                }
            }
        }
        add(on, switched) { _ in "on" }
        add(off, switched) { _ in "off" }
        add(open, blinds) { _ in "100%" }
        add(close, blinds) { _ in "0%" }
        add(lock, locks) { _ in "locked" }
        add(unlock, locks) { _ in "unlocked" }
        for (words, percent) in numbers {
            add(level.map { $0.replacing("N", with: words) }, dimmed) { _ in "\(percent)%" }
        }
        add(brighter, dimmed) { name in levels[name].map { "\(min(100, $0 + 10))%" } }
        return all
    }

    private static let englishLamps = [
        "Kitchen light", "Counter lamp", "Ceiling light", "Reading lamp", "Bedroom light", "Bedside lamp",
        "Hall light", "Bathroom light",
    ]
    private static let germanLamps = [
        "Küchenlicht", "Stehlampe", "Deckenlampe", "Schlafzimmerlicht", "Nachttischlampe", "Flurlicht",
        "Badlicht",
    ]

    static let english = GeneratedSentences(
        switched: [
            Target(words: "the kitchen light", names: ["Kitchen light"]),
            Target(words: "the reading lamp", names: ["Reading lamp"]),
            Target(words: "the hall light", names: ["Hall light"]), Target(words: "tv", names: ["TV"]),
            Target(words: "the coffee machine", names: ["Coffee machine"]),
            Target(words: "the light in the bathroom", names: ["Bathroom light"]),
            Target(words: "the lights in the kitchen", names: ["Kitchen light", "Counter lamp"]),
            Target(words: "all lights in the living room", names: ["Ceiling light", "Reading lamp"]),
            Target(
                words: "all the lights upstairs", names: ["Bedroom light", "Bedside lamp", "Bathroom light"]),
            Target(words: "the fan and the tv", names: ["Fan", "TV"]),
            Target(words: "everything in the hall", names: ["Hall light"]),
            Target(words: "everything", names: englishLamps + ["TV", "Coffee machine", "Fan"]),
            Target(words: "all", names: englishLamps + ["TV", "Coffee machine", "Fan"]),
            Target(words: "all lights", names: englishLamps),
            Target(words: "all the lights", names: englishLamps),
            Target(words: "all in the living room", names: ["Ceiling light", "Reading lamp", "TV"]),
            Target(
                words: "everything upstairs",
                names: ["Bedroom light", "Bedside lamp", "Bathroom light", "Fan"]),
        ],
        wholeRooms: [
            Target(words: "the kitchen", names: ["Kitchen light", "Counter lamp", "Coffee machine"])
        ],
        dimmed: [
            Target(words: "the kitchen light", names: ["Kitchen light"]),
            Target(words: "reading lamp", names: ["Reading lamp"]),
            Target(words: "the bedroom light", names: ["Bedroom light"]),
            Target(words: "the lights in the kitchen", names: ["Kitchen light", "Counter lamp"]),
        ],
        blinds: [
            Target(words: "the bedroom blinds", names: ["Bedroom blinds"]),
            Target(words: "the kitchen blind", names: ["Kitchen blind"]),
            Target(words: "the blinds", names: ["Bedroom blinds", "Kitchen blind"]),
            Target(words: "all blinds", names: ["Bedroom blinds", "Kitchen blind"]),
        ],
        locks: [
            Target(words: "the front door", names: ["Front door"]),
            Target(words: "back door", names: ["Back door"]),
        ],
        on: ["turn on T", "turn T on", "switch T on", "put T on please", "T on", "could you turn T on"],
        off: ["turn off T", "turn T off", "switch off T", "please switch T off", "T off"],
        level: ["set T to N percent", "T to N%", "dim T to N percent", "put T at N percent", "set T to N"],
        open: ["open T", "raise T", "put T up"], close: ["close T", "shut T", "lower T", "T down"],
        lock: ["lock T", "please lock T"], unlock: ["unlock T", "could you unlock T"],
        brighter: ["make T brighter", "T brighter", "turn up T", "turn T up", "make T a bit brighter"],
        numbers: [
            ("40", 40), ("forty", 40), ("seventy five", 75), ("5", 5), ("100", 100), ("a hundred", 100),
        ],
        joiners: ["and", "then", "and then", ","], negations: ["don't", "never", "not", "do not"],
        conditions: [
            "if it is dark", "when the tv is off", "at 7", "at seven", "in 5 minutes", "in ten minutes",
            "until midnight", "unless somebody sleeps", "tomorrow", "for an hour", "later",
        ],
        exceptions: [
            "S except T", "S except for T", "S, but not T", "S but T", "S besides T please", "except T, S",
            "apart from T S",
        ],
        questions: ["is", "are", "why", "did you", "has", "should"],
        levels: [
            "Kitchen light": 50, "Counter lamp": 80, "Reading lamp": 30, "Bedroom light": 60,
            "Hall light": 100,
        ])

    static let german = GeneratedSentences(
        switched: [
            Target(words: "das Küchenlicht", names: ["Küchenlicht"]),
            Target(words: "die Stehlampe", names: ["Stehlampe"]),
            Target(words: "das Licht im Flur", names: ["Flurlicht"]),
            Target(words: "den Fernseher", names: ["Fernseher"]),
            Target(words: "Kaffeemaschine", names: ["Kaffeemaschine"]),
            Target(words: "das Licht in der Küche", names: ["Küchenlicht"]),
            Target(words: "die Lampen im Wohnzimmer", names: ["Stehlampe", "Deckenlampe"]),
            Target(words: "alle Lichter oben", names: ["Schlafzimmerlicht", "Nachttischlampe", "Badlicht"]),
            Target(words: "das Badlicht und die Kaffeemaschine", names: ["Badlicht", "Kaffeemaschine"]),
            Target(words: "alles im Flur", names: ["Flurlicht"]),
            Target(words: "alles", names: germanLamps + ["Fernseher", "Kaffeemaschine"]),
            Target(words: "alle Lichter", names: germanLamps),
        ],
        dimmed: [
            Target(words: "das Küchenlicht", names: ["Küchenlicht"]),
            Target(words: "Stehlampe", names: ["Stehlampe"]),
            Target(words: "das Licht im Flur", names: ["Flurlicht"]),
        ],
        blinds: [
            Target(words: "das Küchenrollo", names: ["Küchenrollo"]),
            Target(words: "das Rollo im Schlafzimmer", names: ["Rollo Schlafzimmer"]),
            Target(words: "alle Rollos", names: ["Küchenrollo", "Rollo Schlafzimmer"]),
        ],
        locks: [
            Target(words: "die Haustür", names: ["Haustür"]),
            Target(words: "die Kellertür", names: ["Kellertür"]),
        ],
        on: ["schalte T ein", "mach T an", "T an", "bitte schalt T an", "kannst du T einschalten"],
        off: ["schalte T aus", "mache bitte T aus", "T aus", "T ausschalten", "könntest du T ausmachen"],
        level: [
            "dimme T auf N Prozent", "stell T auf N%", "T auf N Prozent", "T auf N Prozent stellen",
            "setze T auf N",
        ],
        open: ["öffne T", "mach T auf", "fahr T hoch", "zieh T hoch", "T öffnen"],
        close: ["schließe T", "mach T zu", "schliess T", "fahre T herunter", "T runter"],
        lock: ["schließ T ab", "verriegle T", "sperr T ab"],
        unlock: ["schließe T auf", "entriegle T", "sperre T auf"],
        brighter: ["mach T heller", "T heller", "mach T etwas heller", "stell T ein bisschen heller"],
        numbers: [
            ("40", 40), ("vierzig", 40), ("fünfundsiebzig", 75), ("5", 5), ("hundert", 100),
            ("einundzwanzig", 21),
        ],
        joiners: ["und", "dann", "und dann", ","], negations: ["nicht", "nie", "niemals", "keinesfalls"],
        conditions: [
            "wenn es dunkel ist", "falls der Fernseher an ist", "um 7", "um sieben Uhr", "in 5 Minuten",
            "bis Mitternacht", "sobald es dunkel wird", "morgen", "für eine Stunde",
            "später",
        ],
        exceptions: [
            "S außer T", "S, außer T", "S, aber nicht T", "S bis auf T", "außer T S", "außer T, S",
        ],
        questions: ["ist", "sind", "warum", "hast du", "wann", "ob"],
        levels: ["Küchenlicht": 50, "Stehlampe": 30, "Schlafzimmerlicht": 60, "Flurlicht": 100])
}
