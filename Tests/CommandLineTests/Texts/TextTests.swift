import HubService
import Pairing
import Testing

@testable import hubpair

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain Küche 😀", "plain Küche 😀"), ("a\u{1B}[2Jb", "a\\u{1B}[2Jb"), ("a\nb\tc", "a\\u{A}b\\u{9}c"),
        ("\u{9B}31m", "\\u{9B}31m"), ("x\u{202E}y", "x\\u{202E}y"), ("\u{2028}", "\\u{2028}"),
        ("\0", "\\u{0}"),
    ])
    func escaped(text: String, safe: String) {
        #expect(SafeText.escaped(text) == safe)
        #expect(SafeText.escaped(safe) == safe)
    }

    @Test(arguments: [("abc", 3), ("é", 1), ("e\u{301}", 1), ("漢字", 4), ("😀", 2), ("", 0)])
    func width(text: String, columns: Int) { #expect(columnWidth(of: text) == columns) }

    @Test(arguments: [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("漢字漢字", 5, "漢字…"), ("漢字", 2, "…")])
    func cutting(text: String, room: Int, short: String) { #expect(cut(text, to: room) == short) }

    @Test(arguments: [
        ([], ""), (["a"], "a"), (["a", "b"], "a, b"), (["a", "b", "c"], "a, b and 1 more"),
    ])
    func listing(names: [String], text: String) { #expect(listed(names, most: 2) == text) }
}

@Suite struct AddressChoiceTests {
    @Test(arguments: [
        ("auto", AddressChoice.automatic), ("none", .none), ("192.0.2.7", .given("192.0.2.7", port: nil)),
        ("Kitchen.local:8123", .given("kitchen.local", port: 8123)),
        ("192.0.2.7:8123", .given("192.0.2.7", port: 8123)),
    ])
    func accepted(text: String, choice: AddressChoice) { #expect(AddressChoice(argument: text) == choice) }

    @Test(arguments: [
        "", "192.0.2", "192.0.2.256", "192.0.2.7:", "192.0.2.7:0", "192.0.2.7:65536", "192.0.2.7:1:2",
        "fe80::1", "hub",
        "1..2.3", ":8000", "+1.2.3.4", "0.0.0.0", "224.0.0.1", "255.255.255.255",
    ])
    func rejected(text: String) { #expect(AddressChoice(argument: text) == nil) }

    @Test func thePlaceInTheCode() {
        #expect(
            AddressChoice.given("192.0.2.7", port: nil).hint(port: 8123, names: nil)?.description
                == "192.0.2.7:8123")
        #expect(
            AddressChoice.given("a.local", port: 1).hint(port: 8123, names: nil)?.description == "a.local:1")
        #expect(AddressChoice.none.hint(port: 8000, names: nil) == nil)
    }
}
