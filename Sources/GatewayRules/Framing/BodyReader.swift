import Identity

/// A part of a message in a connection's byte stream.
package enum MessagePart<Head: Sendable>: Sendable {
    /// A complete head, including its empty line.
    case head(Head)
    /// The range of the given bytes that belongs to the body.
    case body(Range<Int>)
    /// The end of the message, with its trailers.
    case end(FieldBlock)
}

/// Finds the bytes and the end of a body with the framing that the head announces.
///
///     chunk   = 1*15HEXDIG [ ";" *value ] CRLF *OCTET CRLF      ; RFC 9112 § 7.1
///
/// Accepted: `3;x="y"␍␊abc␍␊0␍␊␍␊`. Rejected: a size with a sign, a space, an underscore or `0x`, a line that
/// ends with `␊` alone, bytes after a chunk other than `␍␊`.
struct BodyReader: Sendable {
    private enum Stage: Sendable {
        case bytes(left: Int)
        case untilClose
        case chunkLine
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case complete
    }

    private var stage: Stage
    private var lines: LineReader
    private var trailers: FieldReader

    /// - Parameters:
    ///   - lines: the reader of the head's lines; trailers share its remaining byte limit.
    ///   - fields: the reader of the head's fields; trailers share its remaining field limit.
    init(_ framing: BodyFraming, after lines: LineReader, _ fields: FieldReader) {
        stage =
            switch framing {
            case .none: .bytes(left: 0)
            case .length(let count): .bytes(left: count)
            case .chunked: .chunkLine
            case .untilClose: .untilClose
            }
        self.lines = lines
        trailers = FieldReader(limit: fields.room)
    }

    /// True once the last byte of the body has been read.
    var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True if the body ends with the connection.
    var endsWithConnection: Bool { if case .untilClose = stage { true } else { false } }

    /// The next part; nil if it needs more bytes, or if the body is complete.
    ///
    /// - Parameter start: the number of bytes that belong to the head.
    /// - Returns: the part, and how many bytes were consumed; these must not be passed again.
    mutating func next<Head>(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(FramingError) -> (count: Int, part: MessagePart<Head>?) {
        var position = start
        while true {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            switch stage {
            case .complete: return (position, nil)
            case .untilClose:
                return rest.isEmpty ? (position, nil) : (bytes.count, .body(position..<bytes.count))
            case .bytes(let left):
                guard left > 0 else {
                    stage = .complete
                    return (position, .end(FieldBlock()))
                }
                guard !rest.isEmpty else { return (position, nil) }
                let count = min(left, rest.count)
                stage = .bytes(left: left - count)
                return (position + count, .body(position..<position + count))
            case .chunk(let left):
                guard !rest.isEmpty else { return (position, nil) }
                let count = min(left, rest.count)
                stage = count == left ? .chunkEnd : .chunk(left: left - count)
                return (position + count, .body(position..<position + count))
            case .chunkLine, .chunkEnd, .trailer:
                let kind: LineReader.Kind = if case .trailer = stage { .field } else { .chunk }
                guard let count = try lines.next(rest, kind) else { return (position, nil) }
                position += count + 2
                if try take(UnsafeRawBufferPointer(rebasing: rest[..<count])) {
                    return (position, .end(trailers.block))
                }
            }
        }
    }

    /// Consumes a line; returns true if it was the last one.
    private mutating func take(_ line: UnsafeRawBufferPointer) throws(FramingError) -> Bool {
        switch stage {
        case .chunkLine:
            let size = try BodyReader.chunkSize(line)
            stage = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard line.isEmpty else { throw .badChunk }
            stage = .chunkLine
        case .trailer where line.isEmpty:
            stage = .complete
            return true
        case .trailer: try trailers.takeTrailer(line)
        case .bytes, .chunk, .untilClose, .complete: break
        }
        return false
    }

    private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(FramingError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard (1...15).contains(digits.count) else { throw .badChunk }
        var size = 0
        for digit in digits {
            guard let value = UInt8(hexDigit: digit) else { throw .badChunk }
            size = size << 4 | Int(value)
        }
        return size
    }
}
