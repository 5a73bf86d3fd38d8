import Testing

@testable import hubpair

/// A hub's answer on its way to a terminal, in pieces.
@Suite struct BodyTextTests {
    private static let cases: [(String, String)] = [
        ("", ""), ("{}", "{}\n"), ("{}\n", "{}\n"), ("a\tb\r\nc", "a\tb\nc\n"), ("Küche 😀 漢", "Küche 😀 漢\n"),
        ("\u{1B}[2J", "\\u{1B}[2J\n"), ("\u{9B}31m\u{202E}", "\\u{9B}31m\\u{202E}\n"), ("a\0", "a\\u{0}\n"),
    ]

    @Test(arguments: cases)
    func isSafeHoweverItIsCut(text: String, shown: String) {
        for size in 1...5 {
            var terminal = TerminalText()
            var output: [UInt8] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                output += terminal.escaped(Array(bytes[start..<min(start + size, bytes.count)]))
            }
            output += terminal.end()
            #expect(output == Array(shown.utf8), "in pieces of \(size)")
        }
    }

    @Test func bytesThatAreNoTextEndToo() {
        var terminal = TerminalText()
        let output = terminal.escaped([0xFF, 0xF0, 0x9F]) + terminal.end()
        #expect(String(validating: output, as: UTF8.self)?.hasSuffix("\n") == true)
    }
}
