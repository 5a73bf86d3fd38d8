/// Help in another language than English. ArgumentParser writes it in lines as long as they like; each of its
/// texts stands whole on one of them, is looked up in a table, and is wrapped here.
struct TranslatedHelp {
    /// More than any text has.
    static let columns = 1_000_000
    /// Where ArgumentParser's second column begins.
    private static let indent = 26

    private enum Piece {
        /// Lines that are nobody's words.
        case plain(String)
        case text(String, title: String? = nil)
        case usage(String, title: String)
        case heading(String)
        case row(label: String, texts: [String])
        case example(String, comment: String)
        /// `See 'hubpair help home <subcommand>' for detailed help.`
        case more(command: String)
    }

    private static let more = "See '{}' for detailed help."

    private let table: TextTable
    private var pieces: [Piece] = []

    /// - Parameter arranged: the help as ``HelpText`` arranges it, ``columns`` wide.
    init(_ arranged: String, _ table: TextTable) {
        self.table = table
        var lines = arranged.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        var isOverview = true
        var isExample = false
        while let line = lines.popFirst() {
            if let text = line.behind("OVERVIEW: ") {
                pieces.append(.text(text, title: "OVERVIEW"))
            } else if let usage = line.behind("USAGE: ") {
                isOverview = false
                pieces.append(.usage(usage, title: "USAGE"))
            } else if line.isEmpty || isOverview && line.hasPrefix(" ") {
                pieces.append(.plain(line))
            } else if isOverview {
                pieces.append(.text(line))
            } else if isExample {
                pieces.append(TranslatedHelp.example(line))
            } else if line.hasPrefix("  See 'hubpair help ") {
                pieces.append(.more(command: String(line.split(separator: "'")[1])))
            } else if line.hasPrefix("  ") {
                pieces.append(TranslatedHelp.row(line, &lines))
            } else {
                isExample = line == HelpText.examples
                pieces.append(.heading(line))
            }
        }
    }

    private static func example(_ line: String) -> Piece {
        guard let mark = line.firstRange(of: "  # ") else { return .plain(line) }
        return .example(String(line[..<mark.upperBound]), comment: String(line[mark.upperBound...]))
    }

    /// `  --name <name>           The hub's name.`, or the text on a line of its own.
    private static func row(_ line: String, _ rest: inout ArraySlice<String>) -> Piece {
        let margin = String(repeating: " ", count: indent)
        var texts: [String] = []
        var label = line.dropFirst(2)
        if rest.first?.hasPrefix(margin) != true, label.count > indent - 2 {
            texts.append(String(label.dropFirst(indent - 2)))
            label = label.prefix(indent - 2)
        }
        while let text = rest.first?.behind(margin) {
            texts.append(text)
            rest.removeFirst()
        }
        return .row(label: label.trimmed, texts: texts)
    }

    /// The texts that the table must have.
    var texts: [String] {
        pieces.flatMap { piece in
            switch piece {
            case .plain: [String]()
            case .text(let text, let title): [title, text].compactMap(\.self)
            case .usage(let usage, let title): [title] + TranslatedHelp.placeholders(usage)
            case .heading(let heading): [heading]
            case .row(let label, let texts):
                TranslatedHelp.placeholders(label) + texts.map { parts($0).text }
            case .example(_, let comment): [comment]
            case .more: [TranslatedHelp.more]
            }
        }
    }

    /// In the words of the table, and `width` columns wide.
    func text(width: Int) -> String { pieces.map { text($0, width) }.joined(separator: "\n") }

    private func text(_ piece: Piece, _ width: Int) -> String {
        switch piece {
        case .plain(let line): line
        case .text(let text, let title):
            TranslatedHelp.wrapped((title.map { words($0) + ": " } ?? "") + words(text), to: width)
                .joined(separator: "\n")
        case .usage(let usage, let title):
            HelpText.wrapped("\(words(title)): \(filled(usage))", to: width)
        case .heading(let heading): words(heading)
        case .row(let label, let texts):
            TranslatedHelp.row(
                filled(label),
                texts.map(parts).flatMap { text, values in
                    TranslatedHelp.wrapped(words(text) + values, to: width - TranslatedHelp.indent)
                })
        case .example(let command, let comment): command + words(comment)
        case .more(let command): "  " + words(TranslatedHelp.more).replacing("{}", with: filled(command))
        }
    }

    private func words(_ text: String) -> String { table.exactly(text) ?? text }

    private static func row(_ label: String, _ lines: [String]) -> String {
        let margin = String(repeating: " ", count: indent)
        var first = "  " + label
        var lines = lines[...]
        if first.count < indent, let text = lines.popFirst() {
            first += margin.dropFirst(first.count) + text
        }
        return ([first] + lines.map { margin + $0 }).joined(separator: "\n")
    }

    /// A text, and what ArgumentParser has put behind it: `(values: text, json; default: text)`.
    private func parts(_ text: String) -> (text: String, values: String) {
        guard table.exactly(text) == nil, text.hasSuffix(")"),
            let start = text.firstRange(of: " (values: ") ?? text.firstRange(of: " (default: ")
        else { return (text, "") }
        let values = ["values", "default"].reduce(String(text[start.lowerBound...])) { values, word in
            values.replacing("\(word):", with: "\(words(word)):")
        }
        return (String(text[..<start.lowerBound]), values)
    }

    /// `<name>` and the like in a label or a usage line.
    private static func placeholders(_ line: String) -> [String] {
        line.split(separator: "<", omittingEmptySubsequences: false).dropFirst().compactMap { part in
            part.firstIndex(of: ">").map { "<\(part[..<$0])>" }
        }
    }

    private func filled(_ line: String) -> String {
        (TranslatedHelp.placeholders(line) + ["(default)"]).reduce(line) { line, placeholder in
            line.replacing(placeholder, with: words(placeholder))
        }
    }

    static func wrapped(_ text: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(word)
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return lines + [line]
    }
}

extension String {
    fileprivate func behind(_ beginning: String) -> String? {
        hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
    }
}
