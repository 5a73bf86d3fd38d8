import Identity
import Testing

/// RFC 3986 § 2.1.
@Suite struct PercentCodingTests {
    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("%41", "A"), ("%2f%2F", "//"), ("a%00b", "a\0b"), ("%2541", "%41"),
    ])
    func wellFormedTextIsDecoded(text: String, bytes: String) {
        #expect(PercentCoding.strictlyDecoded(Array(text.utf8)[...]) == Array(bytes.utf8))
        #expect(PercentCoding.decoded(Array(text.utf8)[...]) == Array(bytes.utf8))
    }

    /// Strictly it is refused; as simple servers read it, what is no escape stays.
    @Test(arguments: [
        ("%", "%"), ("%4", "%4"), ("a%", "a%"), ("%4g", "%4g"), ("%g4", "%g4"), ("%%41", "%A"),
        ("%4%31", "%41"),
    ])
    func malformedText(text: String, bytes: String) {
        #expect(PercentCoding.strictlyDecoded(Array(text.utf8)[...]) == nil)
        #expect(PercentCoding.decoded(Array(text.utf8)[...]) == Array(bytes.utf8))
    }

    @Test func whatIsEncodedIsDecodedToTheSameText() {
        for text in ["", "Küche", "100 %", "\u{0}\u{7F}", "ok"] {
            let encoded = PercentCoding.encoded(text) { (0x61...0x7A).contains($0) }
            #expect(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) })
            #expect(PercentCoding.strictlyDecoded(Array(encoded.utf8)[...]) == Array(text.utf8))
        }
        #expect(PercentCoding.encoded("a\n/", keeping: { $0 == 0x61 }) == "a%0A%2F")
    }
}
