import Identity

/// A table for people: columns as wide as their widest cell, two spaces between them, all cells escaped.
///
/// On a terminal that is too narrow the first column, the names, is cut. If that is not enough, each row
/// becomes a few lines: a table with wrapped lines cannot be read.
struct Table {
    /// Names are not cut to less than this many columns.
    private static let minimumNameWidth = 12
    private static let gap = 2
    /// The columns of what people have named: never translated.
    private static let names: Set<String> = [
        "ACTIVATOR", "ADDRESS", "APPLIANCE", "APPLIANCES", "AREA", "BY", "DEVICE", "HUB", "ID", "NAME",
        "RELAY",
        "ROOM", "RULE", "SCENE", "TEXT",
    ]
    /// Those of sentences; in the others a cell is one word, or a number.
    private static let sentences: Set<String> = ["LAST RUN", "RUNS", "STATUS", "WHAT", "WHEN"]

    private struct Cell {
        let text: String
        let width: Int
        var colour: Colour?

        init(_ text: String, limit: Int = .max, colour: Colour? = nil) {
            let escaped = SafeText.escaped(text)
            let width = columnWidth(of: escaped)
            self.text = width > limit ? cut(escaped, to: limit) : escaped
            self.width = width > limit ? columnWidth(of: self.text) : width
            self.colour = colour
        }
    }

    /// The titles first.
    private let rows: [[Cell]]
    private let widths: [Int]

    /// - Parameters:
    ///   - columns: the titles.
    ///   - rows: a cell for each column.
    ///   - limits: how wide the cells of each column may be at most; wider ones are cut. Empty: no limits.
    ///   - colour: the colour of the cell in this row and column, if it has one.
    init(
        columns: [String], rows: [[String]], limits: [Int] = [],
        colour: (_ row: Int, _ column: Int) -> Colour? = { _, _ in nil }
    ) {
        self.rows = ([columns] + rows).enumerated().map { number, row in
            row.enumerated().map {
                let title = number > 0 && columns.indices.contains($0) ? columns[$0] : ""
                let isSentence = Table.sentences.contains(title)
                return Cell(
                    Table.names.contains(title) ? $1 : isSentence ? Texts.words($1) : Texts.exactly($1),
                    limit: limits.indices.contains($0) ? limits[$0] : .max,
                    colour: number > 0 ? colour(number - 1, $0) : nil)
            }
        }
        widths = self.rows.reduce(into: columns.map { _ in 0 }) { widths, row in
            for (column, cell) in zip(widths.indices, row) {
                widths[column] = max(widths[column], cell.width)
            }
        }
    }

    /// Writes the table to standard output; nothing at all if it has only titles.
    func write() throws {
        guard rows.count > 1 else { return }
        try Console.output(linesForOutput.joined(separator: "\n"))
    }

    /// The lines in the form that fits standard output.
    var linesForOutput: [String] {
        guard Console.outputIsTerminal else { return lines(within: nil) }
        let width = Console.size.columns
        return width < narrowestWidth ? blocks : lines(within: width)
    }

    /// The titles and a line for each row. Names are cut where that brings a line down to `width` columns.
    func lines(within width: Int?) -> [String] {
        let excess = lineWidth(nameWidth: .max) - (width ?? .max)
        guard excess > 0 else { return lines(nameWidth: .max) }
        return lines(nameWidth: max(Table.minimumNameWidth, widths[0] - excess))
    }

    /// Each row as its name, and what else it has below it.
    var blocks: [String] {
        let titles = rows[0]
        let titleWidth = titles.dropFirst().map(\.width).max() ?? 0
        return rows.dropFirst().flatMap { row in
            let others = zip(titles, row).dropFirst().filter { !["", "-"].contains($0.1.text) }
            return [row[0].text]
                + others.map { title, cell in
                    "  " + (title.text.isEmpty ? cell.text : Table.line([title, cell], widths: [titleWidth]))
                }
        }
    }

    /// The number of columns that the longest line needs at least.
    var narrowestWidth: Int { lineWidth(nameWidth: Table.minimumNameWidth) }

    /// One line of cells where the widths are known beforehand; a longer cell moves what follows.
    static func line(_ cells: [String], widths: [Int]) -> String {
        line(cells.map { Cell($0) }, widths: widths)
    }

    /// A name and a value on each line, the values below each other.
    static func lines(_ fields: KeyValuePairs<String, String>) -> [String] {
        let names = fields.map { Texts.exactly($0.key) }
        let width = names.map { columnWidth(of: $0) }.max() ?? 0
        return zip(names, fields).map { line([$0, $1.value], widths: [width]) }
    }

    private func lines(nameWidth: Int) -> [String] {
        var widths = widths
        widths[0] = min(widths[0], nameWidth)
        return rows.map { row in
            guard row[0].width > nameWidth else { return Table.line(row, widths: widths) }
            return Table.line([Cell(row[0].text, limit: nameWidth)] + row.dropFirst(), widths: widths)
        }
    }

    private static func line(_ cells: [Cell], widths: [Int]) -> String {
        var line = ""
        // Written only before the next cell with a text, so no line ends in spaces.
        var margin = 0
        for (column, cell) in cells.enumerated() {
            if !cell.text.isEmpty {
                line += String(repeating: " ", count: margin) + (cell.colour?.painted(cell.text) ?? cell.text)
                margin = 0
            }
            let width = column < widths.count ? widths[column] : 0
            margin += max(0, width - cell.width) + gap
        }
        return line
    }

    /// The width of the longest line.
    private func lineWidth(nameWidth: Int) -> Int {
        let name = min(widths[0], nameWidth)
        return rows.map { row in
            guard let last = row.lastIndex(where: { $0.width > 0 }), last > 0 else {
                return min(row[0].width, nameWidth)
            }
            return name + widths[1..<last].reduce(0, +) + last * Table.gap + row[last].width
        }.max() ?? 0
    }
}
