import Identity

/// Text from the network on its way to a terminal, in pieces: whatever could drive the terminal is written as
/// `\u{1B}`, all but line ends and tabs; it ends with a line end.
struct TerminalText {
    /// The bytes of a character that is not whole yet, at most 3.
    private var unfinished: [UInt8] = []
    private var last = UInt8(ascii: "\n")

    init() {}

    /// What the terminal gets for the next piece.
    mutating func escaped(_ piece: [UInt8]) -> [UInt8] {
        let bytes = unfinished + piece
        let count = bytes.count - TerminalText.unfinishedCount(bytes)
        unfinished = Array(bytes[count...])
        return safe(bytes[..<count])
    }

    /// What the terminal gets at the end.
    mutating func end() -> [UInt8] {
        let rest = safe(unfinished[...])
        return last == UInt8(ascii: "\n") ? rest : rest + [UInt8(ascii: "\n")]
    }

    private mutating func safe(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\n" || scalar == "\t" || !scalar.isControlling {
                text.unicodeScalars.append(scalar)
            } else if scalar != "\r" {
                text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            }
        }
        last = text.utf8.last ?? last
        return Array(text.utf8)
    }

    /// How many bytes at the end begin a character (RFC 3629 § 3) that needs more.
    private static func unfinishedCount(_ bytes: [UInt8]) -> Int {
        for (offset, byte) in bytes.suffix(3).reversed().enumerated() where byte & 0xC0 != 0x80 {
            let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return length > offset + 1 ? offset + 1 : 0
        }
        return 0
    }
}
