import Home
import HubClient
import Identity
import JSON

// How hubs and devices are written: as lines of a table, as JSON.

extension JSONLine {
    /// Writes values to standard output, each as one line; their text is safe for a terminal.
    static func write(_ values: some Sequence<some JSONWritable>) throws {
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

    static func write(_ value: some JSONWritable) throws {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
        try Console.output(bytes: bytes)
    }
}

/// A device as `home --json` writes it. It goes straight into bytes, as a hub may have a thousand.
struct HomeDeviceLine: JSONWritable {
    let device: ControlledDevice
    let session: HomeSession

    func write(to bytes: inout [UInt8]) {
        bytes.append(text: #"{"activators":["#)
        var isFirst = true
        for activator in device.activators {
            bytes.append(text: isFirst ? #"{"activator":"# : #",{"activator":"#)
            isFirst = false
            JSONValue.write(activator.id, to: &bytes)
            bytes.append(text: #","name":"#)
            JSONValue.write(activator.name, to: &bytes)
            bytes.append(text: #","rank":"#)
            JSONValue.integer(Int64(activator.rank)).write(to: &bytes)
            bytes.append(text: #","state":"#)
            activator.state.write(to: &bytes)
            bytes.append(text: #","type":"#)
            JSONValue.write(activator.kind.word, to: &bytes)
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(text: #"],"device":"#)
        JSONValue.write(device.id, to: &bytes)
        bytes += session.hubMembers
        bytes.append(text: #","name":"#)
        JSONValue.write(device.name, to: &bytes)
        bytes.append(text: #","type":"#)
        JSONValue.write(device.type, to: &bytes)
        bytes.append(
            text: session.hub.isUnprotected ? #","unprotected":true}"# : #","unprotected":false}"#)
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
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
