import ArgumentParser
import Home
import Identity
import Pairing

/// The command that the first arguments name, as far as they are the words of one.
struct CommandPath {
    private(set) var command: any ParsableCommand.Type = Hubpair.self
    /// Without `hubpair`.
    private(set) var words: [String] = []
    /// The arguments behind the words.
    let rest: [String]

    init(_ arguments: [String]) {
        var rest = arguments[...]
        while let word = rest.first, let next = CommandPath.subcommand(word, of: command) {
            command = next
            words.append(word)
            rest.removeFirst()
        }
        self.rest = Array(rest)
    }

    var form: CommandForm { CommandForm(command) }

    /// `hubpair home set`
    var text: String { (["hubpair"] + words).joined(separator: " ") }

    /// `see 'hubpair home set --help'`
    var seeHelp: String { "see '\(text) --help'" }

    static func subcommand(
        _ word: String, of type: any ParsableCommand.Type
    ) -> (any ParsableCommand.Type)? {
        type.configuration.subcommands.first { $0.configuration.commandName == word }
    }

    /// True if these arguments, without `hubpair`, are a call that its command takes.
    static func isCall(_ arguments: [String]) -> Bool {
        let path = CommandPath(arguments)
        let configuration = path.command.configuration
        // A command that only has others below it does nothing by itself.
        guard
            path.words.isEmpty || configuration.subcommands.isEmpty || configuration.defaultSubcommand != nil
        else { return false }
        if path.words == ["pair"] {
            // It asks a terminal for the picture.
            let words = CommandWords(path.rest, form: path.form)
            return words.unknownOption == nil && !words.isValueMissing && words.values.count <= 1
        }
        do {
            _ = try path.command.parseAsRoot(path.rest)
            return true
        } catch {
            return path.command.exitCode(for: error) != .validationFailure
        }
    }
}

/// A command line that somebody may have meant: one that can be typed, with words in capitals to be replaced.
struct SuggestedLine: Equatable, CustomStringConvertible {
    /// Longer than two rows of a terminal it is no help.
    private static let maximumByteCount = 160

    /// What a command needs at least, where that is more than its arguments.
    private static let samples = [
        "call": "GET /devices/", "devices prune": "180d", "devices role": "DEVICE guest",
        "codes void": "CODE", "hubs add": "NAME HOST", "home set": "APPLIANCE on", "home off": "--all",
        "home on": "--room ROOM", "home history": "APPLIANCE", "messages read": "all",
        "messages acknowledge": "NUMBER", "home rule add": "NAME APPLIANCE --when on", "home scene": "list",
        "home scene save": "NAME", "home scene set": "NAME APPLIANCE on", "home scene at": "NAME 07:30",
        "home room add": "NAME", "devices add": "NAME --output FILE",
        "hub join home-assistant": "http://127.0.0.1:8123 --token-file FILE",
    ]

    /// Without `hubpair`.
    let arguments: [String]

    /// The words of a command with these arguments behind them, or with a sample of what it takes if they do
    /// not fit.
    init(_ command: [String], _ rest: [String] = []) {
        let whole = command + rest
        if !rest.isEmpty, SuggestedLine.isSayable(whole), CommandPath.isCall(whole) {
            arguments = whole
        } else if let first = rest.first, !first.hasPrefix("-"), let show = UnknownCommand.showing(command),
            CommandPath.subcommand(first, of: CommandPath(command).command) == nil,
            SuggestedLine.isSayable(whole),
            CommandPath.isCall(SuggestedLine.shown(rest, by: command + [show]))
        {
            // `home scene evening` is taken as well.
            arguments = SuggestedLine.shown(rest, by: command + [show])
        } else {
            let path = CommandPath(command)
            let sample =
                SuggestedLine.samples[command.joined(separator: " ")]?.split(separator: " ").map(String.init)
                ?? path.form.sample
            let words = sample.map { command.first == "home" && $0 == "DEVICE" ? "APPLIANCE" : $0 }
            // `timer cancel Lamp`; `room delete Kitchen --yes`: without what this command does not take.
            let loose = LooseWords.read(LooseOrder.read(whole))
            let given = CommandWords(rest, form: path.form).values
            let filled = command + SuggestedLine.placed(given, in: words)
            arguments =
                [loose, filled].first {
                    !given.isEmpty && SuggestedLine.isSayable($0) && CommandPath.isCall($0)
                } ?? command + words
        }
    }

    private static func shown(_ rest: [String], by command: [String]) -> [String] {
        let name = rest.prefix { !$0.hasPrefix("-") }
        return command + [name.joined(separator: " ")] + rest.dropFirst(name.count)
    }

    /// What was typed, with a sample of what is missing behind it: `home rename Lamp NAME`.
    init(completing path: CommandPath) {
        let whole = SuggestedLine(path.words)
        let given = CommandWords(path.rest, form: path.form).values
        let sample = Array(whole.arguments.dropFirst(path.words.count))
        let words = path.words + SuggestedLine.placed(given, in: sample)
        arguments = !given.isEmpty && SuggestedLine.isSayable(words) ? words : whole.arguments
    }

    /// The values in a sample's places: each where it looks like what stands there, as an address or a time
    /// does, else in the next one.
    private static func placed(_ values: [String], in sample: [String]) -> [String] {
        var words = sample
        var next = 0
        for value in values {
            let place = (next..<max(next, sample.count)).first { looks(value, like: sample[$0]) } ?? next
            if place < words.count { words[place] = value } else { words.append(value) }
            next = place + 1
        }
        return words
    }

    private static func looks(_ value: String, like sample: String) -> Bool {
        switch sample {
        case "URL": value.contains("://") || UInt16(value) != nil
        case "HOST": value.contains(".") && !value.contains(" ")
        case "07:30": SaidTime.clock(value) != nil || SaidTime.sun(value) != nil
        case "180d": SaidTime.span(value) != nil
        case "guest": Role(rawValue: value.lowercased()) != nil
        case "APPLIANCE": CommandSynonyms.isAppliance(value)
        case "on": (try? Setting(value)) != nil
        default: false
        }
    }

    /// As it is typed at a shell.
    var description: String { SuggestedLine.text(arguments) }

    /// `did you mean 'hubpair list'?`
    static func question(_ lines: SuggestedLine...) -> String { question(lines) }
    static func question(_ lines: [SuggestedLine]) -> String {
        let texts = lines.map(\.description)
        // Quotation marks around quotation marks could not be pasted.
        guard !texts.contains(where: { $0.contains("'") }) else {
            return "did you mean: " + texts.joined(separator: ", or: ")
        }
        return "did you mean " + texts.map { "'\($0)'" }.joined(separator: " or ") + "?"
    }

    private static func text(_ arguments: [String]) -> String {
        // No shell reads anything into these behind the first word.
        (["hubpair"] + arguments.map { shellWord($0, plain: ":%@,+") }).joined(separator: " ")
    }

    /// False if it would be shown otherwise than it must be typed, or has an empty word, which none takes.
    private static func isSayable(_ arguments: [String]) -> Bool {
        guard arguments.allSatisfy({ !$0.isEmpty && !$0.hasSuffix("=") }) else { return false }
        let text = text(arguments)
        return text.utf8.count <= maximumByteCount && SafeText.escaped(text) == text
    }
}

extension UsageMistake {
    /// With the command line that was meant as the hint.
    init(_ description: String, meant command: [String], _ rest: [String]) {
        self.init(description, hint: SuggestedLine(command, rest).description)
    }
}
