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
        if let line = otherOrder { return line }
        if let same = sameWord { return SuggestedLine.question([CommandPath.line(parent + [same], rest)]) }
        if let hint = CommandSynonyms.hint(for: word, below: parent, before: rest) { return hint }
        let near = Orthography.slips(of: word, among: commands).filter {
            !UnknownCommand.destructive.contains($0)
                || word.count > 4 && Orthography.distance(word.lowercased(), $0, limit: 1) != nil
        }
        if near.isEmpty, parent == ["home"], let hint = CommandSynonyms.appliance([word] + rest) {
            return hint
        }
        if !near.isEmpty { return SuggestedLine.question(near.map { CommandPath.line(parent + [$0], rest) }) }
        if let words = apart { return SuggestedLine.question([CommandPath.line(parent + words, rest)]) }
        let command = (["hubpair"] + parent).joined(separator: " ")
        return "'\(command)' takes \(commands.joined(separator: ", ")); see '\(command) --help'"
    }

    /// `hubpair hubpair list`, `hubpair sudo print`, `devices laptop revoke`.
    private var otherOrder: String? {
        switch (word, rest.first) {
        case ("hubpair", _) where parent.isEmpty && CommandPath.isCall(rest):
            return SuggestedLine.question([CommandPath.line([], rest)])
        case ("sudo", _) where parent.isEmpty && CommandPath.isCall(rest):
            return "sudo comes first: sudo \(CommandPath.line([], rest))"
        case (_, let next?) where !parent.isEmpty && commands.contains(next):
            let line = parent + [next, word] + rest.dropFirst()
            guard CommandPath.isCall(line) else { return nil }
            return SuggestedLine.question([CommandPath.line(parent + [next], [word] + rest.dropFirst())])
        default: return nil
        }
    }

    /// The command that the word is in capitals, or with an s more or less; of the latter only if what stands
    /// behind it belongs to that command, since many words mean another one.
    private var sameWord: String? {
        let lowered = word.lowercased()
        if commands.contains(lowered) { return lowered }
        return commands.first { command in
            guard command + "s" == lowered || command == lowered + "s" else { return false }
            let path = CommandPath(parent + [command] + rest)
            return path.words.count > parent.count + 1
                || CommandSynonyms.hint(for: word, below: parent, before: rest) == nil
        }
    }

    /// `hub-backup`, `hub_backup`, `hubbackup`: a command and one below it in one word.
    private var apart: [String]? {
        let lowered = word.lowercased()
        for command in commands where lowered.hasPrefix(command) {
            let second = lowered.dropFirst(command.count).drop { "-_.:/".contains($0) }
            let path = CommandPath(parent + [command, String(second)])
            if path.rest.isEmpty { return [command, String(second)] }
        }
        return nil
    }
}
