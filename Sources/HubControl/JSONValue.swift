import FoundationEssentials

/// Any JSON value (RFC 8259), so that what a newer server says survives: unknown kinds of activators, extra fields.
package enum JSONValue: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The value as one line of JSON, keys in the order of the alphabet.
    package var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON again.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    /// The number, whether it was written with a fraction or without.
    package var asDouble: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// A key of an object whose keys are not known beforehand.
struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer where Key == AnyKey {
    func required<Value: Decodable>(_ key: String) throws -> Value {
        try decode(Value.self, forKey: AnyKey(stringValue: key))
    }

    /// The field `state`, tried as one type before all others.
    func state<Value: Decodable>(
        ifLikely type: Value.Type, _ make: (Value) -> JSONValue
    ) throws -> JSONValue {
        let key = AnyKey(stringValue: "state")
        return try (try? decode(type, forKey: key)).map(make) ?? decode(JSONValue.self, forKey: key)
    }

    /// All the fields but `known`.
    func extra(besides known: Set<String>) throws -> [String: JSONValue] {
        var extra: [String: JSONValue] = [:]
        for key in allKeys where !known.contains(key.stringValue) {
            extra[key.stringValue] = try decode(JSONValue.self, forKey: key)
        }
        return extra
    }
}

extension KeyedEncodingContainer where Key == AnyKey {
    mutating func set(_ key: String, to value: some Encodable) throws {
        try encode(value, forKey: AnyKey(stringValue: key))
    }

    mutating func add(_ extra: [String: JSONValue]) throws {
        for (key, value) in extra { try set(key, to: value) }
    }
}
