import Home
import Identity
import TestSupport
import Testing

@testable import hubpair

/// What a person types is understood as a whole, or refused: never a part of it. Texts come from a seeded
/// grammar; an oracle, by regular expressions, says what each of them and each beginning of it means.
@Suite struct WholeTextTests {
    private static let seeds = 0..<60 as Range<UInt64>

    /// The beginnings of a text, and the text with something behind it that belongs to none.
    private static func cut(_ text: String) -> [String] {
        (1...text.count).map { String(text.prefix($0)) }
            + ["x", "!", " x", "-", "..", "/", "%%", ";x"].map { text + $0 }
    }

    @Test(arguments: seeds) func days(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 1...3, using: &random)
        let ranges = (0..<count).map { _ in
            let (from, to) = (
                Oracle.days.keys.sorted().randomElement(using: &random)!,
                Oracle.days.keys.sorted().randomElement(using: &random)!
            )
            return Bool.random(using: &random)
                ? from : from + ["-", " - ", "..", " bis ", " to ", "–"].randomElement(using: &random)! + to
        }
        let text = ranges.joined(
            separator: [" ", ", ", ",", " and ", " und "].randomElement(using: &random)!)
        for said in WholeTextTests.cut(text) + [text.uppercased()] {
            #expect(SaidDays.names(said) == Oracle.names(said), "\(said)")
        }
    }

    @Test func daysAsPeopleSayThem() {
        for (said, meant) in [
            ("mon-fri", "mon tue wed thu fri"), ("Mon..Wed", "mon tue wed"), ("fri-mon", "fri sat sun mon"),
            ("Mo bis Fr", "mon tue wed thu fri"), ("weekdays, sun", "mon tue wed thu fri sun"),
            ("Wochenende", "sat sun"), ("on Mondays", "mon"), ("Sa. und So.", "sat sun"),
        ] {
            #expect(SaidDays.names(said)?.joined(separator: " ") == meant, "\(said)")
        }
        for said in ["mond", "mo-", "-fri", "mon--fri", "mon-mon", "werktags", "mon tuesd", "", "and", "m"] {
            #expect(SaidDays.names(said) == nil, "\(said)")
        }
    }

    @Test(arguments: seeds) func spans(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let unit = Oracle.units.keys.sorted().randomElement(using: &random)!
        let space = Bool.random(using: &random) ? " " : ""
        let text = "\(Int.random(in: 1...90, using: &random))\(space)\(unit)"
        for said in WholeTextTests.cut(text) + [text + "5", "1 " + text] {
            #expect(SaidTime.span(said) == Oracle.span(said), "\(said)")
        }
    }

    @Test(arguments: seeds) func clocks(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let hour = Int.random(in: 0...29, using: &random)
        let minute = Int.random(in: 10...69, using: &random)
        let text = [
            "\(hour):\(minute)", "\(hour).\(minute)", "\(hour) Uhr", "\(hour)pm", "\(hour):\(minute) am",
        ]
        .randomElement(using: &random)!
        for said in WholeTextTests.cut(text) + ["1 " + text, text.replacing(":", with: ": ")] {
            #expect(SaidTime.clock(said) == Oracle.clock(said), "\(said)")
        }
    }

    @Test(arguments: seeds) func suns(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sun = ["sunset", "Sonnenaufgang"].randomElement(using: &random)!
        let shift = Int.random(in: 1...720, using: &random)
        let text = ["\(sun)+\(shift)", "\(sun) -\(shift)", "\(sun) + \(shift) min"].randomElement(
            using: &random)!
        for said in WholeTextTests.cut(text) {
            var meant: String?
            if let match = said.wholeMatch(
                of: /(sunset|Sonnenaufgang) *(?:([+-]) *([0-9]+)(?: *(?:m|min))?)? */)
            {
                let tail = match.2.map { "\($0)\(Int(match.3 ?? "") ?? 0)" } ?? ""
                meant = (match.1 == "sunset" ? "sunset" : "sunrise") + tail
            }
            #expect(SaidTime.sun(said) == meant, "\(said)")
        }
    }

    @Test(arguments: seeds) func numbers(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let number = Int.random(in: 0...300, using: &random)
        for said in WholeTextTests.cut("\(number)%") {
            let match = said.wholeMatch(of: /([0-9]+)(%?)/)
            let level = match.flatMap { Double($0.1) }.map { match?.2 == "%" ? $0 / 100 : $0 }
            let meant = level.flatMap { $0 <= 1 ? Setting.level($0) : nil }
            #expect((try? Setting(said)) == meant, "\(said)")
        }
        for said in WholeTextTests.cut("\(number)m") {
            let match = said.wholeMatch(of: /([1-9][0-9]*)(m?)/)
            let count = match.flatMap { Int($0.1) }.map { match?.2 == "m" ? $0 << 20 : $0 }
            #expect(ByteCount(argument: said)?.count == count, "\(said)")
        }
    }

    /// A hub's address is taken out of a URL that says nothing else.
    @Test func urls() {
        #expect(NoPicture.host(ofURL: "http://192.0.2.7:8000/") == "192.0.2.7:8000")
        #expect(NoPicture.host(ofURL: "HTTPS://[2001:db8::1]:8000") == "[2001:db8::1]:8000")
        for said in ["http://192.0.2.7/x", "http://me@192.0.2.7", "ftp://192.0.2.7", "http://", "192.0.2.7"] {
            #expect(NoPicture.host(ofURL: said) == nil, "\(said)")
        }
    }
}

/// The same meanings, found in another way.
private enum Oracle {
    static let week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    static let days = [
        "mon": 0, "tuesday": 1, "mittwoch": 2, "thurs": 3, "fr": 4, "fri": 4, "sonnabend": 5, "sundays": 6,
    ]
    /// Beginnings of these that are days as well.
    private static let shorter = [
        "mo": 0, "tue": 1, "tues": 1, "mi": 2, "thur": 3, "thu": 3, "so": 6, "sun": 6, "sunday": 6,
    ]
    static let units = [
        "s": 1.0, "sec": 1, "sekunden": 1, "m": 60, "min": 60, "minutes": 60, "h": 3600, "hours": 3600,
        "stunde": 3600, "d": 86_400, "days": 86_400, "w": 604_800, "weeks": 604_800,
        // beginnings of them
        "sek": 1, "sekunde": 1, "mins": 60, "minute": 60, "hour": 3600, "std": 3600, "day": 86_400,
        "week": 604_800,
    ]

    /// A day, perhaps up to another, and what stands behind it.
    // Safe although not Sendable, as the one below: they are constants, and matching changes nothing in them.
    nonisolated(unsafe) private static let range =
        #/([a-zäöü]+)(?:(?:\s*(?:-|–|\.\.)\s*|\s+(?:to|bis)\s+)([a-z]+))?/#
    nonisolated(unsafe) private static let between = #/\s*,\s*|\s+(?:and|und)\s+|\s+/#

    static func names(_ text: String) -> [String]? {
        // `Mo.`
        let isShort = text.hasSuffix(".") && !text.hasSuffix("..") && text.dropLast().last?.isLetter == true
        let lowered = (isShort ? String(text.dropLast()) : text).lowercased()

        // Each range is taken away from the front, with what may stand behind it.
        var rest = lowered[...]
        var found: [String] = []
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: range),
                let from = day(match.1)
            else { return nil }
            var to = from
            if let end = match.2 {
                guard let index = day(end), index != from else { return nil }
                to = index > from ? index : index + 7
            }
            found += (from...to).map { week[$0 % 7] }
            rest = rest[match.range.upperBound...]
            guard let gap = rest.prefixMatch(of: between) else {
                if rest.isEmpty { break }
                return nil
            }
            rest = rest[gap.range.upperBound...]
            if rest.isEmpty, gap.0.contains(where: { !$0.isWhitespace }) { return nil }
        }
        return found.isEmpty ? nil : found
    }

    private static func day(_ word: Substring) -> Int? { days[String(word)] ?? shorter[String(word)] }

    /// `90`, `2 h`, `2h30`: the minutes stand alone behind hours only.
    static func span(_ text: String) -> Duration? {
        if let count = Double(text), text.allSatisfy(\.isNumber) { return .seconds(count) }
        guard let match = text.wholeMatch(of: /([0-9]+) *([A-Za-zäöü]+)([0-9]*)/),
            let count = Double(match.1),
            let unit = units[String(match.2)], match.3.isEmpty || unit == 3600
        else { return nil }
        return .seconds(count * unit + (Double(match.3) ?? 0) * 60)
    }

    static func clock(_ text: String) -> String? {
        guard
            let match = text.lowercased().wholeMatch(
                of: #/([0-9]{1,2})(?:[:.]\s*([0-9]{2}))?\s*(am|pm|uhr)?/#),
            match.2 != nil || match.3 != nil, var hour = Int(match.1), let minute = Int(match.2 ?? "00"),
            hour < 24, minute < 60
        else { return nil }
        if let half = match.3, half != "uhr" {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (half == "pm" ? 12 : 0)
        }
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(hour)):\(two(minute))"
    }
}
