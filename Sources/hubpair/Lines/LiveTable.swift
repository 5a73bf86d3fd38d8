/// A table that is drawn again in its place, as much of it as fits the terminal; whole at the end.
struct LiveTable {
    private var linesOnScreen = 0

    /// Draws the table in the place of the one before. - Parameter footer: a line below it.
    mutating func show(_ rows: [HubRow], footer: String? = nil) throws {
        let size = Console.size
        var lines = HubRow.table(rows).lines(within: size.columns - 1)
        let room = max(2, size.rows - (footer == nil ? 2 : 3))
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines = lines.prefix(room - 1) + ["… and \(hidden) more"]
        }
        if let footer { lines.append(footer) }
        try draw(lines.map { cut($0, to: size.columns - 1) })
        linesOnScreen = lines.count
    }

    /// Takes the table off the screen, so that something else can be said above it.
    mutating func clear() throws {
        try draw([])
        linesOnScreen = 0
    }

    private func draw(_ lines: [String]) throws {
        // CSI n F: up n lines, to the first column; CSI J: erase from there on (ECMA-48).
        let erase = linesOnScreen > 0 ? "\u{1B}[\(linesOnScreen)F\u{1B}[J" : ""
        try Console.output(bytes: Array((erase + lines.map { $0 + "\n" }.joined()).utf8))
    }
}
