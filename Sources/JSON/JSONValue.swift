import Identity

/// A type that can be written as JSON.
package protocol JSONWritable {
    /// Appends its JSON to `bytes`, on one line.
    func write(to bytes: inout [UInt8])
}

/// Any JSON value (RFC 8259). It preserves data from newer servers, such as unknown kinds of activators and
/// extra fields.
package enum JSONValue: Equatable, Sendable, JSONWritable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// A finite number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a text that holds exactly one value; nil if it is invalid.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONReader.read(JSONValue.self, from: bytes) else { return nil }
        self = value
    }

    /// The text, or `null`: for objects that always have the same keys.
    package static func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

    /// The number, or `null`.
    package static func count(_ number: Int?) -> JSONValue { number.map { .integer(Int64($0)) } ?? .null }

    /// The value as one line of JSON with keys in alphabetical order. Control characters, line separators and
    /// bidirectional controls are written as `\uXXXX`, so that it is safe on a terminal.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of an integer or number; nil for other types.
    package var asDouble: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value of a string; nil for other types.
    package var asString: String? { if case .string(let text) = self { text } else { nil } }

    /// The members of an object; nil for other types.
    package var asObject: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Appends ``text`` to `bytes`.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value):
            // The fraction is kept (1.0), so that the value is read as a number again and not as an integer.
            bytes += (value.isFinite ? String(value) : "null").utf8
        case .string(let text): JSONValue.write(text, to: &bytes)
        case .array(let values): JSONMembers.write(values, to: &bytes)
        case .object(let members): JSONMembers.write(members, to: &bytes)
        }
    }

    /// Appends `text` as a quoted JSON string.
    package static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // Fast path: most strings need no escapes and are copied as a whole.
        let isWritten = text.utf8.withContiguousStorageIfAvailable { plain in
            guard plain.allSatisfy({ (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }) else {
                return false
            }
            bytes.append(contentsOf: plain)
            return true
        }
        if isWritten != true {
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\"": bytes += "\\\"".utf8
                case "\\": bytes += "\\\\".utf8
                case "\n": bytes += "\\n".utf8
                case "\t": bytes += "\\t".utf8
                case "\r": bytes += "\\r".utf8
                default: bytes += (SafeText.jsonEscape(of: scalar) ?? String(scalar)).utf8
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension JSONValue: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        switch reader.peek() {
        case UInt8(ascii: "\""): self = .string(try reader.string())
        case UInt8(ascii: "["): self = .array(try [JSONValue](reading: &reader))
        case UInt8(ascii: "{"):
            var members: [String: JSONValue] = [:]
            try reader.object { key, reader throws(JSONFault) in
                members[try key.text] = try JSONValue(reading: &reader)
            }
            self = .object(members)
        default: self = try reader.literal()
        }
    }
}
