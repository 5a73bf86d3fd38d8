import HubClient
import HubControl
import Identity

// How hubs and devices are written: as lines of a table, as JSON.

extension JSONLine {
    /// Writes values to standard output, each as one line; their text is safe for a terminal.
    static func write(_ values: some Sequence<JSONValue>) throws {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * chunkByteCount)
        for value in values {
            value.write(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= chunkByteCount else { continue }
            try Console.output(bytes: bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try Console.output(bytes: bytes) }
    }

    private static let chunkByteCount = 32_768

    static func write(_ value: JSONValue) throws { try write([value]) }
}

extension HomeSession {
    /// A device as `home --json` writes it.
    func json(of device: ControlledDevice) -> JSONValue {
        let activators = device.activators.map { activator -> JSONValue in
            .object([
                "activator": .string(activator.id), "name": .string(activator.name),
                "rank": .integer(Int64(activator.rank)), "type": .string(activator.kind.word),
                "state": activator.state,
            ])
        }
        return .object(
            json.merging([
                "device": .string(device.id), "name": .string(device.name), "type": .string(device.type),
                "activators": .array(activators),
            ]) { _, new in new })
    }
}

/// The devices of a hub as lines: DEVICE, TYPE and STATE in columns that fit the terminal. Names come from a server and
/// have any length.
struct HomeTable {
    private static let widths = (name: 60, type: 16, state: 24, gap: 2)

    /// The header first.
    let lines: [String]

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
        var rows = [["DEVICE", "TYPE", "STATE", header ?? ""]]
        for device in devices {
            rows.append([
                HomeTable.cell(device.name, nameWidth), HomeTable.cell(device.type, widths.type),
                HomeTable.cell(device.main?.stateText ?? "-", widths.state), note(device.id) ?? "",
            ])
        }
        let columnWidths = (0..<4).map { column in rows.map { columnWidth(of: $0[column]) }.max() ?? 0 }
        lines = rows.map { row in
            var line = ""
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            for (index, cell) in row.enumerated() where index <= last {
                line += cell
                guard index < last else { break }
                line += String(
                    repeating: " ", count: columnWidths[index] - columnWidth(of: cell) + widths.gap)
            }
            return line
        }
    }

    private static func cell(_ text: String, _ width: Int) -> String {
        cut(Console.escaped(shortened(text)), to: width)
    }
}
