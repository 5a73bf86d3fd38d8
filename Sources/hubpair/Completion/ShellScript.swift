import ArgumentParser

/// ArgumentParser's script for a shell, with what it leaves out.
///
/// - A command with a default, as `hubpair home` is `hubpair home list`, takes the options of that: bash and
///   zsh offered subcommands behind them. fish is left as it is.
/// - In bash, the words in front of an argument that may be repeated got what that is offered.
enum ShellScript {
    /// - Parameter command: the program's.
    static func mended(_ script: String, of command: any ParsableCommand.Type) -> String {
        guard let shell = Shell.allCases.first(where: { script.hasPrefix($0.firstLine) }) else {
            return script
        }
        var lines = script.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        addDefaults(below: command, "_hubpair", shell, to: &lines)
        if shell == .bash { separatePlaces(in: &lines) }
        return lines.joined(separator: "\n")
    }

    private enum Shell: CaseIterable {
        case bash, zsh

        var firstLine: String {
            switch self {
            case .bash: "#!/bin/bash"
            case .zsh: "#compdef "
            }
        }
        /// True of the words behind a command: the first is an option.
        var condition: String {
            switch self {
            case .bash: #""${unparsed_words[0]}" = -*"#
            case .zsh: #""${words[2]}" = -*"#
            }
        }
    }

    private static func addDefaults(
        below type: any ParsableCommand.Type, _ function: String, _ shell: Shell, to lines: inout [String]
    ) {
        for next in type.configuration.subcommands {
            guard let name = next.configuration.commandName else { continue }
            addDefaults(below: next, "\(function)_\(name)", shell, to: &lines)
        }
        guard let name = type.configuration.defaultSubcommand?.configuration.commandName,
            let index = lines.firstIndex(of: "\(function)() {")
        else { return }
        lines.insert(
            contentsOf: [
                "    # Options of what it does without a subcommand",
                "    if [[ \(shell.condition) ]]; then", "        \(function)_\(name)",
                "        return", "    fi",
            ], at: index + 1)
    }

    /// In front of the case of every place, `*)`, come the places before the repeated argument's own.
    private static func separatePlaces(in lines: inout [String]) {
        for index in lines.indices.dropLast().reversed() where lines[index] == "    *)" {
            guard let mark = lines[index + 1].firstRange(of: "positional@"),
                let place = Int(lines[index + 1][mark.upperBound...].prefix { $0.isASCII && $0.isNumber }),
                (1...9).contains(place)
            else { continue }
            let places = (1...place).map(String.init).joined(separator: "|")
            lines.insert(contentsOf: ["    \(places))", "        return", "        ;;"], at: index)
        }
    }
}
