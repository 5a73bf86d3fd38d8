import ArgumentParser

/// Help, wrapped to the width of the terminal and to at most 100 columns.
enum HelpText {
    private static let widths = 40...100
    static let examples = "EXAMPLES:"

    /// The last sentence of the help of all.
    static let reporting =
        "Report faults where hubpair came from, and those that let somebody in as its SECURITY.md says, in "
        + "private; the package has that in /usr/share/doc/hubpair."

    static func text(for help: any Error) -> String {
        let text = textOfOne(help)
        // Only the root has this command.
        guard text.contains("\n  doctor  "), text.contains("'hubpair help ") else { return text }
        let width = max(widths.lowerBound, min(Console.size.columns, widths.upperBound))
        let words = Texts.help?.exactly(reporting) ?? reporting
        return ([text, ""] + TranslatedHelp.wrapped(words, to: width)).joined(separator: "\n")
    }

    private static func textOfOne(_ help: any Error) -> String {
        let width = max(widths.lowerBound, min(Console.size.columns, widths.upperBound))
        if let table = Texts.help {
            let columns = TranslatedHelp.columns
            let text = arranged(Hubpair.fullMessage(for: help, columns: columns), to: columns)
            if text.hasPrefix("OVERVIEW: ") { return TranslatedHelp(text, table).text(width: width) }
        }
        return ShellScript.mended(
            arranged(Hubpair.fullMessage(for: help, columns: width), to: width), of: Hubpair.self)
    }

    /// What ArgumentParser writes, as it is shown: the usage line wrapped as all others, the groups of
    /// commands by their names alone, the examples at the end. Other text, such as a completion script, stays
    /// as it is.
    static func arranged(_ text: String, to width: Int) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines[0].hasPrefix("OVERVIEW: ") else { return text }
        lines = lines.map { line in
            if line.hasPrefix("USAGE: ") { return wrapped(line, to: width) }
            // "ON THE HUB SUBCOMMANDS:"
            if line.hasSuffix(" SUBCOMMANDS:"), !line.hasPrefix(" ") {
                return line.dropLast(" SUBCOMMANDS:".count) + ":"
            }
            return line
        }
        if let start = lines.firstIndex(of: examples) {
            let end = lines[start...].firstIndex(of: "") ?? lines.endIndex
            let block = lines[start..<end]
            lines.removeSubrange(start..<min(end + 1, lines.endIndex))
            while lines.last?.isEmpty == true { lines.removeLast() }
            lines += [""] + block
        }
        return lines.joined(separator: "\n")
    }

    /// The command lines of the examples in a help, without what is explained behind them.
    static func examples(in text: String) -> [String] {
        text.split(separator: "\n").drop { $0 != examples }.dropFirst().prefix { $0.hasPrefix("  ") }.map {
            line in
            let command = line.firstRange(of: "  #").map { line[..<$0.lowerBound] } ?? line
            return command.trimmed
        }
    }

    /// `line` in lines of `width` columns, broken between its arguments; the later ones are indented.
    static func wrapped(_ line: some StringProtocol, to width: Int) -> String {
        var lines: [String] = []
        var depth = 0
        var current = ""
        var word = ""
        func breakLine() {
            if !current.isEmpty, current.utf8.count + 1 + word.utf8.count > width {
                lines.append(current)
                current = "    " + word
            } else {
                current += (current.isEmpty ? "" : " ") + word
            }
            word = ""
        }
        for character in line {
            switch character {
            case "[", "<": depth += 1
            case "]", ">": depth -= 1
            default: break
            }
            if character == " ", depth == 0 { breakLine() } else { word.append(character) }
        }
        breakLine()
        return (lines + [current]).joined(separator: "\n")
    }
}
