import Languages
import Testing

@testable import hubpair

/// A language that no file has, made of German: each text stands between two signs. It goes by the same
/// reader as those that are compiled in.
@Suite struct LanguageTests {
    private static func german() throws -> Language { try #require(Language.with(code: "de")) }

    /// - Parameter lost: the text that has no line.
    private static func made(without lost: String? = nil) throws -> Language {
        let german = try german()
        let file = Language.Section.allCases.map { section in
            let lines = german.lines(section).filter { $0.english != lost }.map { line in
                "\(line.english)\n= «\(line.english)»\n"
            }
            return "## \(section.rawValue)\n# A comment.\n\n" + lines.joined()
        }
        let languages = Language.files(Array(("## language xx Xe xè\n" + file.joined(separator: "\n")).utf8))
        #expect(languages.count == 1)
        return try #require(languages.first)
    }

    @Test func aFileSaysWhatItIs() throws {
        let made = try LanguageTests.made()
        #expect(made.code == "xx" && made.name == "Xe xè")
        for section in Language.Section.allCases {
            let (lines, german) = (made.lines(section), try LanguageTests.german().lines(section))
            #expect(lines.map(\.english) == german.map(\.english) && lines.count > 400)
            #expect(lines.allSatisfy { $0.words == "«\($0.english)»" })
        }
    }

    @Test func filesStandBehindEachOther() {
        let text = "## language aa A\n## page\nOn\n= An\n## language bb B b\n## help\nOff\n= Aus\n= lost\n"
        let languages = Language.files(Array(text.utf8))
        #expect(languages.map(\.code) == ["aa", "bb"] && languages.map(\.name) == ["A", "B b"])
        #expect(languages[0].lines(.page).map(\.words) == ["An"] && languages[0].lines(.help).isEmpty)
        #expect(languages[1].lines(.help).map(\.words) == ["Aus"] && languages[1].lines(.page).isEmpty)
    }

    /// Also what is no file ends.
    @Test(arguments: ["", "## language", "## language x", "On\n= An", "## page\nOn\n= An", "= ", "\n\n"])
    func noLanguage(text: String) { #expect(Language.files(Array(text.utf8)).isEmpty) }

    /// Nothing of a help is English but what the table says, and a text that it lacks is found.
    @Test func helpIsSaidInIt() throws {
        let text = try HelpTests.help(["setup"], columns: TranslatedHelp.columns)
        let whole = TranslatedHelp(text, TextTable(try LanguageTests.made().lines(.help)))
        let said = whole.text(width: 10_000).split(separator: "\n").filter { !$0.hasPrefix("  hubpair ") }
        #expect(said.filter { !$0.contains("«") && !$0.contains("hubpair setup") } == [])
        let lost = try #require(whole.texts.first { $0.count > 40 })
        let table = TextTable(try LanguageTests.made(without: lost).lines(.help))
        #expect(TranslatedHelp(text, table).texts.filter { table.exactly($0) == nil } == [lost])
    }

    @Test func theCommandLineIsSaidInIt() throws {
        let table = TextTable(try LanguageTests.made().lines(.commandLine))
        let said = "the room Hall is removed; its appliances are in none now"
        #expect(table.words(said) == "«\(said)»" && table.words("Hall") == "Hall")
    }
}
