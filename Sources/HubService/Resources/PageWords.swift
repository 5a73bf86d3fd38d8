import GatewayRules
import HubPage
import JSON

/// The words of pages without a script, in the language that the browser asks for, from the table that the
/// page with scripts has.
///
/// English stands where a text is used, and German in the page's `german.js`; a lint sees to it that none
/// lacks.
struct PageWords: Sendable {
    enum Language: String, Sendable {
        case english = "en"
        case german = "de"
    }

    /// `"English": "German",`, a line for each.
    private static let german: [String: String] = {
        var table: [String: String] = [:]
        for line in PageFile.at(.german).bytes.split(separator: UInt8(ascii: "\n")) where line.last == 0x2C {
            guard case .object(let pair)? = JSONValue(parsing: [0x7B] + line.dropLast() + [0x7D]) else {
                continue
            }
            for (text, value) in pair { table[text] = value.asString }
        }
        return table
    }()

    let language: Language

    init(_ language: Language) { self.language = language }

    init(for head: RequestHead) { self.init(PageWords.wanted(head.fields.members(named: "accept-language"))) }

    /// - Parameter ranges: the members of `Accept-Language` (RFC 9110 § 12.5.4). Of those that are liked as
    ///   much as each other the first counts; without one that the hub speaks it is English.
    static func wanted(_ ranges: [some StringProtocol]) -> Language {
        var best = (language: Language.english, quality: 0.0)
        for range in ranges {
            let parts = range.split(separator: ";").map { $0.drop { $0 == " " } }
            guard let tag = parts.first,
                let language = Language(rawValue: tag.prefix { $0 != "-" }.lowercased())
            else { continue }
            let quality =
                parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if quality > best.quality, quality <= 1 { best = (language, quality) }
        }
        return best.language
    }

    /// The text as HTML, with `{0}`, `{1}` replaced by what is HTML already.
    func callAsFunction(_ text: String, _ values: String...) -> String {
        var words = htmlText(language == .german ? PageWords.german[text] ?? text : text)
        for (index, value) in values.enumerated() {
            words = words.split(separator: "{\(index)}", omittingEmptySubsequences: false).joined(
                separator: value)
        }
        return words
    }
}
