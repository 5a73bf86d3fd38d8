import Identity
import Languages

/// The command line's words in the language of who reads them. English stands where a text is used; scripts
/// read JSON, which is never translated.
enum Texts {
    /// The table of the reader's language; nil for English, and where lines of JSON are written.
    private static let table: TextTable? = {
        guard !JSONLine.isAskedFor, let language = language(of: Startup.environment) else { return nil }
        return TextTable(language.lines(.commandLine))
    }()

    /// The texts of `--help` in the reader's language.
    static var help: TextTable? {
        language(of: Startup.environment).map { TextTable($0.lines(.help)) }
    }

    private static let tables = Dictionary(
        uniqueKeysWithValues: Language.all.map { ($0.code, TextTable($0.lines(.commandLine))) })

    /// The text in the reader's language; as it is if the table has no line for it. Lines are told apart.
    static func words(_ text: String) -> String {
        guard let table else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { table.words(String($0)) }.joined(separator: "\n")
    }

    /// The same in the language of this code, whatever is spoken here: for who asks from elsewhere.
    static func words(_ text: String, in code: String) -> String {
        tables[code]?.words(text) ?? text
    }

    /// The same for a word or sentence that quotes nothing, as the titles of a table.
    static func exactly(_ text: String) -> String { table?.exactly(text) ?? text }

    /// Which language is wanted, in the order of gettext (its manual, § 2.3): LC_ALL, LC_MESSAGES, LANG; and
    /// unless that is the locale C, the list in LANGUAGE goes before it.
    static func language(of environment: [String: String]) -> Language? {
        let locale =
            ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
            .compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
        guard !["C", "POSIX"].contains(locale), !locale.hasPrefix("C.") else { return nil }
        let list = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
        for wanted in list + [locale] {
            let code = String(wanted.prefix { $0.isLetter })
            if code == "en" || code == "C" { return nil }
            if let language = Language.with(code: code) { return language }
        }
        return nil
    }
}
