/// Reads JSON (RFC 8259) directly into values, without an intermediate tree.
///
/// For the reply of a hub with 1,000 devices, Foundation's decoder took more time than process start, TLS and
/// transfer together. The grammar is exactly that of the RFC, with two limits: at most `maximumDepth` levels,
/// and numbers that fit a Double. Of duplicate keys the last counts, as in the Python of a Hestia server, or
/// they are refused.
///
/// Accepted: `[{"a": -1.5e3, "b": "\u00e9"}]`. Rejected: `[1,]`, `01`, `"\ud800"`, `{"a":1} x`, invalid
/// UTF-8.
package struct JSONReader: ~Copyable {
    /// How duplicate keys in an object are handled; keys are compared after decoding escapes.
    package enum DuplicateKeys {
        /// The last value is used.
        case lastCounts
        /// The whole text is refused, whatever the depth: I-JSON (RFC 7493 § 2.3).
        case refused
    }

    /// The maximum nesting depth of objects and arrays.
    package static let maximumDepth = 64

    private let bytes: [UInt8]
    private let duplicateKeys: DuplicateKeys
    private var position = 0
    private var depth = 0

    /// Reads one value; throws if anything but white space follows it.
    package static func read<Value: JSONReadable>(
        _: Value.Type, from bytes: [UInt8], duplicateKeys: DuplicateKeys = .lastCounts
    ) throws(JSONFault) -> Value {
        // The whole text is validated here, because not every key is converted to a String.
        guard (try? UTF8Span(validating: bytes.span)) != nil else { throw JSONFault(.syntax) }
        var reader = JSONReader(bytes: bytes, duplicateKeys: duplicateKeys)
        let value = try Value(reading: &reader)
        guard reader.peek() == nil else { throw JSONFault(.syntax) }
        return value
    }

    private init(bytes: [UInt8], duplicateKeys: DuplicateKeys) {
        self.bytes = bytes
        self.duplicateKeys = duplicateKeys
    }

    /// Skips white space and returns the next byte without consuming it.
    package mutating func peek() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard peek() == byte else { return false }
        position += 1
        return true
    }

    /// Reads an object. `member` is called with each key and must read its value.
    package mutating func object(_ member: (JSONKey, inout JSONReader) throws(JSONFault) -> Void)
        throws(JSONFault)
    {
        try open(UInt8(ascii: "{"))
        guard !take(UInt8(ascii: "}")) else { return close() }
        var keys: Set<[UInt8]> = []
        repeat {
            let (range, hasEscapes) = try quotedRange()
            guard take(UInt8(ascii: ":")) else { throw JSONFault(.syntax) }
            let key = JSONKey(bytes: bytes, range: range, hasEscapes: hasEscapes)
            if duplicateKeys == .refused, try !keys.insert(Array(key.text.utf8)).inserted {
                throw JSONFault(.duplicateKey)
            }
            do {
                try member(key, &self)
            } catch {
                throw error.inside(try key.text)
            }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw JSONFault(.syntax) }
        close()
    }

    /// Reads an array. `element` is called for each element and must read it.
    package mutating func array(_ element: (inout JSONReader) throws(JSONFault) -> Void) throws(JSONFault) {
        try open(UInt8(ascii: "["))
        guard !take(UInt8(ascii: "]")) else { return close() }
        var count = 0
        repeat {
            count += 1
            do {
                try element(&self)
            } catch {
                throw error.inside("entry \(count)")
            }
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw JSONFault(.syntax) }
        close()
    }

    /// Reads a value that is not needed: as strictly as any, without building it.
    package mutating func skip() throws(JSONFault) {
        switch peek() {
        case UInt8(ascii: "\""):
            let (range, hasEscapes) = try quotedRange()
            if hasEscapes { _ = try JSONReader.unescaped(bytes[range]) }
        case UInt8(ascii: "["): try array { reader throws(JSONFault) in try reader.skip() }
        case UInt8(ascii: "{"):
            try object { key, reader throws(JSONFault) in
                if key.hasEscapes { _ = try key.text }
                try reader.skip()
            }
        default: _ = try literal()
        }
    }

    private mutating func open(_ bracket: UInt8) throws(JSONFault) {
        guard take(bracket) else { throw mismatch() }
        depth += 1
        guard depth <= JSONReader.maximumDepth else { throw JSONFault(.tooDeep) }
    }

    /// The fault when the next value is not of the expected type: `otherType` if a value starts here, else
    /// `syntax`.
    private mutating func mismatch() -> JSONFault {
        switch peek() {
        case UInt8(ascii: "\"")?, UInt8(ascii: "[")?, UInt8(ascii: "{")?, UInt8(ascii: "-")?, (0x30...0x39)?,
            UInt8(ascii: "t")?, UInt8(ascii: "f")?, UInt8(ascii: "n")?:
            JSONFault(.otherType)
        default: JSONFault(.syntax)
        }
    }

    private mutating func close() { depth -= 1 }

    package mutating func string() throws(JSONFault) -> String {
        let (range, hasEscapes) = try quotedRange()
        return try JSONReader.text(bytes, range, hasEscapes: hasEscapes)
    }

    static func text(
        _ bytes: [UInt8], _ range: Range<Int>, hasEscapes: Bool
    ) throws(JSONFault) -> String {
        if hasEscapes { return try unescaped(bytes[range]) }
        return try validated(bytes.span.extracting(range))
    }

    /// Reads a string.
    ///
    /// - Returns: the range between its quotation marks.
    private mutating func quotedRange() throws(JSONFault) -> (Range<Int>, hasEscapes: Bool) {
        guard take(UInt8(ascii: "\"")) else { throw mismatch() }
        let start = position
        var hasEscapes = false
        var end = start
        let bytes = bytes
        let span = bytes.span
        while end < span.count {
            switch span[end] {
            case UInt8(ascii: "\""):
                position = end + 1
                return (start..<end, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                end += 2
            case ..<0x20: throw JSONFault(.syntax)
            default: end += 1
            }
        }
        throw JSONFault(.syntax)
    }

    private static func unescaped(_ text: ArraySlice<UInt8>) throws(JSONFault) -> String {
        var units: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                units.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\"")?: units.append(UInt8(ascii: "\""))
            case UInt8(ascii: "\\")?: units.append(UInt8(ascii: "\\"))
            case UInt8(ascii: "/")?: units.append(UInt8(ascii: "/"))
            case UInt8(ascii: "b")?: units.append(0x08)
            case UInt8(ascii: "f")?: units.append(0x0C)
            case UInt8(ascii: "n")?: units.append(0x0A)
            case UInt8(ascii: "r")?: units.append(0x0D)
            case UInt8(ascii: "t")?: units.append(0x09)
            case UInt8(ascii: "u")?: units += Array(String(try scalar(&rest)).utf8)
            default: throw JSONFault(.syntax)
            }
        }
        return try validated(units.span)
    }

    /// A replacement for `String(validating:)`, which looks its types up again for every string and took
    /// longer than everything else.
    private static func validated(_ bytes: Span<UInt8>) throws(JSONFault) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw JSONFault(.syntax)
        }
    }

    /// The scalar after `\u`; a scalar outside the Basic Multilingual Plane needs a surrogate pair (RFC 8259
    /// § 7).
    private static func scalar(_ rest: inout ArraySlice<UInt8>) throws(JSONFault) -> Unicode.Scalar {
        let first = try hexadecimal(&rest)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), rest.popFirst() == UInt8(ascii: "\\"),
            rest.popFirst() == UInt8(ascii: "u")
        else { throw JSONFault(.syntax) }
        let second = try hexadecimal(&rest)
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONFault(.syntax) }
        return scalar
    }

    private static func hexadecimal(_ rest: inout ArraySlice<UInt8>) throws(JSONFault) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = rest.popFirst(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw JSONFault(.syntax)
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Reads a number, `true`, `false` or `null`.
    package mutating func literal() throws(JSONFault) -> JSONValue {
        guard peek() != nil else { throw JSONFault(.syntax) }
        let start = position
        while position < bytes.count, JSONReader.isWordByte(bytes[position]) { position += 1 }
        let word = bytes[start..<position]
        switch word.first {
        case UInt8(ascii: "t") where word.elementsEqual("true".utf8): return .boolean(true)
        case UInt8(ascii: "f") where word.elementsEqual("false".utf8): return .boolean(false)
        case UInt8(ascii: "n") where word.elementsEqual("null".utf8): return .null
        default: return try JSONReader.number(word)
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func number(_ word: ArraySlice<UInt8>) throws(JSONFault) -> JSONValue {
        var rest = word
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let hasLeadingZero = rest.first == 0x30
        let whole = digits()
        guard whole > 0, whole == 1 || !hasLeadingZero else { throw JSONFault(.syntax) }
        var isInteger = true
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            isInteger = false
            guard digits() > 0 else { throw JSONFault(.syntax) }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            isInteger = false
            if rest.first == UInt8(ascii: "-") || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
            guard digits() > 0 else { throw JSONFault(.syntax) }
        }
        guard rest.isEmpty else { throw JSONFault(.syntax) }
        if isInteger, word.count <= 18, word.first != UInt8(ascii: "-") {
            return .integer(word.reduce(0) { 10 * $0 + Int64($1 - 0x30) })
        }
        let text = String(decoding: word, as: UTF8.self)
        if isInteger, let value = Int64(text) { return .integer(value) }
        guard let value = Double(text), value.isFinite else { throw JSONFault(.syntax) }
        return .number(value)
    }
}
