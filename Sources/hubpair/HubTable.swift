import Discovery
import HubClient
import Identity

/// A hub as a line of the table. The widths are fixed, as lines are written before the last hub is known.
struct HubRow {
    let name: String
    let bestAddress: String
    let address: String
    let identity: String
    let id: String

    static let header = HubRow(name: "HUB", address: "ADDRESS", identity: "IDENTITY", id: "ID")

    private init(name: String, address: String, identity: String, id: String) {
        (self.name, self.bestAddress, self.address) = (name, address, address)
        (self.identity, self.id) = (identity, id)
    }

    init(_ found: FindHubs.Found) {
        name = found.hub.name
        bestAddress = found.hub.addresses.first?.description(withPort: found.hub.port) ?? "-"
        let others = found.hub.addresses.count - 1
        address = others > 0 ? "\(bestAddress) (+\(others))" : bestAddress
        identity = found.standing.rawValue + (found.isPaired ? ", paired" : "")
        id = found.hub.id?.description ?? "-"
    }

    /// The escaped cells in their columns.
    var line: String {
        let cells = [(name, 20), (address, 28), (identity, 15), (id, 0)].map { cell, width in
            let text = Console.escaped(cell)
            return text + String(repeating: " ", count: max(0, width - columnWidth(of: text)))
        }
        return cells.joined(separator: "  ")
    }
}

/// A table that is drawn again in its place, as much of it as fits the terminal; whole at the end.
struct LiveTable {
    private var linesOnScreen = 0

    /// Draws the table in the place of the one before.
    mutating func show(_ rows: [HubRow]) throws {
        let size = Console.size
        var lines = [HubRow.header.line] + rows.map(\.line)
        let room = max(2, size.rows - 2)
        if lines.count > room {
            let hidden = lines.count - room + 1
            lines = lines.prefix(room - 1) + ["… and \(hidden) more"]
        }
        try draw(lines.map { cut($0, to: size.columns - 1) })
        linesOnScreen = lines.count
    }

    /// Draws all of the table, for good.
    mutating func finish(_ rows: [HubRow]) throws {
        try draw([HubRow.header.line] + rows.map(\.line))
        linesOnScreen = 0
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
