import ArgumentParser

/// From the arguments to the command that is run.
enum Invocation {
    /// More words than this are not searched for a command behind options.
    private static let maximumCount = 64

    /// Reads the arguments without `hubpair`.
    ///
    /// - Throws: `UsageMistake`, or what ArgumentParser says.
    static func command(from arguments: [String], mayMove: Bool = true) throws -> any ParsableCommand {
        let said = UnknownCommand.shown(in: arguments) ?? arguments
        let arguments = try NegativeSetting.moved(LooseWords.read(LooseOrder.read(said)))
        let path = CommandPath(arguments)
        if let mistake = unknownShell(arguments) ?? UnknownCommand.mistake(in: arguments)
            ?? UnknownOption.mistake(behindOneDash: path)
        {
            throw mistake
        }
        if let option = CommandWords(path.rest, form: path.form).repeatedOption {
            throw UsageMistake("\(option) is given twice, with two values", hint: "leave one \(option)")
        }
        if let mistake = everyHub(path) { throw mistake }
        if let command = direct(path) { return command }
        do {
            return try Hubpair.parseAsRoot(arguments)
        } catch  where Hubpair.exitCode(for: error) == .validationFailure {
            if mayMove, let moved = moved(arguments) { return try command(from: moved, mayMove: false) }
            throw UnknownOption.mistake(in: arguments) ?? StrayArgument.mistake(in: path) ?? error
        }
    }

    /// `home off --all --hub all`: another option is for all hubs, and none that is known is called so.
    private static func everyHub(_ path: CommandPath) -> UsageMistake? {
        guard let index = path.rest.firstIndex(of: "--hub"), index + 1 < path.rest.count,
            ["all", "alle", "*"].contains(path.rest[index + 1].lowercased()), path.form["--all-hubs"] != nil,
            !NameCompletion.known(CommandPath(["hubs", "show"] + path.rest)).map({ $0.lowercased() })
                .contains(path.rest[index + 1].lowercased())
        else { return nil }
        var rest = path.rest
        rest.replaceSubrange(index...index + 1, with: ["--all-hubs"])
        return UsageMistake(
            "--hub names one hub", hint: SuggestedLine.question(SuggestedLine(path.words, rest)))
    }

    /// What the command makes of its arguments by itself: from the root ArgumentParser reads the forms of all
    /// commands. Nil for what is no plain call: the root, whose messages, help and completion scripts know
    /// the way to the command, answers that.
    static func direct(_ path: CommandPath) -> (any ParsableCommand)? {
        let configuration = path.command.configuration
        guard !path.words.isEmpty,
            let leaf = configuration.subcommands.isEmpty ? path.command : configuration.defaultSubcommand,
            let command = try? leaf.parseAsRoot(path.rest), type(of: command) == leaf
        else { return nil }
        return command
    }

    /// `--state D devices`, `--json list`, `devices --state D revoke X`: the options behind the command's
    /// words. Many tools take them in front, ArgumentParser only behind the command that has them.
    ///
    /// - Returns: nil if none is in front, or if they are not all the command's own.
    static func moved(_ arguments: [String]) -> [String]? {
        guard arguments.count <= maximumCount else { return nil }
        var found: [[String]] = []
        search(arguments, from: 0, below: Hubpair.self, words: [], options: [], &found)
        // The deepest command that takes the whole; else the deepest, for its error.
        let deepest = found.reversed()
        return deepest.first(where: CommandPath.isCall) ?? deepest.first
    }

    /// Adds every way to read the arguments as a command with options in front, the shallow ones first.
    private static func search(
        _ arguments: [String], from start: Int, below type: any ParsableCommand.Type, words: [String],
        options: [String], _ found: inout [[String]]
    ) {
        for index in start..<arguments.count {
            // Words that are no options may be values of one, never the first.
            guard arguments[index] != "--", arguments[start].hasPrefix("-") || index == start else { return }
            guard let next = CommandPath.subcommand(arguments[index], of: type) else { continue }
            let words = words + [arguments[index]]
            let options = options + arguments[start..<index]
            let read = CommandWords(options, form: CommandForm(next))
            if !options.isEmpty, read.unknownOption == nil, !read.isValueMissing, read.values.isEmpty {
                found.append(words + options + Array(arguments[(index + 1)...]))
            }
            search(arguments, from: index + 1, below: next, words: words, options: options, &found)
        }
    }

    /// A completion script was asked for a shell that ArgumentParser has none for. Without a value the script
    /// is for the shell in $SHELL.
    private static func unknownShell(_ arguments: [String]) -> UsageMistake? {
        let option = "--generate-completion-script"
        guard let index = arguments.firstIndex(where: { $0 == option || $0.hasPrefix(option + "=") }),
            let name = arguments[index] == option
                ? arguments.dropFirst(index + 1).first
                : String(arguments[index].dropFirst(option.count + 1)),
            CompletionShell(rawValue: name) == nil
        else { return nil }
        let known = CompletionShell.allCases.map(\.rawValue).sorted().joined(separator: ", ")
        return UsageMistake("there is no completion script for \"\(name)\"", hint: "give one of \(known)")
    }
}
