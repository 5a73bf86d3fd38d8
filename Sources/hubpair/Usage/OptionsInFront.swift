import ArgumentParser

/// Options before the command: `--state D devices`, `--json list`, `devices --state D revoke X`.
///
/// Many tools take them there. ArgumentParser reads an option only behind the command that has it.
enum OptionsInFront {
    /// More words than this are not searched: each may be a command or a value.
    private static let maximumCount = 64

    /// `arguments` with the options behind the command's words; nil if none is in front, or if they are not
    /// all its own.
    static func moved(_ arguments: [String]) -> [String]? {
        guard arguments.count <= maximumCount else { return nil }
        var found: [[String]] = []
        search(arguments, from: 0, below: Hubpair.self, words: [], options: [], &found)
        // The deepest command whose form the whole has; else the deepest, for its error.
        let deepest = found.reversed()
        return deepest.first(where: CommandPath.isCall) ?? deepest.first
    }

    /// Adds every way to read the arguments as a command with options in front, the shallow ones first.
    private static func search(
        _ arguments: [String], from start: Int, below type: any ParsableCommand.Type, words: [String],
        options: [String], _ found: inout [[String]]
    ) {
        for index in start..<arguments.count {
            guard arguments[index] != "--" else { return }
            // Words that are no options may be values of one, never the first.
            guard arguments[start].hasPrefix("-") || index == start else { return }
            guard let next = CommandPath.subcommand(arguments[index], of: type) else { continue }
            let words = words + [arguments[index]]
            let options = options + arguments[start..<index]
            if !options.isEmpty, areOptions(options, of: next) {
                found.append(words + options + arguments[(index + 1)...])
            }
            search(arguments, from: index + 1, below: next, words: words, options: options, &found)
        }
    }

    private static func areOptions(_ words: [String], of command: any ParsableCommand.Type) -> Bool {
        let read = CommandWords(words, form: CommandForm(command))
        return read.unknownOption == nil && !read.isValueMissing && read.values.isEmpty
    }
}
