import Home
import HubClient
import Identity
import JSON

// How hubs and devices are written: as lines of a table, as JSON.

extension ControlledDevice {
    /// The line of `home --json`.
    func json(of session: HomeSession) -> JSONValue {
        var members = session.json
        members["device"] = .string(id)
        members["name"] = .string(name)
        members["type"] = .string(type)
        members["activators"] = .array(
            activators.map {
                .object([
                    "activator": .string($0.id), "name": .string($0.name), "type": .string($0.kind.word),
                    "rank": .integer(Int64($0.rank)), "state": $0.state,
                ])
            })
        return .object(members)
    }
}

/// The devices of a hub as lines: DEVICE, TYPE and STATE in columns that fit the terminal. Names come from a server and
/// have any length.
struct HomeTable {
    private static let widths = (name: 60, type: 16, state: 24, gap: 2)

    private var rows: [Row]
    private var columnWidths = (0, 0, 0)

    /// The header first.
    var lines: [String] {
        rows.map { row in
            var bytes: [UInt8] = []
            row.write(to: &bytes, columnWidths)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Adds all lines to `bytes`, each with its end.
    func write(to bytes: inout [UInt8]) {
        for row in rows {
            row.write(to: &bytes, columnWidths)
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// - Parameters:
    ///   - columns: of the terminal; nil if there is none.
    ///   - note: a last column, by the device's id.
    init(
        _ devices: [ControlledDevice], columns: Int?, header: String? = nil,
        note: (String) -> String? = { _ in nil }
    ) {
        let widths = HomeTable.widths
        let rest = widths.type + widths.state + 2 * widths.gap + (header == nil ? 0 : 12)
        let nameWidth = columns.map { max(12, min(widths.name, $0 - 1 - rest)) } ?? widths.name
        rows = [Row("DEVICE", "TYPE", "STATE", header ?? "")]
        rows.reserveCapacity(devices.count + 1)
        for device in devices {
            rows.append(
                Row(
                    HomeTable.cell(device.name, nameWidth), HomeTable.cell(device.type, widths.type),
                    HomeTable.cell(device.main?.stateText ?? "-", widths.state), note(device.id) ?? ""))
        }
        for row in rows {
            columnWidths.0 = max(columnWidths.0, row.widths.0)
            columnWidths.1 = max(columnWidths.1, row.widths.1)
            columnWidths.2 = max(columnWidths.2, row.widths.2)
        }
    }

    private static func cell(_ text: String, _ width: Int) -> String {
        cut(Console.escaped(shortened(text)), to: width)
    }

    /// Three cells with their widths, and the note.
    private struct Row {
        let cells: (String, String, String)
        let note: String
        let widths: (Int, Int, Int)

        init(_ name: String, _ type: String, _ state: String, _ note: String) {
            cells = (name, type, state)
            self.note = note
            widths = (columnWidth(of: name), columnWidth(of: type), columnWidth(of: state))
        }

        func write(to bytes: inout [UInt8], _ columns: (Int, Int, Int)) {
            bytes += cells.0.utf8
            pad(&bytes, columns.0 - widths.0)
            bytes += cells.1.utf8
            pad(&bytes, columns.1 - widths.1)
            bytes += cells.2.utf8
            guard !note.isEmpty else { return }
            pad(&bytes, columns.2 - widths.2)
            bytes += note.utf8
        }

        private func pad(_ bytes: inout [UInt8], _ count: Int) {
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: count + HomeTable.widths.gap))
        }
    }
}
