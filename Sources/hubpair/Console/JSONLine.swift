import FoundationEssentials
import Identity

/// JSON Lines: one object a line, stable names, keys in the order of the alphabet.
enum JSONLine {
    /// Writes `object` to standard output as one line.
    ///
    /// JSON leaves C1 controls, bidirectional formatting and invisible characters as they are; they are
    /// written as `\uXXXX` here, since the line may end up on a terminal.
    static func write(_ object: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(object), as: UTF8.self)
        // Most of it is plain.
        guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return try Console.output(text) }
        var line = ""
        for scalar in text.unicodeScalars {
            if scalar.isControlling || scalar.isInvisible {
                line += scalar.escapedForJSON
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        try Console.output(line)
    }
}

/// A value whose key is written even if there is none: `null`.
@propertyWrapper
struct Nullable<Value: Encodable>: Encodable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let wrappedValue { try container.encode(wrappedValue) } else { try container.encodeNil() }
    }
}
