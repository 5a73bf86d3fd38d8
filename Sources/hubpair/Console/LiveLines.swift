/// Lines on a terminal that are drawn again in their place, as many of them as fit.
struct LiveLines {
    private var countOnScreen = 0

    /// Draws `all` in the place of what was there, and `footer` below, which is never left out.
    mutating func show(_ all: [String], footer: String? = nil) throws {
        let size = Console.size
        let footer = footer.map { [$0] } ?? []
        // The cursor waits on the line below.
        let room = max(2, size.rows - 1 - footer.count)
        var lines = all
        if lines.count > room { lines = lines.prefix(room - 1) + ["… and \(lines.count - room + 1) more"] }
        try draw((lines + footer).map { cut($0, to: size.columns - 1) })
    }

    /// Erases them, to make room for other output.
    mutating func clear() throws { try draw([]) }

    private mutating func draw(_ lines: [String]) throws {
        // CSI n F: up n lines, to the first column; CSI J: erase from there on (ECMA-48).
        let erase = countOnScreen > 0 ? "\u{1B}[\(countOnScreen)F\u{1B}[J" : ""
        try Console.output(bytes: Array((erase + lines.map { $0 + "\n" }.joined()).utf8))
        countOnScreen = lines.count
    }
}
