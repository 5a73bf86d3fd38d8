import ArgumentParser
import Testing

@testable import hubpair

@Suite struct ShellCandidateTests {
    @Test(arguments: [
        ("Movie night", "'Movie night'"), ("It's late", "'It'\\''s late'"),
        ("It'\u{301}s", "'It'\\''\u{301}s'"),
        ("a:b", "'a:b'"), ("$(touch x)", nil), ("`touch x`", nil), ("$HOME", nil),
    ])
    func bashGetsOneWord(name: String, word: String?) {
        #expect(ShellCandidate.text(name, for: .bash) == word)
    }

    @Test(arguments: [
        ("Movie night", "Movie night"), ("a:b", "a\\:b"), ("a\\b", "a\\\\b"), ("Party!", "Party!"),
        ("!! now", nil), ("a!b", nil),
    ])
    func zshGetsNoDescription(name: String, word: String?) {
        #expect(ShellCandidate.text(name, for: .zsh) == word)
    }

    @Test(arguments: [
        ("plain", "plain"), ("'a b'", "a b"), ("\"a \\\"b\"", "a \"b"), ("a\\ b", "a b"),
        ("'a'\\''b'", "a'b"),
        ("'open", "open"), ("end\\", "end"), ("", ""),
    ])
    func aWordWithoutItsQuotes(word: String, text: String) {
        #expect(CompletionWords.unquoted(word) == text)
    }

    @Test(arguments: [
        (["hubpair", "home", "--config", "'a b'"], "a b"),
        (["hubpair", "home", "--config=a\\ b", "x"], "a b"),
        (["hubpair", "home", "--", "--config", "a"], nil), (["hubpair", "--config"], nil),
    ])
    func theValueOfAnOption(words: [String], value: String?) {
        #expect(CompletionWords(words).value(of: "--config") == value)
    }
}
