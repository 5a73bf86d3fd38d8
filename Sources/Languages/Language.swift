import CTexts

/// A language that people read beside English, which stands where a text is used.
///
/// A file of `Sources/CTexts/languages` has all its texts, in a section for each ``Section``:
///
///     ## language de Deutsch
///     ## command line
///     the room {0} is removed
///     = der Raum {0} ist entfernt
///
/// Other lines that begin with `#` are comments.
package struct Language: Sendable {
    /// Who says the text. The same English word may be another one at each.
    package enum Section: String, CaseIterable, Sendable {
        case commandLine = "command line"
        /// What `--help` says.
        case help
        /// Also its documents without a script.
        case page
    }

    package typealias Lines = [(english: String, words: String)]

    /// ISO 639-1, as in `$LANG` and `Accept-Language`.
    package let code: String
    /// What it calls itself.
    package let name: String
    private var sections: [Section: [UInt8]] = [:]

    /// Those that are compiled in.
    package static let all = {
        let texts = hubpair_languages()
        return files(Array(UnsafeBufferPointer(start: texts.bytes, count: texts.count)))
    }()

    /// nil for English as for any that has no file.
    package static func with(code: some StringProtocol) -> Language? { all.first { $0.code == code } }

    /// The languages of files that stand one behind the other.
    package static func files(_ bytes: [UInt8]) -> [Language] {
        var languages: [Language] = []
        var section: Section?
        for line in bytes.split(separator: newline) {
            guard line.first == UInt8(ascii: "#") else {
                if let section, !languages.isEmpty {
                    languages[languages.count - 1].sections[section, default: []] += line + [newline]
                }
                continue
            }
            guard line.starts(with: "## ".utf8) else { continue }
            let heading = String(decoding: line.dropFirst(3), as: UTF8.self)
            section = Section(rawValue: heading)
            let words = heading.split(separator: " ", maxSplits: 2).map(String.init)
            if words.count == 3, words[0] == "language" {
                languages.append(Language(code: words[1], name: words[2]))
            }
        }
        return languages
    }

    private static let newline = UInt8(ascii: "\n")

    private init(code: String, name: String) { (self.code, self.name) = (code, name) }

    /// Each English text with this language's.
    package func lines(_ section: Section) -> Lines { Language.lines(sections[section] ?? []) }

    /// The texts of one section.
    package static func lines(_ section: some Collection<UInt8>) -> Lines {
        var lines: Lines = []
        var english: String?
        for line in section.split(separator: newline) where line.first != UInt8(ascii: "#") {
            guard line.starts(with: "= ".utf8) else {
                english = String(decoding: line, as: UTF8.self)
                continue
            }
            if let text = english {
                lines.append((text, String(decoding: line.dropFirst(2), as: UTF8.self)))
            }
            english = nil
        }
        return lines
    }
}
