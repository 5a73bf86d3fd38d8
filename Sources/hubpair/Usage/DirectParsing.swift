import ArgumentParser

/// Parses a call by its command alone.
///
/// From the root, ArgumentParser reads the forms of all commands, twice looks for a request for a completion
/// script, and searches the whole tree with every question for the path to a command: 40 % of what `print`
/// does. Only a call that parses is answered here; every other goes through the root, whose messages, help
/// and completion scripts know the way to the command.
enum DirectParsing {
    /// Reads the arguments without `hubpair`; nil if they are no plain call of a command.
    static func command(from arguments: [String]) -> (any ParsableCommand)? {
        let path = CommandPath(arguments)
        let configuration = path.command.configuration
        guard !path.words.isEmpty,
            let command = configuration.subcommands.isEmpty ? path.command : configuration.defaultSubcommand
        else { return nil }
        return parse(command, path.rest)
    }

    private static func parse<Command: ParsableCommand>(
        _ command: Command.Type, _ arguments: [String]
    ) -> (any ParsableCommand)? {
        // Errors are said by the root. A request for help is no error, but another command.
        guard let parsed = try? Root<Command>.parseAsRoot([Command._commandName] + arguments) else {
            return nil
        }
        return parsed as? Command
    }

    /// A root with one command below it. With the name of a command above, ArgumentParser does not look for a
    /// request for a completion script.
    private struct Root<Command: ParsableCommand>: ParsableCommand {
        static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "hubpair", _superCommandName: "hubpair", subcommands: [Command.self])
        }
    }
}
