import JSON

// Members that may be missing, or null.
extension JSONReader {
    /// Reads a string, or `null` for one that is not there.
    mutating func stringOrNull() throws(JSONFault) -> String? {
        switch try JSONValue(reading: &self) {
        case .string(let text): return text
        case .null: return nil
        default: throw JSONFault(.otherType)
        }
    }

    /// Reads an array of strings, or `null` for one that is not there.
    mutating func stringsOrNull() throws(JSONFault) -> [String]? {
        if peek() == UInt8(ascii: "[") { return try [String](reading: &self) }
        guard case .null = try JSONValue(reading: &self) else { throw JSONFault(.otherType) }
        return nil
    }
}
