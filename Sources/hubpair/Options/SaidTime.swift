import Identity

/// Times as people write them, where a form of ours is wanted.
///
///     span  = 1*( number [ SP ] unit )   ; as Duration(written:) reads it, or with words, English or German
///     sun   = ( "sunrise" / "sunset" ) [ [ SP ] ( "+" / "-" ) [ SP ] ( minutes / span ) ]     ; German, too
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
        guard var rest = together(text)?.replacing(",", with: ".")[...] else { return nil }
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
        guard text.utf8.count <= maximumByteCount, var said = together(text.lowercased()) else { return nil }
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

    /// As `sunset-20`, the minutes after or before: `sunset +1h`, `Sonnenuntergang - 20 min`; nil if it is
    /// none.
    static func sun(_ text: String) -> String? {
        let suns = [
            "sunrise": "sunrise", "sunset": "sunset", "sonnenaufgang": "sunrise",
            "sonnenuntergang": "sunset",
        ]
        let said = text.lowercased().trimmed
        guard text.utf8.count <= maximumByteCount,
            let (word, sun) = suns.first(where: { said.hasPrefix($0.key) })
        else { return nil }
        let rest = said.dropFirst(word.count).drop(while: \.isWhitespace)
        guard let sign = rest.first else { return sun }
        let shift = String(rest.dropFirst().drop(while: \.isWhitespace))
        // A number alone is minutes.
        let seconds = Int(digits: shift).map { 60 * Double($0) } ?? span(shift)?.inSeconds.rounded()
        guard "+-−".contains(sign), let seconds, seconds < 60_000, Int(seconds) % 60 == 0 else { return nil }
        return "\(sun)\(sign == "+" ? "+" : "-")\(Int(seconds) / 60)"
    }

    /// Without white space; nil if that would make one number of two, like `1 0m`.
    private static func together(_ text: String) -> String? {
        let parts = text.split(whereSeparator: \.isWhitespace)
        let areTwo = zip(parts, parts.dropFirst()).contains {
            $0.last?.isNumber == true && $1.first?.isNumber == true
        }
        return areTwo ? nil : parts.joined()
    }
}
