/// The key of an object member, compared in place: most keys are never converted to a String.
package struct JSONKey {
    let bytes: [UInt8]
    let range: Range<Int>
    let hasEscapes: Bool

    package var text: String {
        get throws(JSONFault) { try JSONReader.text(bytes, range, hasEscapes: hasEscapes) }
    }

    /// Lets a `switch` match known keys.
    package static func ~= (name: StaticString, key: JSONKey) -> Bool {
        if key.hasEscapes { return (try? key.text).map { $0.utf8.elementsEqual("\(name)".utf8) } ?? false }
        guard key.range.count == name.utf8CodeUnitCount else { return false }
        let span = key.bytes.span
        return name.withUTF8Buffer { name in
            var index = key.range.lowerBound
            for byte in name {
                guard span[index] == byte else { return false }
                index += 1
            }
            return true
        }
    }
}

/// A type that can be read from JSON.
package protocol JSONReadable {
    init(reading reader: inout JSONReader) throws(JSONFault)
}

extension Optional {
    /// The value of a required member, to be called after the object has been read.
    package func required(_ key: String) throws(JSONFault) -> Wrapped {
        guard let self else { throw JSONFault(.missing(key)) }
        return self
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        var elements: [Element] = []
        try reader.array { reader throws(JSONFault) in elements.append(try Element(reading: &reader)) }
        self = elements
    }
}

extension String: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) { self = try reader.string() }
}

extension Int: JSONReadable {
    package init(reading reader: inout JSONReader) throws(JSONFault) {
        // 0.0 equals 0 (RFC 8259 § 6), and some languages write every number with a fraction.
        let value: Int? =
            switch try JSONValue(reading: &reader) {
            case .integer(let integer): Int(exactly: integer)
            case .number(let number): Int(exactly: number)
            default: nil
            }
        guard let value else { throw JSONFault(.otherType) }
        self = value
    }
}
