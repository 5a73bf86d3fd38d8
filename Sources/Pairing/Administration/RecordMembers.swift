package import FoundationEssentials
package import JSON

/// The members of an object that a hub has sent, of which each is asked for by its key. `null` is the same as
/// a key that is missing: hubs of other versions send more keys, or fewer.
package struct RecordMembers {
    private let members: [String: JSONValue]

    package init(reading reader: inout JSONReader) throws(JSONFault) {
        guard let members = try JSONValue(reading: &reader).asObject else { throw JSONFault(.otherType) }
        self.members = members
    }

    package init(_ members: [String: JSONValue]) { self.members = members }

    /// The value; nil for `null` too.
    package subscript(key: String) -> JSONValue? { members[key].flatMap { $0 == .null ? nil : $0 } }

    package func text(_ key: String) throws(JSONFault) -> String? {
        switch self[key] {
        case nil: return nil
        case .string(let text)?: return text
        default: throw JSONFault(.otherType).inside(key)
        }
    }

    /// A text that `read` takes.
    package func required<Value>(_ key: String, _ read: (String) -> Value?) throws(JSONFault) -> Value {
        let text = try text(key).required(key)
        guard let value = read(text) else { throw JSONFault(.otherType).inside(key) }
        return value
    }

    package func optional<Value>(_ key: String, _ read: (String) -> Value?) throws(JSONFault) -> Value? {
        guard let text = try text(key) else { return nil }
        guard let value = read(text) else { throw JSONFault(.otherType).inside(key) }
        return value
    }

    package func time(_ key: String) throws(JSONFault) -> Date? { try optional(key, Date.init(timestamp:)) }

    package func integer(_ key: String) throws(JSONFault) -> Int? {
        switch self[key] {
        case nil: return nil
        case .integer(let number)?:
            guard let number = Int(exactly: number) else { throw JSONFault(.otherType).inside(key) }
            return number
        default: throw JSONFault(.otherType).inside(key)
        }
    }

    package func boolean(_ key: String) throws(JSONFault) -> Bool? {
        switch self[key] {
        case nil: return nil
        case .boolean(let value)?: return value
        default: throw JSONFault(.otherType).inside(key)
        }
    }

    /// The texts of an array; none if the key is missing.
    package func texts<Value>(_ key: String, _ read: (String) -> Value?) throws(JSONFault) -> [Value] {
        switch self[key] {
        case nil: return []
        case .array(let values)?:
            let read = values.compactMap { $0.asString.flatMap(read) }
            guard read.count == values.count else { throw JSONFault(.otherType).inside(key) }
            return read
        default: throw JSONFault(.otherType).inside(key)
        }
    }
}
