import ArgumentParser
import Home
import Identity

/// A word that is not a command, in the place of one. ArgumentParser would call it an unexpected argument of
/// the default command, or complain about the options after it.
struct UnknownCommand {
    /// The words before it, without `hubpair`.
    private let parent: [String]
    private let word: String
    /// The arguments behind it.
    private let rest: [String]
    /// The commands that could stand there.
    private let commands: [String]

    /// What undoes something for good: a slip of one letter is taken for it, a likeness is not.
    private static let destructive = ["revoke", "forget", "reset", "remove", "void", "prune"]

    /// `home Kitchen light`, `home room Kitchen`, `home scene evening`: a noun where a command may stand is
    /// shown.
    ///
    /// - Returns: the arguments that show it; nil if the word may be a command in another spelling.
    static func shown(in arguments: [String]) -> [String]? {
        let path = CommandPath(arguments)
        guard let command = showing(path.words), let first = path.rest.first, !first.hasPrefix("-"),
            path.words != ["hubs"] || first.first?.isUppercase == true,
            let unknown = found(in: arguments)?.0, unknown.otherOrder == nil,
            // `home lock` is an appliance of that name.
            unknown.meant == nil
                || path.rest.count == 1 && CommandSynonyms.beginsSentence(first, below: path.words)
                // A name, and no slip of `use`.
                || path.words == ["hubs"] && path.rest.count == 1
        else { return nil }
        let name = path.rest.prefix { !$0.hasPrefix("-") }
        // `home Lamp toggle`, `home room Kitchen off` are no names.
        guard name.count == 1 || unknown.order == nil else { return nil }
        return path.words + [command, name.joined(separator: " ")] + path.rest.dropFirst(name.count)
    }

    /// The command that shows one of what the words before it are about.
    static func showing(_ words: [String]) -> String? {
        ["home": "show", "home scene": "show", "home room": "list", "hubs": "show"][
            words.joined(separator: " ")]
    }

    /// Nil if every word in the place of a command is a command.
    static func mistake(in arguments: [String]) -> UsageMistake? {
        guard let (unknown, path) = found(in: arguments) else { return nil }
        return UsageMistake(
            "there is no command '\((path.words + [unknown.word]).joined(separator: " "))'",
            hint: unknown.otherOrder ?? unknown.meant ?? unknown.offered(by: path))
    }

    /// What there is instead. A noun's name stands behind one of its commands.
    private func offered(by path: CommandPath) -> String {
        let takes = "takes \(commands.joined(separator: ", ")); \(path.seeHelp)"
        let listsAll = path.command.configuration.defaultSubcommand?.configuration.commandName == "list"
        return listsAll ? "'\(path.text)' alone shows all, and \(takes)" : "'\(path.text)' \(takes)"
    }

    private static func found(in arguments: [String]) -> (UnknownCommand, CommandPath)? {
        let isHelp = arguments.first == "help"
        let path = CommandPath(isHelp ? Array(arguments.dropFirst()) : arguments)
        let commands = path.command.configuration.subcommands.compactMap { $0.configuration.commandName }
        // After an option it is not known which words are values.
        guard !commands.isEmpty, let word = path.rest.first, !word.hasPrefix("-"), word != "help" else {
            return nil
        }
        let unknown = UnknownCommand(
            parent: path.words, word: word, rest: isHelp ? [] : Array(path.rest.dropFirst()),
            commands: commands)
        return (unknown, path)
    }

    private var synonym: String? { CommandSynonyms.hint(for: word, below: parent, before: rest) }

    /// `home Lamp toggle`, `home room Kitchen off`: a name, and behind it what is to be done.
    private var order: String? {
        if parent == ["home"], rest.last?.lowercased() == "toggle" {
            return CommandSynonyms.hint(for: "toggle", below: parent, before: [])
        }
        let words = [word] + rest
        // `home scene evening on`, `home scene on evening`
        if parent == ["home", "scene"], words.count > 1 {
            let name = words.filter { GermanOrder.switched($0) != "on" }
            guard !name.isEmpty, name.count < words.count else { return nil }
            return SuggestedLine.question(
                SuggestedLine(["home", "scene", "run"], [name.joined(separator: " ")]))
        }
        guard parent == ["home", "room"] else { return nil }
        // `home room Kitchen 'Desk lamp'`
        let known = NameCompletion.known(CommandPath(["home", "show"] + rest)).map { $0.lowercased() }
        if rest.count == 1, known.contains(rest[0].lowercased()) {
            return SuggestedLine.question(SuggestedLine(["home", "room", "put"], words))
        }
        let line = CommandSynonyms.roomSwitch(words)
        return line.map { SuggestedLine.question($0) }
    }

    private var meant: String? {
        if let order { return order }
        if synonym == nil, parent.isEmpty || parent == ["home"],
            let line = GermanOrder.line([word] + rest)
        {
            return SuggestedLine.question(line)
        }
        // `turn_on`, as Home Assistant's services are called.
        let parts = word.split(separator: "_").map(String.init)
        if parts.count > 1, CommandSynonyms.beginsSentence(parts[0], below: parent) {
            return CommandSynonyms.hint(for: parts[0], below: parent, before: parts.dropFirst() + rest)
        }
        if parent == ["messages"], Int(digits: word) != nil { return question(["read", word]) }
        // `home blinds down`
        if parent == ["home"], let verb = ["up": "raise", "down": "lower"][rest.last?.lowercased() ?? ""] {
            return SuggestedLine.question(SuggestedLine(["home", "say"], [verb, word] + rest.dropLast()))
        }
        if let same = sameWord { return question([same]) }
        if let synonym { return synonym }
        if let option = UnknownOption.meant(
            by: word == "?" ? "/help" : word.replacing("/?", with: "/help"), in: CommandForm(Hubpair.self))
        {
            return UnknownOption.question(option)
        }
        if let inner { return SuggestedLine.question(SuggestedLine(parent, inner + rest)) }
        if let below { return SuggestedLine.question(below.map { SuggestedLine($0, rest) }) }
        // `hub join http://127.0.0.1:8123`
        if parent == ["hub", "join"], word.contains("://") {
            let kind = word.lowercased().hasPrefix("mqtt") ? "mqtt" : "home-assistant"
            return SuggestedLine.question(SuggestedLine(parent + [kind], [word] + rest))
        }
        // `hub names kitchen.example.org`
        if word.contains("."), !word.hasPrefix("."), [["hub", "names"], ["hub", "ways"]].contains(parent) {
            return SuggestedLine.question(SuggestedLine(parent + ["add"], [word] + rest))
        }
        let near = Orthography.slips(of: word, among: commands).filter {
            !UnknownCommand.destructive.contains($0)
                || word.count > 4 && Orthography.distance(word.lowercased(), $0, limit: 1) != nil
        }
        if near.isEmpty, let appliance { return appliance }
        return near.isEmpty
            ? apart.map(question) : SuggestedLine.question(near.map { SuggestedLine(parent + [$0], rest) })
    }

    private func question(_ words: [String]) -> String {
        SuggestedLine.question(SuggestedLine(parent + words, rest))
    }

    /// `hubpair 'list --json'`: a whole line that was typed as one word.
    private var inner: [String]? {
        let words = word.split(whereSeparator: \.isWhitespace).map(String.init)
        return words.count > 1 && CommandPath.isCall(parent + words + rest) ? words : nil
    }

    /// `hubpair ways`, `hubpair timers`: a command that stands below another.
    private var below: [[String]]? {
        guard parent.isEmpty else { return nil }
        let lowered = word.lowercased()
        let found = commands.flatMap { command in
            CommandPath([command]).command.configuration.subcommands
                .compactMap { $0.configuration.commandName }.filter { $0 == lowered || $0 + "s" == lowered }
                .map { [command, $0] }
        }
        return (1...3).contains(found.count) ? found : nil
    }

    /// `hubpair hubpair list`, `hubpair sudo print`, `devices laptop revoke`, a word twice.
    private var otherOrder: String? {
        switch (word, rest.first) {
        case ("hubpair", _) where parent.isEmpty && CommandPath.isCall(rest):
            return SuggestedLine.question(SuggestedLine([], rest))
        case ("sudo", _) where parent.isEmpty && CommandPath.isCall(rest):
            return "sudo comes first: sudo \(SuggestedLine([], rest))"
        // `please list`
        case ("please", _) where parent.isEmpty && CommandPath.isCall(rest):
            return SuggestedLine.question(SuggestedLine([], rest))
        // `home home set Lamp on`
        case (parent.last, _) where CommandPath.isCall(parent + rest):
            return SuggestedLine.question(SuggestedLine(parent, rest))
        // `show devices`
        case ("show", let next?) where parent.isEmpty && next != "home" && commands.contains(next),
            ("zeige", let next?) where parent.isEmpty, ("zeig", let next?) where parent.isEmpty:
            if commands.contains(next), CommandPath.isCall(rest) {
                return SuggestedLine.question(SuggestedLine([], rest))
            }
            return CommandSynonyms.hint(for: next, below: [], before: Array(rest.dropFirst()))
        // `home room Kitchen add Lamp`: a room that there is gets more.
        case (_, "add") where parent == ["home", "room"] && rest.count > 1:
            return SuggestedLine.question(SuggestedLine(parent + ["put"], [word] + rest.dropFirst()))
        // `room home remove Kitchen`
        case (_, let next?) where parent.isEmpty && commands.contains(next):
            let words = [next, word] + rest.dropFirst()
            guard CommandPath(words).words.count > 1, CommandPath.isCall(words) else { return nil }
            return SuggestedLine.question(SuggestedLine([], words))
        case (_, let next?) where !parent.isEmpty && commands.contains(next):
            let words = [word] + rest.dropFirst()
            guard CommandPath.isCall(parent + [next] + words) else { return nil }
            return SuggestedLine.question(SuggestedLine(parent + [next], words))
        default: return nil
        }
    }

    /// The command that the word is in capitals, or with an s more or less; of the latter only if what stands
    /// behind it belongs to that command, since many words mean another one.
    private var sameWord: String? {
        let lowered = word.lowercased()
        if commands.contains(lowered) { return lowered }
        return commands.first { command in
            (command + "s" == lowered || command == lowered + "s")
                && (CommandPath(parent + [command] + rest).words.count > parent.count + 1 || synonym == nil)
        }
    }

    /// `hub-backup`, `hub_backup`, `hubbackup`: a command and one below it in one word.
    private var apart: [String]? {
        let lowered = word.lowercased()
        return commands.lazy.filter(lowered.hasPrefix).map { command in
            [command, String(lowered.dropFirst(command.count).drop { "-_.:/".contains($0) })]
        }.first { CommandPath(parent + $0).rest.isEmpty }
    }

    /// `home Lamp 40`: of an appliance that is known.
    private func percentage(_ word: String, of name: some Sequence<String>) -> String? {
        guard parent == ["home"], CommandSynonyms.isPercentage(word), Int(digits: word) != nil,
            CommandSynonyms.isAppliance(name.joined(separator: " "))
        else { return nil }
        return word + "%"
    }

    /// `home Lamp on`, `lamp on`: the name of an appliance in the place of a command.
    private var appliance: String? {
        let words = [word] + rest
        guard parent == ["home"] || parent.isEmpty, words.count > 1, !words.contains(""),
            let last = words.last
        else { return nil }
        let switched = GermanOrder.switched(last) ?? percentage(last, of: words.dropLast())
        // `exec House 5` is no order.
        guard switched != nil || parent == ["home"] && (try? Setting(last)) != nil else { return nil }
        let name = words.dropLast().joined(separator: " ")
        return SuggestedLine.question(SuggestedLine(["home", "set"], [name, switched ?? last]))
    }
}
