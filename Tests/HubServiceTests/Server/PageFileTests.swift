import GatewayRules
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
        let served = ServedText.bytes(of: Array(script.utf8), isScript: true)
        #expect(
            String(decoding: served, as: UTF8.self) == """
                if (a) {
                b(`c  // d`);   // e
                g("  h");
                }

                """)
        // In a page it may be anything.
        #expect(ServedText.bytes(of: Array("//a".utf8), isScript: false) == Array("//a\n".utf8))
        #expect(ServedText.bytes(of: [], isScript: true) == [])
    }

    /// Else the spaces in it would count.
    @Test(arguments: PagePath.allCases) func noTextGoesOverSeveralLines(path: PagePath) {
        for line in PageFile.at(path).bytes.split(separator: UInt8(ascii: "\n")) {
            let text = String(decoding: line, as: UTF8.self)
            #expect(text.count { $0 == "`" } % 2 == 0, "\(text)")
            #expect(line.last != UInt8(ascii: "\\"))
        }
    }

    @Test func aPathIsOfOneFile() {
        #expect(PageFile(path: "/hubpair/")?.contentType == "text/html; charset=utf-8")
        #expect(PageFile(path: "/hubpair/page/hubs.js")?.contentType == "text/javascript; charset=utf-8")
        #expect(PageFile(path: "/hubpair/page/none.js")?.entityTag == nil)
        #expect(Set(PagePath.allCases.map { PageFile.at($0).entityTag }).count == PagePath.allCases.count)
    }
}
