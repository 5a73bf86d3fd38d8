/// What percent-encoded bytes stand for (RFC 3986 § 2.1).
package enum PercentDecoding {
    /// The bytes; nil if a `%` is not followed by two hexadecimal digits.
    package static func strict(_ text: some Collection<UInt8>) -> [UInt8]? { decoded(text, keeping: false) }

    /// The bytes, with each `%` that begins no escape left as it is, as many servers read it.
    static func lenient(_ text: some Collection<UInt8>) -> [UInt8] { decoded(text, keeping: true) ?? [] }

    private static func decoded(_ text: some Collection<UInt8>, keeping malformed: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let high = rest.first.flatMap(hexValue),
                let low = rest.dropFirst().first.flatMap(hexValue)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                guard malformed else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }
}

/// The value of a hexadecimal digit; nil for any other byte.
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
}
