/// Percent-encoding (RFC 3986 § 2.1).
package enum PercentCoding {
    /// The UTF-8 of `text`, in which each byte that is not kept is written as `%XX`.
    package static func encoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            if isKept(byte) {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded += "%" + byte.hexDigits(uppercase: true)
            }
        }
    }

    /// The bytes that `text` stands for; nil if a `%` is not followed by two hexadecimal digits.
    package static func strictlyDecoded(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        decoded(text, keepingMalformed: false)
    }

    /// The bytes that `text` stands for, with each `%` that begins no escape left as it is, as many servers
    /// read it.
    package static func decoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        decoded(text, keepingMalformed: true) ?? []
    }

    private static func decoded(_ text: ArraySlice<UInt8>, keepingMalformed: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            if byte != UInt8(ascii: "%") {
                bytes.append(byte)
            } else if let high = rest.first.flatMap(UInt8.init(hexDigit:)),
                let low = rest.dropFirst().first.flatMap(UInt8.init(hexDigit:))
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                guard keepingMalformed else { return nil }
                bytes.append(byte)
            }
        }
        return bytes
    }
}
