import Identity

/// What can be written as JSON.
package protocol JSONWritable {
    /// Adds itself to `bytes`, on one line.
    func write(to bytes: inout [UInt8])
}

/// Any JSON value (RFC 8259), so that what a newer server says survives: unknown kinds of activators, extra fields.
package enum JSONValue: Equatable, Sendable, JSONWritable {
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Finite.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a text that is one value.
    package init?(parsing bytes: [UInt8]) {
        guard let value = try? JSONReader.read(JSONValue.self, from: bytes) else { return nil }
        self = value
    }

    /// The value as one line of JSON, keys in the order of the alphabet. Whatever could drive a terminal, break a line or
    /// turn the text around is written as `\uXXXX`.
    package var text: String {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The number, whether it was written with a fraction or without.
    package var asDouble: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The text, if it is one.
    package var asString: String? { if case .string(let text) = self { text } else { nil } }

    /// The members, if it is an object.
    package var asObject: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// Adds ``text`` to `bytes`.
    package func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .boolean(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .number(let value):
            // With its fraction, so that it stays a number of that kind.
            bytes += (value.isFinite ? String(value) : "null").utf8
        case .string(let text): JSONValue.write(text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONValue.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Adds a text in quotation marks.
    package static func write(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        // Most of it is plain, and stands in one piece.
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
