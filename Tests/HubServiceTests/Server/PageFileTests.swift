import GatewayRules
import Languages
import Testing

@testable import HubPage

/// The page's files as browsers get them.
@Suite struct PageFileTests {
    @Test func commentsAndSpacesInFrontAreLeftOut() {
        let script = """
            // A comment.
            if (a) {
              b(`c  // d`);   // e

                // f
              g("  h");
            }
            """
        let served = ServedText.bytes(of: Array(script.utf8), .words)
        #expect(
            String(decoding: served, as: UTF8.self) == """
                if (a) {
                b(`c  // d`);   // e
                g("  h");
                }

                """)
        // In a page it may be anything.
        #expect(ServedText.bytes(of: Array("//a".utf8), .page) == Array("//a\n".utf8))
        #expect(ServedText.bytes(of: [], .words) == [])
    }

    /// Scripts know which languages there are, and one has the texts of all but English.
    @Test func wordsAreThoseOfTheLanguages() {
        let files = Language.files(
            Array(
                """
                ## language xx X "x"
                ## help
                a
                = b
                ## page
                On
                = «On»
                "{0}" is on|verb
                = «{0}\\»
                ## language yy Yy
                ## page
                On
                = yOn

                """.utf8))
        #expect(
            String(decoding: WordsScript.bytes(of: files), as: UTF8.self) == #"""
                export default {
                "xx":{
                "On":"«On»",
                "\"{0}\" is on|verb":"«{0}\\»",
                },
                "yy":{
                "On":"yOn",
                },
                };

                """#)
        #expect(WordsScript.names(of: files) == #"{"xx":"X \"x\"","yy":"Yy"}"#)
        for path in [PagePath.script, .enter] {
            let script = String(decoding: PageFile.at(path).bytes, as: UTF8.self)
            #expect(script.contains(WordsScript.names(of: Language.all)))
            #expect(!script.contains(WordsScript.place))
        }
    }

    /// Else the spaces in it would count.
    @Test(arguments: PagePath.allCases.filter(\.isText)) func noTextGoesOverSeveralLines(path: PagePath) {
        for line in PageFile.at(path).bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            #expect(text.count { $0 == "`" } % 2 == 0, "\(text)")
            #expect(line.last != UInt8(ascii: "\\"))
        }
    }

    @Test func aPathIsOfOneFile() {
        #expect(PageFile.at(path: "/hubpair/")?.file.contentType == "text/html; charset=utf-8")
        #expect(
            PageFile.at(path: "/hubpair/page/hubs.js")?.file.contentType == "text/javascript; charset=utf-8")
        #expect(PageFile.at(path: "/hubpair/page/none.js") == nil)
        #expect(Set(PagePath.allCases.map { PageFile.at($0).entityTag }).count == PagePath.allCases.count)
    }

    /// What is named with the version in its path is of it, and kept for ever.
    @Test func filesOfAVersionAreOfItAlone() throws {
        let (file, isLasting) = try #require(PageFile.at(path: "/hubpair/page/\(PageFile.tag)/sheet.js"))
        #expect(isLasting && file.bytes == PageFile.at(.sheet).bytes)
        #expect(PageFile.at(path: "/hubpair/page/0123456789abcdef/sheet.js") == nil)
        #expect(PageFile.at(path: "/hubpair/page/\(PageFile.tag)/") == nil)
        let page = String(decoding: PageFile.at(.page).bytes, as: UTF8.self)
        #expect(page.contains("\"/hubpair/page/\(PageFile.tag)/page.js\""))
        #expect(!page.contains("/hubpair/page/page.js"))
    }

    @Test func modulesAreJoined() {
        let script = """
            import { a, b } from "./dom.js";
            import { c } from "./hubs.js";
            const { d } = await import("./kinds.js");

            """
        func served(_ path: PagePath) -> String {
            String(decoding: ServedText.bytes(of: Array(script.utf8), path), as: UTF8.self)
        }
        #expect(served(.script) == "const { d } = await import(\"./kinds.js\");\n")
        #expect(
            served(.sheet) == """
                import { a, b } from "./page.js";
                import { c } from "./hubs.js";
                const { d } = await import("./page.js");

                """)
    }

    /// What stands on a line of its own, as it does in all modules: `export class A`, `const b = 1`.
    private static func declared(_ path: PagePath, onlyExports: Bool = false) -> [String] {
        lines(path).filter { !$0.hasPrefix(" ") }.compactMap { line in
            var words = line.prefix { $0 != "(" }.split(separator: " ")
            let isExported = words.first == "export"
            if isExported { words.removeFirst() }
            if words.first == "async" { words.removeFirst() }
            guard words.count > 1, ["function", "class", "const", "let"].contains(words[0]) else {
                return nil
            }
            return isExported || !onlyExports ? String(words[1].prefix { $0 != "=" && $0 != ";" }) : nil
        }
    }

    private static func lines(_ path: PagePath) -> [Substring] {
        String(decoding: PageFile.source(path), as: UTF8.self).split(separator: "\n")
    }

    private static let scripts = PagePath.allCases.filter {
        $0.rawValue.hasSuffix(".js") && $0 != .worker && $0 != .start
    }

    /// The modules that are joined have one scope.
    @Test(arguments: ServedText.joined) func joinedModulesShareNoName(path: PagePath) {
        var names: Set<String> = []
        for name in PageFileTests.declared(path) {
            #expect(names.insert(name).inserted, "\(name) is declared by two modules of \(path.rawValue)")
        }
        #expect(names.count > 20)
    }

    /// Also those that are joined stand in front of whoever imports them.
    @Test(arguments: scripts) func whatAModuleImportsIsThere(path: PagePath) throws {
        let isJoined = ServedText.joined.contains(path)
        for line in PageFileTests.lines(path) where line.hasPrefix("import") {
            let parts = line.split(separator: "\"")
            let names = try #require(parts[0].split(separator: "{").last?.split(separator: "}").first)
            let file = PagePath(rawValue: "/hubpair/page/" + parts[1].dropFirst(2)) ?? .script
            let exports = PageFileTests.declared(isJoined ? path : file, onlyExports: true)
            for name in names.split(separator: ",").map({ $0.drop { $0 == " " }.prefix { $0 != " " } }) {
                #expect(exports.contains(String(name)), "\(path.rawValue): \(line)")
            }
        }
    }

    /// All that the page is made of, so that it opens without the hub.
    @Test func theWorkerKnowsEveryFile() {
        let worker = String(decoding: PageFile.at(.worker).bytes, as: UTF8.self)
        for path in PagePath.allCases where ![.page, .worker, .manifest].contains(path) {
            #expect(worker.contains("\"\(path.path(tag: PageFile.tag))\""), "\(path)")
        }
        #expect(!worker.contains("/page/*"))
        let manifest = String(decoding: PageFile.at(.manifest).bytes, as: UTF8.self)
        #expect(manifest.contains("\"/hubpair/page/\(PageFile.tag)/icon-192.png\""))
    }

    @Test func whoTakesGzipGetsIt() throws {
        let file = PageFile.at(.script)
        let packed = try #require(file.packed)
        #expect(packed.count < file.bytes.count / 2)
        #expect(file.form(for: ["br", "gzip"]).bytes == packed)
        #expect(file.form(for: ["gzip;q=0.5"]).bytes == packed)
        #expect(file.form(for: ["gzip;q=0", "identity"]).bytes == file.bytes)
        #expect(file.form(for: [String]()).bytes == file.bytes)
        #expect(file.form(for: ["gzip"]).fields.map(\.0) == ["Vary", "Content-Encoding"])
    }

    /// The page may have 150 kB, as it is served.
    @Test func thePageIsSmall() {
        let sizes = PagePath.allCases.map { PageFile.at($0) }.map { ($0.packed ?? $0.bytes).count }
        #expect(sizes.reduce(0, +) < 150_000)
    }
}
