import ArgumentParser
import FoundationEssentials
import Identity

/// A word where a command stands, and is none. ArgumentParser calls it an unexpected argument of the command that it
/// would have run, or complains about the options behind it.
struct UnknownCommand: Equatable, UserError {
    /// The words before it.
    let parent: String
    let word: String
    /// The commands that could stand there.
    let commands: [String]

    /// Nil if every word where a command stands is one.
    init?(in arguments: [String], of root: any ParsableCommand.Type = Hubpair.self) {
        var type = root
        var words = [root._commandName]
        for argument in arguments.first == "help" ? arguments.dropFirst() : arguments[...] {
            let subcommands = type.configuration.subcommands
            // After an option nobody knows which word is its value.
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
