import CGlibc
import Glibc

/// The number of terminal columns that `text` takes, as the C library counts them (wide characters take
/// two, combining marks none). A ``Colour`` takes none: it is the only escape sequence in escaped text.
func columnWidth(of text: String) -> Int {
    if text.isPrintableASCII { return text.utf8.count }
    _ = localeIsSet
    var isColour = false
    return text.unicodeScalars.reduce(0) { width, scalar in
        if scalar == "\u{1B}" { isColour = true }
        defer { if scalar == "m" { isColour = false } }
        return isColour ? width : width + max(0, Int(wcwidth(wchar_t(truncatingIfNeeded: scalar.value))))
    }
}

extension String {
    /// True if it holds nothing but printable ASCII, as most names do.
    fileprivate var isPrintableASCII: Bool {
        let isPrintable = { (byte: UInt8) in (0x20...0x7E).contains(byte) }
        return utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isPrintable) }
            ?? utf8.allSatisfy(isPrintable)
    }
}

/// `text` in at most `room` columns, with an ellipsis if something had to go.
func cut(_ text: String, to room: Int) -> String {
    guard columnWidth(of: text) > room else { return text }
    var short = ""
    var width = 0
    var isColour = false
    for character in text {
        if character == "\u{1B}" { isColour = true }
        if !isColour { width += columnWidth(of: String(character)) }
        guard width < room else { break }
        short.append(character)
        if character == "m" { isColour = false }
    }
    return short + "…" + (short.contains("\u{1B}") ? Colour.end : "")
}

/// `text` in lines of at most `width` columns, broken at spaces. A word that is longer has a line of its own,
/// so that a path or an address can be copied whole.
func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    var room = width
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
        let wordWidth = columnWidth(of: String(word))
        if !line.isEmpty, wordWidth >= room {
            lines.append(line)
            (line, room) = ("", width)
        }
        line += (line.isEmpty ? "" : " ") + word
        room = width - columnWidth(of: line)
    }
    return lines + [line]
}

// wcwidth knows no character beyond ASCII in the C locale.
private let localeIsSet = setlocale(LC_CTYPE, "C.UTF-8") != nil
