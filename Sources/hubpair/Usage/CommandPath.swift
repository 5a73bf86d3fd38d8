import ArgumentParser

/// The command that the first arguments name, as far as they are the words of one.
struct CommandPath {
    /// The root and the commands below it.
    private(set) var types: [any ParsableCommand.Type] = [Hubpair.self]
    /// Without `hubpair`.
    private(set) var words: [String] = []
    /// The arguments behind the words.
    let rest: [String]

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let word = rest.first, let next = CommandPath.subcommand(word, of: types.last ?? Hubpair.self) {
            types.append(next)
            words.append(word)
            rest.removeFirst()
        }
        self.rest = Array(rest)
    }

    /// The command that the words name.
    var command: any ParsableCommand.Type { types.last ?? Hubpair.self }

    var form: CommandForm { CommandForm(command) }

    /// `hubpair home set`
    var text: String { (["hubpair"] + words).joined(separator: " ") }

    static func subcommand(
        _ word: String, of type: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        type.configuration.subcommands.first { $0._commandName == word }
    }

    /// The words of a command with these arguments behind them, or with a sample of what it takes if they do
    /// not fit.
    static func line(_ command: [String], _ rest: [String]) -> SuggestedLine {
        SuggestedLine(command, rest, isCall: isCall)
    }

    /// True if these arguments, without `hubpair`, are a call that its command takes.
    static func isCall(_ arguments: [String]) -> Bool {
        let path = CommandPath(arguments)
        guard !path.words.isEmpty else { return path.form.takes(path.rest) }
        // A command that only has others below it does nothing by itself.
        let configuration = path.command.configuration
        guard configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil else {
            return false
        }
        guard path.form.takes(path.rest) else { return false }
        // `pair` asks a terminal for the picture.
        return path.words == ["pair"] || isParsed(arguments)
    }

    /// False if a value has another form than its option takes, or an option is missing.
    private static func isParsed(_ arguments: [String]) -> Bool {
        do {
            _ = try Hubpair.parseAsRoot(arguments)
            return true
        } catch {
            return Hubpair.exitCode(for: error) != .validationFailure
        }
    }
}
