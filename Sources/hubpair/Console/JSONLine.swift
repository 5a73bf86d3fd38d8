import JSON

/// JSON Lines for scripts: one object a line, stable names, keys in alphabetical order. The writer escapes
/// everything that could drive a terminal, since the lines may end up on one.
enum JSONLine {
    /// Lines are collected to about so many bytes for one call of the system.
    private static let chunkByteCount = 32_768

    /// Writes `value` to standard output as one line.
    static func write(_ value: JSONValue) throws { try write(CollectionOfOne(value)) }

    /// Writes each value to standard output as one line.
    static func write(_ values: some Sequence<JSONValue>) throws {
        var bytes: [UInt8] = []
        for value in values {
            value.write(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
            guard bytes.count >= chunkByteCount else { continue }
            try Console.output(bytes: bytes)
            bytes.removeAll(keepingCapacity: true)
        }
        if !bytes.isEmpty { try Console.output(bytes: bytes) }
    }
}

extension JSONValue {
    /// The text, or `null`: every line has the same keys.
    static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
}
