import ArgumentParser
import Identity

/// A word that is not a command, in the place of one. ArgumentParser would call it an unexpected argument of
/// the default command, or complain about the options after it.
struct UnknownCommand: Equatable, UserError {
    /// The words before it.
    let parent: String
    let word: String
    /// The commands that could stand there.
    let commands: [String]

    /// Nil if every word in the place of a command is a command.
    init?(in arguments: [String], of root: any ParsableCommand.Type = Hubpair.self) {
        var type = root
        var words = [root._commandName]
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = type.configuration.subcommands
            // After an option it is not known which words are values.
            guard !subcommands.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let next = subcommands.first(where: { $0._commandName == argument }) else {
                parent = words.joined(separator: " ")
                word = argument
                commands = subcommands.map { $0._commandName }
                return
            }
            type = next
            words.append(argument)
        }
        return nil
    }

    var description: String {
        let words = parent.split(separator: " ").dropFirst() + [word[...]]
        return "there is no command '\(words.joined(separator: " "))'"
    }
    var kind: UserErrorKind { .usage }
    var hint: String? {
        let near = Orthography.suggestions(for: word, among: commands).map { "'\(parent) \($0)'" }
        if !near.isEmpty { return "did you mean \(near.joined(separator: " or "))?" }
        return "'\(parent)' takes \(commands.joined(separator: ", ")); see '\(parent) --help'"
    }
}
