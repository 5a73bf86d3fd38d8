import Identity

/// Times as people write them, where a form of ours is wanted.
///
///     span  = 1*( number [ SP ] unit )   ; as Duration(written:) reads it, or with words, English or German
///     clock = hour [ ( ":" / "." / "h" ) minute ] [ [ SP ] ( "am" / "pm" / "Uhr" ) ]
///
/// Accepted: `10min`, `2 weeks`, `500ms`, `2,5 s`, `1h30`; `22.30`, `7:30`, `10pm`, `22 Uhr`. Rejected: `10M`
/// (months, perhaps), `1 month`, `30s10m`; `22` (of what?), `13pm`.
enum SaidTime {
    private static let maximumByteCount = 40
    private static let units: [(letter: String, words: [String])] = [
        ("w", ["w", "wk", "week", "weeks", "woche", "wochen"]),
        ("d", ["d", "day", "days", "tag", "tage", "tagen"]),
        ("h", ["h", "hr", "hrs", "hour", "hours", "std", "stunde", "stunden"]),
        ("m", ["m", "min", "mins", "minute", "minutes", "minuten"]),
        ("s", ["s", "sec", "secs", "second", "seconds", "sek", "sekunde", "sekunden"]),
    ]

    /// Nil if it is no span, or one of no time.
    static func span(_ text: String) -> Duration? {
        if let span = Duration(written: text) { return span }
        guard text.utf8.count <= maximumByteCount else { return nil }
        var rest = text.filter { !$0.isWhitespace }.replacing(",", with: ".")[...]
        var written = ""
        while !rest.isEmpty {
            let number = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            let word = rest[number.endIndex...].prefix(while: \.isLetter)
            rest = rest[word.endIndex...]
            guard !number.isEmpty, word != "M" else { return nil }
            if word.lowercased() == "ms" {
                guard let count = Int(number), count < 1_000_000 else { return nil }
                written += "\(count / 1000).\(String(1000 + count % 1000).dropFirst())s"
            } else if let unit = units.first(where: { $0.words.contains(word.lowercased()) }) {
                written += number + unit.letter
            } else {
                // `1h30`
                guard word.isEmpty, rest.isEmpty, written.last == "h" else { return nil }
                written += number + "m"
            }
        }
        return Duration(written: written)
    }

    /// As `07:30`; nil if it is no time of the day.
    static func clock(_ text: String) -> String? {
        guard text.utf8.count <= maximumByteCount else { return nil }
        var said = text.lowercased().filter { !$0.isWhitespace }
        let ending = ["uhr", "a.m.", "p.m.", "am", "pm"].first(where: said.hasSuffix) ?? ""
        said.removeLast(ending.count)
        let parts = said.split(omittingEmptySubsequences: false) { ":.h".contains($0) }
        guard (ending.isEmpty ? 2 : 1)...2 ~= parts.count, (1...2).contains(parts[0].utf8.count),
            var hour = Int(digits: parts[0]), hour < 24
        else { return nil }
        let minute = parts.count == 2 ? parts[1] : "00"
        guard minute.utf8.count == 2, let count = Int(digits: minute), count < 60 else { return nil }
        if !ending.isEmpty, ending != "uhr" {
            guard (1...12).contains(hour) else { return nil }
            hour = hour % 12 + (ending.hasPrefix("p") ? 12 : 0)
        }
        return "\(hour < 10 ? "0" : "")\(hour):\(minute)"
    }
}
