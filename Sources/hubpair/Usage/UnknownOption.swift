import ArgumentParser
import Identity
import Pairing

/// An option that the command does not have. It is reported before anything that is missing: what is missing
/// may be what the option was meant to be.
struct UnknownOption: Equatable, UserError {
    /// As it was typed, without its value.
    let name: String
    /// The words of the command, without `hubpair`.
    let command: [String]
    let hint: String?

    /// Nil if the command that the arguments name has all their options.
    init?(in arguments: [String]) {
        let path = CommandPath(arguments)
        let form = path.form
        guard let name = CommandWords(path.rest, form: form).unknownOption else { return nil }
        let isHelp = arguments.first == "help"
        self.init(name, isHelp ? CommandPath(Array(arguments.dropFirst())) : path, isHelp: isHelp)
    }

    /// The first argument that is an option's long name behind one dash; nil if there is none.
    init?(behindOneDash arguments: [String]) {
        let words = arguments.prefix { $0 != "--" }
        // The form of a command takes milliseconds.
        guard words.contains(where: OptionSpelling.isOneDash) else { return nil }
        let path = CommandPath(arguments)
        let form = path.form
        // A value may look so.
        let found = zip([""] + words, words).first { before, word in
            OptionSpelling.isOneDash(word, in: form) && form[before]?.takesAnyWord != true
        }
        guard let word = found?.1 else { return nil }
        self.init(word, path)
    }

    /// - Parameter isHelp: true if it was asked for the help of the command.
    init(_ name: String, _ path: CommandPath, isHelp: Bool = false) {
        self.name = name
        command = path.words
        hint = isHelp ? "see '\(path.text) --help'" : UnknownOption.hint(for: name, path, path.form)
    }

    var description: String { "unknown option '\(name)'" }
    var kind: UserErrorKind { .usage }

    private static func hint(for name: String, _ path: CommandPath, _ form: CommandForm) -> String {
        if let hint = OptionSynonyms.hint(for: name, of: path.words, form) { return hint }
        if path.words == ["serve"], let sample = hubSettings[name] {
            return "it is the hub's own: 'hubpair setup --change \(name) \(sample)'; "
                + "then start 'hubpair serve' again"
        }
        let digits = name.dropFirst().first.map { ("0"..."9").contains($0) } ?? false
        if digits, form.valueCount.upperBound > 0 {
            let line = path.words + ["--", name]
            return "a word that begins with '-' stands behind '--'"
                + (CommandPath.isCall(line) ? ": \(path.text) -- \(shellWord(name))" : "")
        }
        if let meant = OptionSpelling.meant(by: name, in: form) { return OptionSpelling.question(meant) }
        let longNames = form.options.compactMap(\.longName).filter { !isInternal($0) }
        // Two letters of a short option say nothing.
        let near =
            name.hasPrefix("--")
            ? Orthography.slips(
                of: String(name.dropFirst(2)), among: longNames.map { String($0.dropFirst(2)) })
            : []
        if !near.isEmpty { return "did you mean " + near.map { "'--\($0)'" }.joined(separator: " or ") + "?" }
        if path.words.isEmpty { return "options stand behind the command; see 'hubpair --help'" }
        return "see '\(path.text) --help'"
    }

    /// What belongs to the hub and not to one run of it, each with a value.
    private static let hubSettings = [
        "--port": "9000", "--upstream": "https://127.0.0.1:8443", "--name": "Kitchen",
    ]

    private static func isInternal(_ name: String) -> Bool {
        ["--help-hidden", "--experimental-dump-help"].contains(name)
    }
}
