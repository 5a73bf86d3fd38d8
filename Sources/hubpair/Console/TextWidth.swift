import CGlibc
import Glibc

/// The number of terminal columns that `text` takes, as the C library counts them (wide characters take
/// two, combining marks none).
func columnWidth(of text: String) -> Int {
    if text.isPrintableASCII { return text.utf8.count }
    _ = localeIsSet
    return text.unicodeScalars.reduce(0) { $0 + max(0, Int(wcwidth(wchar_t(bitPattern: $1.value)))) }
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
    for character in text {
        width += columnWidth(of: String(character))
        guard width < room else { break }
        short.append(character)
    }
    return short + "…"
}

// wcwidth knows no character beyond ASCII in the C locale.
private let localeIsSet = setlocale(LC_CTYPE, "C.UTF-8") != nil
