import ArgumentParser

/// Help, wrapped to the width of the terminal and to at most 100 columns.
enum HelpText {
    private static let widths = 40...100

    static func text(for help: any Error) -> String {
        let width = max(widths.lowerBound, min(Console.size.columns, widths.upperBound))
        let text = Hubpair.fullMessage(for: help, columns: width)
        // ArgumentParser wraps all lines except this one.
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("USAGE: ") ? wrapped($0, to: width) : String($0) }
            .joined(separator: "\n")
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
