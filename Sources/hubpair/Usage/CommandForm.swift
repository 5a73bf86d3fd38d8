import ArgumentParser
import JSON

/// A command with options that stand for one of its arguments, as in `home set --room Kitchen on`.
protocol ReplacingAnArgument {
    /// The options' names.
    static var standIns: [String] { get }
}

/// What one command takes: its options and its arguments, as ArgumentParser describes them.
///
/// Read only after a mistake: the description goes through JSON, and takes a few milliseconds.
struct CommandForm {
    /// An option, or a flag.
    struct Option: Equatable {
        /// As they are typed: `--output`, `-o`.
        let names: [String]
        let takesValue: Bool
        /// Its value may look like an option: `--timeout -1` is a number out of range.
        let takesAnyWord: Bool

        var longName: String? { names.first { $0.hasPrefix("--") } }
    }

    let options: [Option]
    /// The least and the most number of arguments that are not options.
    let valueCount: ClosedRange<Int>
    /// Options that stand for one of the arguments.
    private let standIns: [String]

    /// Those that every command takes, and ArgumentParser describes nowhere.
    private static let everywhere = [
        Option(names: ["--help", "-h"], takesValue: false, takesAnyWord: false),
        Option(names: ["--help-hidden"], takesValue: false, takesAnyWord: false),
        Option(names: ["--version"], takesValue: false, takesAnyWord: false),
        Option(names: ["--experimental-dump-help"], takesValue: false, takesAnyWord: false),
        Option(names: ["--generate-completion-script"], takesValue: true, takesAnyWord: false),
    ]

    /// The form of a command. One with a default subcommand takes what that takes.
    init(_ command: any ParsableCommand.Type) {
        var options: [Option] = []
        var least = 0
        var most = 0
        let configuration = command.configuration
        // A command with others below it has nothing of its own, and its description would hold all theirs.
        let own = configuration.subcommands.isEmpty ? command : configuration.defaultSubcommand
        for argument in own.map(CommandForm.arguments) ?? [] {
            let isOptional = argument["isOptional"] == .boolean(true)
            switch argument["kind"]?.asString {
            case "positional":
                least += isOptional ? 0 : 1
                most = argument["isRepeating"] == .boolean(true) || most == .max ? .max : most + 1
            case let kind:
                options.append(
                    Option(
                        names: CommandForm.names(argument), takesValue: kind == "option",
                        takesAnyWord: argument["parsingStrategy"]?.asString == "unconditional"))
            }
        }
        self.options = options + CommandForm.everywhere
        // To ArgumentParser one argument is optional then; the command's `validate` knows when.
        standIns = (command as? any ReplacingAnArgument.Type)?.standIns ?? []
        if !standIns.isEmpty { least += 1 }
        valueCount = least...max(least, most)
    }

    /// The option that is called so.
    subscript(name: String) -> Option? { options.first { $0.names.contains(name) } }

    /// True if these arguments have the form: every option is known, and there are as many values as needed.
    func takes(_ arguments: [String]) -> Bool {
        let words = CommandWords(arguments, form: self)
        let isRightCount =
            hasStandIn(arguments)
            ? words.values.count == valueCount.lowerBound - 1 : valueCount.contains(words.values.count)
        return words.unknownOption == nil && !words.isValueMissing && isRightCount
    }

    /// True if an option stands for one of the arguments.
    func hasStandIn(_ arguments: [String]) -> Bool {
        arguments.contains { word in standIns.contains { word == $0 || word.hasPrefix($0 + "=") } }
    }

    private static func arguments(of command: any ParsableCommand.Type) -> [[String: JSONValue]] {
        guard case .object(let root)? = JSONValue(parsing: Array(command._dumpHelp().utf8)),
            case .object(let members)? = root["command"], case .array(let arguments)? = members["arguments"]
        else { return [] }
        return arguments.compactMap(\.asObject)
    }

    private static func names(_ argument: [String: JSONValue]) -> [String] {
        guard case .array(let names)? = argument["names"] else { return [] }
        return names.compactMap { name in
            guard let name = name.asObject, let text = name["name"]?.asString else { return nil }
            return (name["kind"]?.asString == "long" ? "--" : "-") + text
        }
    }
}

/// The arguments of one command, told apart as ArgumentParser does it.
struct CommandWords {
    /// The arguments that are neither options nor their values.
    private(set) var values: [String] = []
    /// The first option that the command does not have, as it was typed, without its value.
    private(set) var unknownOption: String?
    /// True if the last option lacks its value.
    private(set) var isValueMissing = false

    init(_ arguments: [String], form: CommandForm) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                values += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                values.append(argument)
                continue
            }
            let name = String(argument.prefix { $0 != "=" })
            guard let option = form[name] else {
                if !CommandWords.isShort(argument, form) { unknownOption = unknownOption ?? name }
                continue
            }
            guard option.takesValue, name == argument else { continue }
            if let next = rest.first, option.takesAnyWord || next == "-" || !next.hasPrefix("-") {
                rest.removeFirst()
            } else {
                isValueMissing = true
            }
        }
    }

    /// True for flags in one word (`-wy`) and for a short option with its value attached (`-ocode.png`).
    private static func isShort(_ argument: String, _ form: CommandForm) -> Bool {
        guard !argument.hasPrefix("--") else { return false }
        let letters = argument.dropFirst()
        guard let first = letters.first, let option = form["-\(first)"] else { return false }
        return option.takesValue || letters.allSatisfy { form["-\($0)"]?.takesValue == false }
    }
}
