/// A text in the characters that codes are made of, as far as it means them: without what nobody sees, with
/// one kind of dash, space, quote and stop, and with digits and letters of full width as plain ones.
struct PlainText {
    /// Runs of spaces are one.
    let text: String

    init(_ text: some StringProtocol) {
        var plain = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard let scalar = PlainText.plain(scalar), scalar != " " || plain.last != " " else { continue }
            plain.append(scalar)
        }
        self.text = String(plain)
    }

    private init(plain text: some StringProtocol) { self.text = String(text) }

    /// Nil for what is not shown.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar.value {
        case 0x60, 0xB4, 0x2032, 0x2033: return "'"
        case 0x21...0x7E: return scalar
        case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0)
        // Full stops, dots and an ellipsis.
        case 0x3002, 0xFF61, 0x2024, 0x2026, 0xB7, 0x2022, 0x30FB: return "."
        case 0x2236, 0xFE55, 0xA789: return ":"
        case 0x2044, 0x2215: return "/"
        case 0x2D7, 0x2043, 0x2500, 0x2501, 0x30FC: return "-"
        // Blank letters.
        case 0x115F, 0x1160, 0x3164, 0xFFA0, 0x2800: return " "
        default: break
        }
        let properties = scalar.properties
        if properties.isWhitespace { return " " }
        if properties.isDash { return "-" }
        if properties.isQuotationMark { return "'" }
        switch properties.generalCategory {
        case .format, .control, .nonspacingMark, .enclosingMark: return nil
        case .decimalNumber:
            return properties.numericValue.flatMap { Unicode.Scalar(UInt8(0x30 + Int($0))) }
        case .initialPunctuation, .finalPunctuation, .openPunctuation, .closePunctuation: return "'"
        default: return scalar
        }
    }

    /// What stands behind `HUBPAIR:`, and whether that is a word of its own.
    var afterPrefix: (PlainText, isWord: Bool)? {
        let bytes = Array(text.utf8)
        guard let end = PairingCode.end(ofPrefixIn: bytes) else { return nil }
        let before = bytes[..<(end - PairingCode.prefix.utf8.count)].last
        return (
            PlainText(plain: String(decoding: bytes[end...], as: UTF8.self)),
            before.map { !PlainText.isLetterOrDigit($0) } ?? true
        )
    }

    /// What stands before and behind the last `#`, which may be percent-encoded.
    var aroundHash: (PlainText, PlainText)? {
        if let hash = text.lastIndex(of: "#") {
            return (PlainText(plain: text[..<hash]), PlainText(plain: text[text.index(after: hash)...]))
        }
        return text.firstRange(of: "/%23").map {
            (PlainText(plain: text[..<$0.lowerBound]), PlainText(plain: text[$0.upperBound...]))
        }
    }

    /// What stands behind the last colon; all, if there is none.
    var afterColon: PlainText {
        text.lastIndex(of: ":").map { PlainText(plain: text[text.index(after: $0)...]) } ?? self
    }

    /// True if what stands behind the last colon is as long as a pairing code, and mixed as one.
    var isLongCode: Bool {
        guard let symbols = afterColon.symbols, (70...110).contains(symbols.count) else { return false }
        // A code has 25 of them, and one in a million has fewer than 8. A digest in hexadecimal has no
        // others.
        return symbols.utf8.count { (0x30...0x39).contains($0) } >= 8
            && symbols.utf8.contains { $0 > UInt8(ascii: "F") }
    }

    /// Without what is no letter or digit at its ends.
    var trimmed: PlainText {
        let start = text.firstIndex { $0.isLetter || $0.isNumber }
        let end = text.lastIndex { $0.isLetter || $0.isNumber }
        guard let start, let end else { return PlainText(plain: "") }
        return PlainText(plain: text[start...end])
    }

    /// True if there is punctuation that stands in file names and sentences.
    var hasStops: Bool { text.contains { ".,;!".contains($0) } }

    /// The letters and digits, if nothing else is there but spaces, dashes, quotes, stops and brackets; nil
    /// otherwise. In their own case.
    var word: String? {
        var word = ""
        for byte in text.utf8 {
            if PlainText.isLetterOrDigit(byte) {
                word.unicodeScalars.append(Unicode.Scalar(byte))
            } else if !" -'\".,;!_*()[]<>{}".utf8.contains(byte) {
                return nil
            }
        }
        return word
    }

    /// The same as symbols of base32: in upper case, I and L as 1, O as 0.
    var symbols: String? {
        word.map { word in
            String(
                word.uppercased().map { letter in
                    switch letter {
                    case "I", "L": "1"
                    case "O": "0"
                    default: letter
                    }
                })
        }
    }

    /// In upper case, without spaces and dashes.
    var compact: String { text.filter { $0 != " " && $0 != "-" }.uppercased() }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
}
