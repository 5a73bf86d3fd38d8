import Pairing

/// An option in another spelling: with one dash (`-json`), with the dash of a word processor or a web page
/// (`–json`), as other systems have it (`/json`), without a dash (`json`), with a colon (`--paper:a4`).
enum OptionSpelling {
    /// Hyphens and dashes of Unicode, and the minus sign.
    private static let dashes: Set<Character> = [
        "\u{2010}", "\u{2011}", "–", "—", "\u{2012}", "\u{2015}", "−",
    ]

    /// Quotation marks that no shell takes away.
    private static let quotes: Set<Character> = ["“", "”", "„", "‘", "’", "«", "»"]

    /// The option that is meant, with its value if that is in the same word; nil if the command has none of
    /// that name.
    ///
    /// - Parameter plain: true if a word without a dash may be one too.
    static func meant(by word: String, in form: CommandForm, plain: Bool = false) -> String? {
        let unquoted = String(word.filter { !quotes.contains($0) })
        let bare = unquoted.drop { $0 == "-" || dashes.contains($0) }
        let text = bare.count == unquoted.count && unquoted.hasPrefix("/") ? bare.dropFirst() : bare
        guard plain || text.count < unquoted.count else { return nil }
        let name = text.prefix { $0 != "=" && $0 != ":" }
        let value = text.dropFirst(name.count + 1)
        guard let option = form["--" + name.lowercased()], let longName = option.longName else {
            // `–o`
            return name.count == 1 && text.count < unquoted.count && form["-\(name)"] != nil
                ? "-\(name)" : nil
        }
        let meant =
            option.takesValue && (1...80).contains(value.utf8.count)
            ? "\(longName)=\(shellWord(String(value), plain: ":%@,+"))" : longName
        return meant == word ? nil : meant
    }

    /// `did you mean '--json'?`, without quotation marks around quotation marks.
    static func question(_ meant: String) -> String {
        meant.contains("'") ? "did you mean: \(meant)" : "did you mean '\(meant)'?"
    }

    /// True for a word that begins with a dash other than `-`: it came from a web page, and is no name.
    static func hasForeignDash(_ word: String) -> Bool { word.first.map(dashes.contains) ?? false }

    /// True for a long option's name behind one dash. ArgumentParser would read it as several flags: `-each`
    /// has the h of help, and `-output` is `-o` with a file called utput.
    static func isOneDash(_ word: String, in form: CommandForm) -> Bool {
        isOneDash(word) && form["--" + word.dropFirst().prefix { $0 != "=" }] != nil
    }

    /// True if the word may be one, by its form alone.
    static func isOneDash(_ word: String) -> Bool {
        word.hasPrefix("-") && !word.hasPrefix("--") && word.utf8.count > 3
    }
}
