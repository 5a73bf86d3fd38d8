/// The time of an order: "for ten minutes", "in half an hour", "until 22:00", "at 7 am". It stands at the end
/// or the beginning, or before what a verb ends with: "mach das Licht in zehn Minuten aus".
///
///     time = "for" span / "in" span / "until" clock / "at" exact      ; English
///     time = "für" span / "in" span / "bis" clock / "um" exact / span "lang"
///     exact = clock with "am", "pm", "o'clock", "Uhr" or minutes / "noon" / "midnight"
///           / ( "half past" / "quarter past" / "quarter to" / "halb" / "Viertel nach" / "Viertel vor" ) hour
///     span = number unit / "half an hour" / "eine halbe Stunde" / "viertelstunde"
///     clock = hour [ ":" minute ] [ "am" / "pm" ] / hour "Uhr" [ minute ]
///
/// Accepted: `turn the fan on for 10 minutes`, `in zehn Minuten das Licht aus`, `light on until 10 pm`, `um
/// 22:15 das Licht aus`. What is left is a sentence of its own. Rejected: `for a while`, `in the morning`,
/// `until dark`, `on at 5` (it may be percent), `at 22:75`, `the fan on for an hour and the lamp on`,
/// `turn the fan on and turn the lamp on for an hour` (which of the two is meant?).
package struct SpokenTime: Equatable, Sendable {
    package enum Kind: Equatable, Sendable {
        /// Now, and taken back after so many seconds.
        case lasting(Int64)
        /// Not before so many seconds are over.
        case later(Int64)
        /// Now, and taken back at this time of the day. `isEither`: nobody has said which half of the day.
        case until(hour: Int, minute: Int, isEither: Bool = false)
        /// Not before this time of the day. `isEither`: nobody has said which half of the day.
        case at(hour: Int, minute: Int, isEither: Bool)

        /// True if nothing is done now.
        package var isNotNow: Bool {
            switch self {
            case .later, .at: true
            case .lasting, .until: false
            }
        }
    }

    /// Longer ones are scenes with a time.
    private static let maximumSeconds = 604_800.0

    package let kind: Kind
    /// The sentence without it.
    package let rest: String

    /// Nil if no time is said in this language.
    package init?(_ text: String, _ language: SpokenLanguage) {
        guard text.utf8.count <= SpokenLanguage.maximumByteCount else { return nil }
        var words = SpokenTime.words(text)
        while let last = words.last, [".", "?", "!"].contains(last) { words.removeLast() }
        let fillers: Set = ["please", "bitte", ","]
        while let last = words.last, fillers.contains(last) { words.removeLast() }
        let isGerman = language.code == "de"
        words = SpokenTime.withHalfOfTheDay(words)
        // At the end, from its longest form to its shortest.
        for count in stride(from: min(8, words.count - 1), through: 2, by: -1) {
            let (phrase, rest) = (Array(words.suffix(count)), words.dropLast(count))
            // What goes off at nine does not do so at nine percent.
            let isAlone = !rest.contains(where: SpokenTime.joiners.contains)
            let isOff = !isGerman && isAlone && rest.contains("off")
            guard let kind = SpokenTime.kind(phrase, language, isGerman, isOff: isOff) else { continue }
            guard !SpokenTime.isOfSeveralVerbs(rest, language) else { return nil }
            self.init(kind, rest)
            return
        }
        for count in stride(from: min(7, words.count - 1), through: 2, by: -1) {
            guard let kind = SpokenTime.kind(Array(words.prefix(count)), language, isGerman),
                kind.isNotNow
            else { continue }
            var rest = words.dropFirst(count)
            if rest.first == "," { rest = rest.dropFirst() }
            self.init(kind, rest)
            return
        }
        guard let (kind, rest) = SpokenTime.inside(words, language, isGerman) else { return nil }
        self.init(kind, rest[...])
    }

    /// True if a second order begins with a verb of its own: it is not known to which one a time belongs.
    private static func isOfSeveralVerbs(_ words: ArraySlice<String>, _ language: SpokenLanguage) -> Bool {
        zip(words, words.dropFirst()).contains { joiners.contains($0) && language.verbs[$1] != nil }
    }

    private static let joiners: Set = ["and", "then", "und", "dann", ",", "."]

    /// "Seven in the morning" is "seven am", "8 Uhr abends" is "8 uhr pm".
    private static func withHalfOfTheDay(_ words: [String]) -> [String] {
        for (half, said) in halvesOfTheDay {
            for index in words.indices.dropFirst()
            where words[index...].starts(with: said) && words[index - 1] != "bis" {
                let before = words[index - 1]
                guard
                    before == "uhr" || before == "o'clock" || before.first?.isNumber == true
                        || SpokenLanguage.all.contains(where: { $0.numbers.value(of: [before]) != nil })
                else { continue }
                return words[..<index] + [half] + words[(index + said.count)...]
            }
        }
        return words
    }

    private static let halvesOfTheDay: [(String, [String])] = [
        ("am", ["in", "the", "morning"]), ("pm", ["in", "the", "evening"]),
        ("pm", ["in", "the", "afternoon"]), ("am", ["morgens"]), ("am", ["fruh"]), ("pm", ["abends"]),
        ("pm", ["nachmittags"]),
    ]

    /// The words, with "22:15" as one of them.
    private static func words(_ text: String) -> [String] {
        text.split(separator: " ").flatMap { piece in
            let hour = piece.prefix { $0.isASCII && $0.isNumber }
            let rest = piece.dropFirst(hour.count)
            let minute = rest.dropFirst().prefix { $0.isASCII && $0.isNumber }
            let after = rest.dropFirst(1 + minute.count)
            guard (1...2).contains(hour.count), rest.first == ":", minute.count == 2, after.first != ":"
            else {
                return SpokenText.tokens(String(piece))
            }
            return ["\(hour):\(minute)"] + SpokenText.tokens(String(after))
        }
    }

    /// A time within the sentence, and what is left of it.
    private static func inside(
        _ words: [String], _ language: SpokenLanguage, _ isGerman: Bool
    ) -> (Kind, [String])? {
        guard words.count > 3 else { return nil }
        // "Lass den Ventilator zwanzig Minuten laufen".
        let isLetting = isGerman && ["lass", "lasse", "lassen"].contains(words[0])
        for start in 1..<words.count - 2 {
            for count in stride(from: min(7, words.count - 1 - start), through: 2, by: -1) {
                let phrase = Array(words[start..<start + count])
                // "Um acht Prozent" is no time.
                guard !measures.contains(words[start + count]) else { continue }
                // What follows may be meant for good: "for an hour and the lamp on".
                guard !words[(start + count)...].contains(where: joiners.contains) else { continue }
                let isBare = isLetting || isGerman && isSwitchedOn(words, from: start, to: start + count)
                let span = isBare ? seconds(phrase[...], language).map(Kind.lasting) : nil
                guard let kind = span ?? kind(phrase, language, isGerman, isInside: true) else { continue }
                var rest = Array(words[..<start] + words[(start + count)...])
                if isLetting, let last = rest.last, lasting.contains(last) {
                    rest = ["schalte"] + rest.dropFirst().dropLast() + ["ein"]
                }
                return (kind, rest)
            }
        }
        return nil
    }

    /// "Den Ventilator zehn Minuten an"; "alle zehn Minuten" is another time.
    private static func isSwitchedOn(_ words: [String], from start: Int, to end: Int) -> Bool {
        words.count == end + 1 && switchingOn.contains(words[end]) && !otherTimes.contains(words[start - 1])
    }

    private static let switchingOn: Set = ["an", "ein", "anmachen", "einschalten", "anschalten"]
    private static let otherTimes: Set = [
        "alle", "aller", "allen", "jede", "jeden", "jeder", "jedes", "seit", "vor", "als", "unter", "uber",
        "nachsten", "letzten", "ersten", "etwa", "ab", "nach", "in", "um", "bis", "von", "gegen", "nicht",
    ]
    private static let measures: Set = ["prozent", "percent", "%", "grad", "degrees", "degree", "per"]
    private static let lasting: Set = ["laufen", "brennen", "leuchten", "an", "eingeschaltet"]

    private init?(_ kind: Kind, _ rest: ArraySlice<String>) {
        var rest = rest
        if rest.last == "," { rest = rest.dropLast() }
        guard !rest.isEmpty else { return nil }
        (self.kind, self.rest) = (kind, rest.joined(separator: " "))
    }

    /// - Parameters:
    ///   - isInside: it is within the sentence, where a bare number may be anything.
    ///   - isOff: it is of something that is switched off, of which a bare number is an hour.
    private static func kind(
        _ words: [String], _ language: SpokenLanguage, _ isGerman: Bool, isInside: Bool = false,
        isOff: Bool = false
    ) -> Kind? {
        var inside = words.dropFirst()
        switch (words.first, isGerman) {
        case ("for", false), ("fur", true): return seconds(inside, language).map(Kind.lasting)
        case ("in", _):
            if inside.last == "time", !isGerman { inside = inside.dropLast() }
            return seconds(inside, language).map(Kind.later)
        case ("after", false), ("nach", true): return seconds(inside, language).map(Kind.later)
        case ("until", false), ("till", false), ("bis", true):
            if case .at(let hour, let minute, _)? = parted(Array(inside), language).map({
                Kind.at(hour: $0.0, minute: $0.1, isEither: true)
            }) {
                return .until(hour: hour, minute: minute, isEither: true)
            }
            return isInside && !isExact(inside) ? nil : clock(inside, language).map { eitherHalf($0, inside) }
        case ("at", false) where isOff || isExact(inside) || parted(Array(inside), language) != nil:
            return exact(inside, language)
        case ("um", true) where isExact(inside) || isInside || parted(Array(inside), language) != nil:
            return exact(inside, language)
        case (_, true) where words.last == "lang":
            return seconds(words[...].dropLast(), language).map(Kind.lasting)
        case (_, false) where words.suffix(2) == ["from", "now"]:
            return seconds(words[...].dropLast(2), language).map(Kind.later)
        default: return nil
        }
    }

    private static let units: [String: Double] = [
        "second": 1, "seconds": 1, "sec": 1, "secs": 1, "sekunde": 1, "sekunden": 1,
        "minute": 60, "minutes": 60, "min": 60, "mins": 60, "minuten": 60,
        "hour": 3600, "hours": 3600, "stunde": 3600, "stunden": 3600,
    ]
    private static let fixed: [String: Double] = [
        "half an hour": 1800, "a half hour": 1800, "half hour": 1800, "an hour and a half": 5400,
        "a quarter of an hour": 900, "eine halbe stunde": 1800, "einer halben stunde": 1800,
        "halbe stunde": 1800, "viertelstunde": 900, "eine viertelstunde": 900, "einer viertelstunde": 900,
        "anderthalb stunden": 5400, "eineinhalb stunden": 5400, "dreiviertelstunde": 2700,
        "eine dreiviertelstunde": 2700, "einer dreiviertelstunde": 2700,
    ]

    private static func seconds(_ words: ArraySlice<String>, _ language: SpokenLanguage) -> Int64? {
        if let known = fixed[words.joined(separator: " ")] { return Int64(known) }
        guard let unit = words.last.flatMap({ units[$0] }), words.count >= 2 else { return nil }
        var said = Array(words.dropLast())
        // "Two and a half hours", "zweieinhalb Stunden".
        var half = 0.0
        if said.suffix(3) == ["and", "a", "half"] {
            (said, half) = (said.dropLast(3), 0.5)
        } else if let last = said.last, last.hasSuffix("einhalb"), last.count > 7 {
            (said, half) = (said.dropLast() + [String(last.dropLast(7))], 0.5)
        }
        let isOne = said.count == 1 && ["a", "an", "one", "ein", "eine", "einer"].contains(said[0])
        guard let number = isOne ? 1 : language.numbers.value(of: said), number > 0 else { return nil }
        let seconds = ((number + half) * unit).rounded()
        return seconds >= 1 && seconds <= maximumSeconds ? Int64(seconds) : nil
    }

    /// True if it is surely a time of the day.
    private static func isExact(_ words: ArraySlice<String>) -> Bool {
        words.contains { marks.contains($0) || $0.contains(":") }
    }

    private static let marks: Set = [
        "am", "pm", "o'clock", "uhr", "noon", "midnight", "mitternacht", "past", "quarter", "halb", "viertel",
        "nach", "vor",
    ]

    private static func exact(_ words: ArraySlice<String>, _ language: SpokenLanguage) -> Kind? {
        if let (hour, minute) = parted(Array(words), language) {
            return .at(hour: hour, minute: minute, isEither: true)
        }
        guard case .until(let hour, let minute, _)? = clock(words, language) else { return nil }
        return .at(hour: hour, minute: minute, isEither: isOfEitherHalf(hour, words))
    }

    /// "At 7:30" and "um 7 Uhr" may be in the evening; "7 am" and "19 Uhr" say it.
    private static func isOfEitherHalf(_ hour: Int, _ words: ArraySlice<String>) -> Bool {
        (1...12).contains(hour)
            && !words.contains { ["am", "pm", "noon", "midnight", "mitternacht"].contains($0) }
    }

    private static func eitherHalf(_ kind: Kind, _ words: ArraySlice<String>) -> Kind {
        guard case .until(let hour, let minute, _) = kind else { return kind }
        return .until(hour: hour, minute: minute, isEither: isOfEitherHalf(hour, words))
    }

    /// "Half past nine", "halb zehn", "Viertel vor acht".
    private static func parted(_ words: [String], _ language: SpokenLanguage) -> (Int, Int)? {
        guard let last = words.last, let number = language.numbers.value(of: [last]),
            (1...12).contains(number), number == number.rounded()
        else { return nil }
        let hour = Int(number)
        switch words.dropLast().joined(separator: " ") {
        case "half past": return (hour, 30)
        case "halb": return ((hour + 23) % 24, 30)
        case "quarter past", "a quarter past", "viertel nach": return (hour, 15)
        case "quarter to", "a quarter to", "viertel vor": return ((hour + 23) % 24, 45)
        default: break
        }
        // "Ten past seven", "fünf vor acht".
        let before = Array(words.dropLast())
        guard let way = before.last, let minutes = language.numbers.value(of: Array(before.dropLast())),
            minutes == minutes.rounded(), (1...29).contains(minutes)
        else { return nil }
        switch way {
        case "past", "after", "nach": return (hour, Int(minutes))
        case "to", "before", "vor": return ((hour + 23) % 24, 60 - Int(minutes))
        default: return nil
        }
    }

    private static func clock(_ words: ArraySlice<String>, _ language: SpokenLanguage) -> Kind? {
        var words = Array(words)
        var half: String?
        if let last = words.last, ["am", "pm"].contains(last) {
            half = last
            words.removeLast()
        }
        if words.last == "o'clock" { words.removeLast() }
        if words == ["noon"] { return .until(hour: 12, minute: 0) }
        if words == ["midnight"] || words == ["mitternacht"] { return .until(hour: 0, minute: 0) }
        if let place = words.firstIndex(of: "uhr") { words.remove(at: place) }
        guard (1...2).contains(words.count) else { return nil }
        if words.count == 1 { words = words[0].split { $0 == ":" || $0 == "." }.map(String.init) }
        let numbers = words.compactMap { language.numbers.value(of: [$0]) }
        guard numbers.count == words.count, let first = numbers.first else { return nil }
        var hour = first
        let minute = numbers.count > 1 ? numbers[1] : 0
        guard hour == hour.rounded(), minute == minute.rounded(), (0...24).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        if let half {
            guard (1...12).contains(hour) else { return nil }
            hour = hour.truncatingRemainder(dividingBy: 12) + (half == "pm" ? 12 : 0)
        }
        guard hour < 24 || minute == 0 else { return nil }
        return .until(hour: Int(hour) % 24, minute: Int(minute))
    }
}
