import Identity
import Languages

/// Orders in German, or in words of Home Assistant's people, where `home set` or `home say` has them.
///
///     schalte Lampe ein       home set Lampe on
///     Lampe ausschalten       home set Lampe off
///     sperre Haustür          home say lock Haustür
enum GermanOrder {
    private static let switches = [
        "on": "on", "an": "on", "ein": "on", "off": "off", "aus": "off", "einschalten": "on",
        "anschalten": "on", "anmachen": "on", "ausschalten": "off", "abschalten": "off", "ausmachen": "off",
    ]
    /// Verbs in front: what they do, or nil where the last word says that.
    private static let verbs: [String: String?] = [
        "schalte": nil, "schalt": nil, "mach": nil, "mache": nil, "stelle": nil, "stell": nil,
        "sperre": "lock", "sperren": "lock", "verriegle": "lock", "entsperre": "unlock",
        "entsperren": "unlock", "aufschließen": "unlock", "abschließen": "lock", "schließe": "close",
        "schließen": "close", "öffne": "open", "dimme": "dim",
    ]
    private static let articles: Set<String> = ["das", "die", "der", "den", "bitte"]

    /// The setting that a word of German or English means at the end of an order; nil if it means none.
    static func switched(_ word: String?) -> String? { switches[word?.lowercased() ?? ""] }

    /// The line for words below `hubpair` or `home`; nil if they are no order.
    static func line(_ words: [String]) -> SuggestedLine? {
        guard words.count > 1, let first = words.first?.lowercased() else { return nil }
        let hasVerb = verbs.keys.contains(first)
        let rest = (hasVerb ? words[1...] : words[...]).drop { articles.contains($0.lowercased()) }
        if let setting = switched(words.last), !["on", "off"].contains(words.last), rest.count > 1 {
            return SuggestedLine(["home", "set"], [rest.dropLast().joined(separator: " "), setting])
        }
        guard hasVerb, !rest.isEmpty else { return nil }
        // `say` speaks the reader's language.
        if Texts.language(of: Startup.environment)?.code == "de" {
            return SuggestedLine(["home", "say"], words)
        }
        return (verbs[first] ?? nil).map { SuggestedLine(["home", "say"], [$0] + rest) }
    }
}
