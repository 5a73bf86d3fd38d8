import Addresses
import Discovery
import HubClient

/// A hub as a row of the table; or as a line of fixed widths, where lines are written before all hubs are
/// known.
struct HubRow {
    let name: String
    let bestAddress: String
    let address: String
    let identity: String
    let id: String
    let isImpostor: Bool

    static let header = HubRow(name: "HUB", address: "ADDRESS", identity: "IDENTITY", id: "ID")

    private init(name: String, address: String, identity: String, id: String) {
        (self.name, self.bestAddress, self.address) = (name, address, address)
        (self.identity, self.id, isImpostor) = (identity, id, false)
    }

    init(_ found: AssessedHub) {
        name = found.hub.name
        bestAddress = found.hub.addresses.first?.description(withPort: found.hub.port) ?? "-"
        let others = found.hub.addresses.count - 1
        address = others > 0 ? "\(bestAddress) (+\(others))" : bestAddress
        identity =
            found.standing.rawValue + (found.isPaired ? ", paired" : found.isPending ? ", pending" : "")
            + (found.isUnprotected ? ", unprotected" : "")
            + (found.answers == false ? ", silent" : "")
        id = found.hub.id?.description ?? "-"
        isImpostor = found.standing == .impostor
    }

    /// On a terminal an impostor is marked, and red: it is the one word that matters.
    static func table(_ rows: [HubRow]) -> Table {
        let marksImpostors = Console.outputIsTerminal
        return Table(
            columns: header.cells,
            rows: rows.map { marksImpostors && $0.isImpostor ? $0.markedCells : $0.cells }
        ) { row, column in rows[row].isImpostor && column == 2 ? .red : nil }
    }

    private var cells: [String] { [name, address, identity, id] }
    private var markedCells: [String] { [name, address, "!! \(identity)", id] }

    /// The row as one line: 80 characters with an IPv4 address.
    var line: String { Table.line(cells, widths: [16, 22, 17]) }
}
