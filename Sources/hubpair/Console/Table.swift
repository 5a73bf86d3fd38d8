import CGlibc
import Glibc

/// A table for people: columns as wide as their widest cell, two spaces between, names escaped.
///
/// On a terminal that is too narrow the first column, the names, is cut; if that does not do, each row becomes a few
/// lines. Wrapped lines are read by nobody.
struct Table {
    /// A name is cut to no fewer columns.
    private static let minimumNameWidth = 12

    let columns: [String]
    let rows: [[String]]

    /// Writes the table to standard output; nothing at all if there are no rows.
    func write() throws {
        guard !rows.isEmpty else { return }
        let width = Console.outputIsTerminal ? Console.size.columns : nil
        let lines = width.flatMap { $0 < narrowestWidth ? blocks : nil } ?? lines(within: width)
        for line in lines { try Console.output(line) }
    }

    /// The header and a line for each row, as far as cutting names does it in no more than `width` columns.
    func lines(within width: Int?) -> [String] {
        let wide = laidOut(nameWidth: nil)
        let excess = (wide.map(columnWidth(of:)).max() ?? 0) - (width ?? .max)
        guard excess > 0 else { return wide }
        return laidOut(nameWidth: max(Table.minimumNameWidth, widths[0] - excess))
    }

    /// Each row as its name, and what else it has below it.
    var blocks: [String] {
        let labelWidth = columns.dropFirst().map(columnWidth(of:)).max() ?? 0
        return cells.dropFirst().flatMap { row in
            [row[0]]
                + zip(columns, row).dropFirst().filter { !["", "-"].contains($0.1) }.map { label, cell in
                    let margin = String(repeating: " ", count: labelWidth - columnWidth(of: label) + 2)
                    return "  " + (label.isEmpty ? cell : label + margin + cell)
                }
        }
    }

    /// The least number of columns that the lines need.
    var narrowestWidth: Int {
        laidOut(nameWidth: Table.minimumNameWidth).map(columnWidth(of:)).max() ?? 0
    }

    private var cells: [[String]] { ([columns] + rows).map { $0.map(Console.escaped) } }

    private var widths: [Int] {
        let cells = cells
        return columns.indices.map { column in cells.map { columnWidth(of: $0[column]) }.max() ?? 0 }
    }

    private func laidOut(nameWidth: Int?) -> [String] {
        var widths = widths
        if let nameWidth { widths[0] = min(widths[0], nameWidth) }
        return cells.map { row in
            var line = ""
            for (column, cell) in row.enumerated() where column < widths.count {
                let cell = column == 0 ? cut(cell, to: widths[0]) : cell
                line += cell + String(repeating: " ", count: widths[column] - columnWidth(of: cell) + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

/// The number of terminal columns that `text` takes, as the C library counts them (wide characters take
/// two, combining marks none).
func columnWidth(of text: String) -> Int {
    if text.isPrintableASCII { return text.utf8.count }
    _ = localeIsSet
    return text.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(wchar_t(bitPattern: $1.value)))) }
}

extension String {
    /// True if it holds nothing but printable ASCII, as most names do.
    var isPrintableASCII: Bool {
        let isPrintable = { (byte: UInt8) in (0x20...0x7E).contains(byte) }
        return utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPrintable) }
            ?? utf8.allSatisfy(isPrintable)
    }
}

/// `text` in at most `room` columns, with an ellipsis if something had to go.
func cut(_ text: String, to room: Int) -> String {
    guard columnWidth(of: text) > room else { return text }
    var short = ""
    var width = 0
    for character in text {
        width += columnWidth(of: String(character))
        guard width < room else { break }
        short.append(character)
    }
    return short + "…"
}

// wcwidth knows no character beyond ASCII in the C locale.
private let localeIsSet = setlocale(LC_CTYPE, "C.UTF-8") != nil
