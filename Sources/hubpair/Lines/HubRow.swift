import Addresses
import Discovery
import FoundationEssentials
import HubClient
import Identity

/// A hub as a row of the table; or as a line of fixed widths, where lines are written before all hubs are
/// known.
struct HubRow {
    private struct Column: Sendable {
        let title: String
        /// Where lines are written before all hubs are known; the last one is as wide as its text.
        let width: Int?
        let cell: @Sendable (AssessedHub) -> String
        /// What stands before the cell of an impostor: it is the one word that matters.
        var mark = ""
    }

    private static let columns = [
        Column(title: "HUB", width: 16) { $0.hub.name },
        Column(title: "ADDRESS", width: 22) { found in
            let others = found.hub.addresses.count - 1
            return bestAddress(found) + (others > 0 ? " (+\(others))" : "")
        },
        Column(title: "IDENTITY", width: 17, cell: identity, mark: "!! "),
        Column(title: "ID", width: nil) { $0.hub.id?.description ?? "-" },
    ]

    let hub: AssessedHub
    /// When it has said goodbye, if it has.
    let goneSince: Date?

    init(_ hub: AssessedHub, goneSince: Date? = nil) { (self.hub, self.goneSince) = (hub, goneSince) }

    static let headerLine = line(columns.map(\.title))

    /// The row as one line: 80 characters with an IPv4 address.
    var line: String { HubRow.line(HubRow.columns.map { $0.cell(hub) }) }

    var bestAddress: String { HubRow.bestAddress(hub) }

    /// On a terminal an impostor is marked, and red.
    static func table(_ rows: [HubRow]) -> Table {
        let marksImpostors = Console.outputIsTerminal
        return Table(
            columns: columns.map(\.title),
            rows: rows.map { row in
                columns.map { column in
                    let gone = column.mark.isEmpty ? nil : row.goneSince
                    return (marksImpostors && row.isImpostor ? column.mark : "")
                        + (gone.map { "gone since \(LocalTime($0).clock)" } ?? column.cell(row.hub))
                }
            }
        ) { row, column in rows[row].isImpostor && !columns[column].mark.isEmpty ? .red : nil }
    }

    private var isImpostor: Bool { hub.standing == .impostor }

    private static func line(_ cells: [String]) -> String {
        Table.line(cells, widths: columns.compactMap(\.width))
    }

    private static func bestAddress(_ found: AssessedHub) -> String {
        found.hub.addresses.first?.description(withPort: found.hub.port) ?? "-"
    }

    private static let identity: @Sendable (AssessedHub) -> String = { found in
        found.standing.rawValue + (found.isPaired ? ", paired" : found.isPending ? ", pending" : "")
            + (found.isUnprotected ? ", unprotected" : "") + (found.answers == false ? ", silent" : "")
    }
}
