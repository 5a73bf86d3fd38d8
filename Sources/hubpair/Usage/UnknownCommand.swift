import ArgumentParser
import Identity

/// A word that is not a command, in the place of one. ArgumentParser would call it an unexpected argument of
/// the default command, or complain about the options after it.
struct UnknownCommand: Equatable, UserError {
    /// The words before it, without `hubpair`.
    let parent: [String]
    let word: String
    /// The arguments behind it.
    let rest: [String]
    /// The commands that could stand there.
    let commands: [String]

    /// What undoes something for good: a slip of one letter is taken for it, a likeness is not.
    private static let destructive = ["revoke", "forget", "reset", "remove", "void", "prune"]

    /// Nil if every word in the place of a command is a command.
    init?(in arguments: [String]) {
        let isHelp = arguments.first == "help"
        let path = CommandPath(isHelp ? Array(arguments.dropFirst()) : arguments)
        let subcommands = path.command.configuration.subcommands
        // After an option it is not known which words are values.
        guard !subcommands.isEmpty, let word = path.rest.first, !word.hasPrefix("-"), word != "help" else {
            return nil
        }
        parent = path.words
        self.word = word
        rest = isHelp ? [] : Array(path.rest.dropFirst())
        commands = subcommands.map { $0._commandName }
    }

    var description: String { "there is no command '\((parent + [word]).joined(separator: " "))'" }
    var kind: UserErrorKind { .usage }
    var hint: String? {
        if let hint = CommandSynonyms.hint(for: word, below: parent, before: rest) { return hint }
        let near = Orthography.slips(of: word, among: commands).filter {
            !UnknownCommand.destructive.contains($0)
                || word.count > 4 && Orthography.distance(word.lowercased(), $0, limit: 1) != nil
        }
        if !near.isEmpty { return SuggestedLine.question(near.map { SuggestedLine(parent + [$0], rest) }) }
        let command = (["hubpair"] + parent).joined(separator: " ")
        return "'\(command)' takes \(commands.joined(separator: ", ")); see '\(command) --help'"
    }
}
