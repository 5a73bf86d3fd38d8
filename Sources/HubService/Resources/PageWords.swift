import GatewayRules
import Languages

/// The words of pages without a script, in the language that the browser asks for, from the table that the
/// page with scripts has.
///
/// English stands where a text is used, and the other languages in a file each; a lint sees to it that none
/// lacks.
struct PageWords: Sendable {
    static let english = "en"
    /// The words by the English ones, by the language's code.
    private static let tables = Dictionary(
        uniqueKeysWithValues: Language.all.map { language in
            (language.code, Dictionary(language.lines(.page), uniquingKeysWith: { first, _ in first }))
        })

    /// Its code.
    let language: String

    init(_ language: String = english) { self.language = language }

    init(for head: RequestHead) { self.init(PageWords.wanted(head.fields.members(named: "accept-language"))) }

    /// - Parameter ranges: the members of `Accept-Language` (RFC 9110 § 12.5.4). Of those that are liked as
    ///   much as each other the first counts; without one that the hub speaks it is English.
    static func wanted(_ ranges: [some StringProtocol]) -> String {
        var best = (language: english, quality: 0.0)
        for range in ranges {
            let parts = range.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let language = parts.first?.prefix(while: { $0 != "-" }).lowercased(),
                language == english || Language.with(code: language) != nil
            else { continue }
            let quality =
                parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if quality > best.quality, quality <= 1 { best = (language, quality) }
        }
        return best.language
    }

    /// The text as HTML, with `{0}`, `{1}` replaced by what is HTML already.
    func callAsFunction(_ text: String, _ values: String...) -> String {
        var words = htmlText(PageWords.tables[language]?[text] ?? text)
        for (index, value) in values.enumerated() {
            words = words.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(
                separator: value)
        }
        return words
    }
}
