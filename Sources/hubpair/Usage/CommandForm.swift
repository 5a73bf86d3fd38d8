import ArgumentParser

/// What one command takes: its options and its arguments, by their properties, which ArgumentParser reflects
/// on as well. For the words of a mistake only: nothing is parsed by it.
struct CommandForm {
    /// An option, or a flag.
    struct Known: Equatable {
        /// As it is typed: `--output`.
        let name: String
        let takesValue: Bool
        /// True if it may be said several times, each with a value of its own.
        var isList = false
        /// The words that it takes, if it takes only these.
        var choices: [String] = []
        var letter: String? { CommandForm.letters[name] }
    }

    private(set) var options = [
        Known(name: "--help", takesValue: false), Known(name: "--version", takesValue: false),
    ]
    /// At most so many arguments that are not options.
    private(set) var mostValues = 0
    /// The names of the arguments that are not options.
    private(set) var arguments: [String] = []
    /// What must be given, in capitals.
    private(set) var sample: [String] = []

    /// Names that are not those of their properties, by type and property.
    private static let names = [
        "StateOption.path": "state", "ConfigurationOption.path": "config", "Add.scenes": "in",
        "Add.sceneToRun": "run", "PassphraseOption.path": "passphrase-file", "ListCommand.types": "type",
        "HouseholdOptions.hubs": "hub", "OpenCommand.hubs": "hub", "CallCommand.hubs": "hub",
        "HomeTimerCommand.lasts": "for", "HomeTimerCommand.later": "in", "Request.names": "name",
        "Rotate.term": "for",
    ]
    private static let letters = ["--help": "-h", "--output": "-o", "--watch": "-w", "--yes": "-y"]

    /// The form of a command. One with a default subcommand takes what that takes.
    init(_ command: any ParsableCommand.Type) {
        let configuration = command.configuration
        // A command with others below it has nothing of its own.
        if let own = configuration.subcommands.isEmpty ? command : configuration.defaultSubcommand {
            add(own)
        }
    }

    fileprivate mutating func add(_ type: any ParsableArguments.Type) {
        for case (let label?, let part as any FormPart) in Mirror(reflecting: type.init()).children {
            let property = String(label.dropFirst())
            let name = property.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
            part.add(to: &self, CommandForm.names["\(type).\(property)"] ?? name)
        }
    }

    fileprivate mutating func addOption(
        _ name: String, takesValue: Bool, isList: Bool = false, choices: [String] = []
    ) {
        options.append(
            Known(name: "--\(name)", takesValue: takesValue, isList: isList, choices: choices))
    }

    fileprivate mutating func addArgument(_ name: String, isOptional: Bool, isList: Bool) {
        mostValues = isList || mostValues == .max ? .max : mostValues + 1
        arguments.append(name)
        let isSeveral = isList && name.hasSuffix("s")
        // Another program's options may all be left out.
        if !isOptional, name != "options" {
            sample.append((isSeveral ? String(name.dropLast()) : name).uppercased())
        }
    }

    /// The option of that name or letter.
    subscript(name: String) -> Known? { options.first { $0.name == name || $0.letter == name } }
}

private protocol FormPart {
    func add(to form: inout CommandForm, _ name: String)
}
extension Flag: FormPart {
    fileprivate func add(to form: inout CommandForm, _ name: String) {
        form.addOption(name, takesValue: false)
    }
}
extension Option: FormPart {
    fileprivate func add(to form: inout CommandForm, _ name: String) {
        form.addOption(
            name, takesValue: true, isList: "\(Value.self)".hasPrefix("Array<"), choices: words(Value.self))
    }

    private func words(_ type: Any.Type) -> [String] {
        if let outer = type as? any OuterType.Type { return words(outer.inner) }
        return (type as? any ExpressibleByArgument.Type)?.allValueStrings ?? []
    }
}

/// A type around that of an option's value.
private protocol OuterType { static var inner: Any.Type { get } }
extension Optional: OuterType { fileprivate static var inner: Any.Type { Wrapped.self } }
extension Array: OuterType { fileprivate static var inner: Any.Type { Element.self } }

extension Argument: FormPart {
    fileprivate func add(to form: inout CommandForm, _ name: String) {
        let type = "\(Value.self)"
        form.addArgument(name, isOptional: type.hasPrefix("Optional<"), isList: type.hasPrefix("Array<"))
    }
}
extension OptionGroup: FormPart {
    fileprivate func add(to form: inout CommandForm, _ name: String) { form.add(Value.self) }
}

/// The arguments of one command, told apart as ArgumentParser does it.
struct CommandWords {
    /// The arguments that are neither options nor their values.
    private(set) var values: [String] = []
    /// Where the last of them stands in the arguments; an option's value can be the same word.
    private(set) var lastValue: Int?
    /// The first option that the command does not have, as it was typed, without its value.
    private(set) var unknownOption: String?
    /// True if an option lacks its value.
    private(set) var isValueMissing = false
    /// The first option that takes one value and has two: the last one would count, without a word.
    private(set) var repeatedOption: String?

    init(_ arguments: [String], form: CommandForm) {
        var rest = arguments[...]
        var given: [String: String] = [:]
        func note(_ option: CommandForm.Known, _ value: String) {
            let before = given.updateValue(value, forKey: option.name)
            if !option.isList, before ?? value != value { repeatedOption = repeatedOption ?? option.name }
        }
        while let argument = rest.popFirst() {
            if argument == "--" {
                values += rest
                if !rest.isEmpty { lastValue = rest.endIndex - 1 }
                return
            }
            let name = String(argument.prefix { $0 != "=" })
            if !argument.hasPrefix("-") || argument == "-" {
                values.append(argument)
                lastValue = rest.startIndex - 1
            } else if let option = form[name] {
                guard option.takesValue else { continue }
                guard name == argument else {
                    note(option, String(argument.dropFirst(name.count + 1)))
                    continue
                }
                // A number may look like an option: `--timeout -1` is out of range.
                if let next = rest.first, !next.hasPrefix("--"), form[next] == nil {
                    note(option, next)
                    rest.removeFirst()
                } else {
                    isValueMissing = true
                }
            } else if !CommandWords.isShort(argument, form) {
                unknownOption = unknownOption ?? name
            }
        }
    }

    /// True for flags in one word (`-wy`) and for a short option with its value attached (`-ocode.png`).
    private static func isShort(_ argument: String, _ form: CommandForm) -> Bool {
        guard !argument.hasPrefix("--"), let first = argument.dropFirst().first,
            let option = form["-\(first)"]
        else { return false }
        return option.takesValue || argument.dropFirst().allSatisfy { form["-\($0)"]?.takesValue == false }
    }
}
