import Testing

@testable import HubService

@Suite struct PageWordsTests {
    @Test(arguments: [
        ("", "en"), ("de", "de"), ("de-AT", "de"), ("fr, de;q=0.5, en;q=0.3", "de"), ("en-GB, de", "en"),
        ("de;q=0.2, en;q=0.9", "en"), ("fr", "en"), ("*", "en"), ("de;q=0", "en"), ("DE", "de"),
        ("de;q=", "en"),
        ("de;q=nan", "en"), ("de;q=inf", "en"), ("deutsch", "en"), (";", "en"), ("de; q=0.4", "de"),
    ])
    func theLanguageThatIsLikedMost(field: String, language: String) {
        let ranges = field.split(separator: ",").map { $0.drop { $0 == " " } }
        #expect(PageWords.wanted(ranges) == language)
    }

    @Test func textsAreHTMLAndValuesStayAsTheyAre() {
        let (english, german) = (PageWords("en"), PageWords("de"))
        #expect(english("Load {0}.", "<b>{0}</b>") == "Load <b>{0}</b>.")
        #expect(german("Load {0}.", "<b>&amp;</b>") == "Laden Sie <b>&amp;</b>.")
        #expect(english("a < b & {1} {0}", "x", "y") == "a &lt; b &amp; y x")
        #expect(german("a text that no table has") == "a text that no table has")
    }
}
