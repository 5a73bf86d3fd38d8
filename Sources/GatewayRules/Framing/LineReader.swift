/// Finds the lines of a head, of chunk framing and of trailers. Each line ends with CR LF and contains no
/// control character except tab (RFC 9112 § 2.2, RFC 9110 § 5.5).
struct LineReader: Sendable {
    /// The kind of a line, which determines its maximum length.
    enum Kind {
        /// A request line or a status line.
        case start
        /// A field line of a head or of trailers.
        case field
        /// The size line of a chunk, or the line end after its data.
        case chunk
    }

    /// The maximum length of a start line in bytes.
    static let maximumStartByteCount = 8_192
    /// The maximum length of a chunk's size line in bytes.
    static let maximumChunkByteCount = 256

    /// The maximum size of a head with its trailers in bytes.
    private let limit: Int
    private var byteCount = 0
    /// How many bytes of an incomplete line were scanned already; without this, a sender of single bytes
    /// would cost quadratic time.
    private var scannedByteCount = 0

    init(limit: Int) { self.limit = limit }

    /// True if nothing but at most one empty line was read.
    var isAtStart: Bool { byteCount <= 2 }

    /// The length of the line at the start of `bytes`, without its CR LF; nil if its end has not arrived.
    mutating func next(_ bytes: UnsafeRawBufferPointer, _ kind: Kind) throws(FramingError) -> Int? {
        let end = bytes[scannedByteCount...].firstIndex(of: UInt8(ascii: "\n"))
        let count = end.map { $0 + 1 } ?? bytes.count
        // The end of the text: before LF, and before a CR that is, or may become, part of the line end.
        var textEnd = end ?? count
        if textEnd > 0, bytes[textEnd - 1] == UInt8(ascii: "\r") { textEnd -= 1 }
        let (most, fault) = limit(kind)
        // Checked up to the maximum length, and before the length itself: the error must not depend on how
        // many bytes have arrived.
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

    /// The maximum length of the line, and the error if it is longer.
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

/// True for a `tchar` (RFC 9110 § 5.6.2).
package func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    // With the one that most names have, and the search of a string takes long for.
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"): true
    default: "!#$%&'*+.^_`|~".utf8.contains(byte)
    }
}

/// True if `bytes` equal `word`, which is in lower case, without regard to ASCII case.
func isEqual(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { zip(bytes, $0).allSatisfy { ($0 | ($0 &- 0x41 < 26 ? 0x20 : 0)) == $1 } }
}
