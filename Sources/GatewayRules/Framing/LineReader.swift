/// Finds the lines of a head, of a chunk's frame and of trailers: each ends with CR LF, and holds no other
/// control character than the tab (RFC 9112 § 2.2, RFC 9110 § 5.5).
struct LineReader: Sendable {
    /// What a line belongs to, which decides how long it may be.
    enum Kind {
        /// A request line or a status line.
        case start
        /// A field of a head or of trailers.
        case field
        /// A chunk's size, or the end of its bytes.
        case chunk
    }

    /// The most bytes of a start line.
    static let maximumStartByteCount = 8_192
    /// The most bytes of a chunk's first line.
    static let maximumChunkByteCount = 256

    /// The most bytes of a head and its trailers together.
    private let limit: Int
    private var byteCount = 0
    /// So many bytes that wait for the end of their line have been looked through: a sender of single bytes
    /// must not cost the square of their number.
    private var scannedByteCount = 0

    init(limit: Int) { self.limit = limit }

    /// True if no line but an empty one has been read.
    var isAtStart: Bool { byteCount <= 2 }

    /// The number of bytes of the line that `bytes` begin with, without its CR LF; nil if its end is not
    /// there yet.
    mutating func next(_ bytes: UnsafeRawBufferPointer, _ kind: Kind) throws(FramingError) -> Int? {
        let end = bytes[scannedByteCount...].firstIndex(of: UInt8(ascii: "\n"))
        let count = end.map { $0 + 1 } ?? bytes.count
        // Where the text ends: in front of LF, and of a CR that is, or may become, part of the line's end.
        var textEnd = end ?? count
        if textEnd > 0, bytes[textEnd - 1] == UInt8(ascii: "\r") { textEnd -= 1 }
        let (most, fault) = limit(kind)
        // As far as the line may go, and before its length: what is wrong must not depend on how many bytes
        // have come.
        try LineReader.check(bytes[min(scannedByteCount, textEnd, most)..<min(textEnd, most)])
        guard count <= most else { throw fault }
        scannedByteCount = end == nil ? textEnd : 0
        guard let end else { return nil }
        guard textEnd < end else { throw .bareLineFeed }
        let line = bytes[..<textEnd]
        guard line.allSatisfy({ $0 < 0x80 }) || String(validating: line, as: UTF8.self) != nil else {
            throw .notUTF8
        }
        if kind != .chunk { byteCount += count }
        return textEnd
    }

    /// The most bytes that the line may have, and what it is if it has more.
    private func limit(_ kind: Kind) -> (Int, FramingError) {
        let rest = max(0, limit - byteCount)
        return switch kind {
        case .chunk: (LineReader.maximumChunkByteCount, .badChunk)
        case .start where LineReader.maximumStartByteCount <= rest:
            (LineReader.maximumStartByteCount, .startLineTooLong)
        case .start, .field: (rest, .headTooLarge(limit: limit))
        }
    }

    private static func check(_ text: Slice<UnsafeRawBufferPointer>) throws(FramingError) {
        for byte in text where byte < 0x20 && byte != 0x09 || byte == 0x7F {
            throw byte == UInt8(ascii: "\r") ? .bareCarriageReturn : .controlCharacter
        }
    }
}

/// tchar of RFC 9110 § 5.6.2.
func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// True if `bytes` are `word`, which is in lower case, whatever their case.
func isEqual(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { zip(bytes, $0).allSatisfy { ($0 | ($0 &- 0x41 < 26 ? 0x20 : 0)) == $1 } }
}
