/// Days of the week as people say them, in English or German, in the words that a hub keeps.
///
///     days  = [ "on" / "every" / "am" / "jeden" ] range *( [ "," / ";" / "+" / "&" / "and" / "und" ] range )
///     range = day [ ( "-" / ".." / "to" / "through" / "bis" ) day ] / group     ; over Sunday as well
///     group = "weekdays" / "weekend" / "daily" / "Wochenende" / "täglich"
///
/// A word is known or the whole is refused: none is cut to a day's first letters.
///
/// Accepted: `mon tue`, `Mon-Fri`, `fri..mon`, `Mo bis Fr`, `weekdays, sun`. Rejected: `mond`, `mon-`,
/// `mon-mon`; `werktags`, which is with Saturday for some.
enum SaidDays {
    private static let week = [
        ("mon", "mon monday mondays mo montag montags"),
        ("tue", "tue tues tuesday tuesdays di dienstag dienstags"),
        ("wed", "wed weds wednesday wednesdays mi mittwoch mittwochs"),
        ("thu", "thu thur thurs thursday thursdays do donnerstag donnerstags"),
        ("fri", "fri friday fridays fr freitag freitags"),
        ("sat", "sat saturday saturdays sa samstag samstags sonnabend sonnabends"),
        ("sun", "sun sunday sundays so sonntag sonntags"),
    ].map { (name: $0, words: $1.split(separator: " ").map(String.init)) }
    private static let groups = [
        "weekday": 0...4, "weekdays": 0...4, "weekend": 5...6, "weekends": 5...6, "wochenende": 5...6,
        "wochenenden": 5...6, "daily": 0...6, "täglich": 0...6,
    ]
    private static let maximumByteCount = 200

    /// The days in the order in which they were said, one perhaps twice; nil if it is not clear which.
    static func names(_ text: String) -> [String]? {
        guard text.utf8.count <= maximumByteCount, var rest = words(text) else { return nil }
        if ["on", "every", "am", "jeden"].contains(rest.first) { rest.removeFirst() }
        var found: [String] = []
        while let word = rest.first {
            rest.removeFirst()
            if ["and", "und", ","].contains(word), !found.isEmpty, !rest.isEmpty { continue }
            if let group = groups[word] {
                found += week[group].map(\.name)
                continue
            }
            guard let start = index(word) else { return nil }
            guard rest.first == "-" else {
                found.append(week[start].name)
                continue
            }
            guard rest.count > 1, let end = index(rest[1]), end != start else { return nil }
            found += (start...(end > start ? end : end + 7)).map { week[$0 % 7].name }
            rest.removeFirst(2)
        }
        return found.isEmpty ? nil : found
    }

    /// Words, commas, and `-` for all that means up to; nil if two of the latter stand together.
    private static func words(_ text: String) -> [String]? {
        var spaced = text.lowercased().replacing("..", with: "-")
        for sign in ["-", "–", "—", "…"] { spaced = spaced.replacing(sign, with: " - ") }
        for sign in [",", ";", "+", "&"] { spaced = spaced.replacing(sign, with: " , ") }
        let words = spaced.split(whereSeparator: \.isWhitespace).map { word in
            // `Mo.`
            let bare = word.count > 1 && word.hasSuffix(".") ? word.dropLast() : word
            return ["to", "through", "bis"].contains(bare) ? "-" : String(bare)
        }
        let signs: Set<String> = ["-", ","]
        let areApart = zip(words, words.dropFirst()).allSatisfy { !signs.contains($0) || !signs.contains($1) }
        return areApart ? words : nil
    }

    private static func index(_ word: String) -> Int? { week.firstIndex { $0.words.contains(word) } }
}
