/// What a connection's bytes are made of.
package enum MessagePart<Head: Sendable>: Sendable {
    /// A head, whole to its empty line.
    case head(Head)
    /// These of the bytes given belong to the body.
    case body(Range<Int>)
    /// The message is over; its trailers.
    case end(FieldBlock)
}

/// Finds the bytes of a body and its end, by the framing that the head has announced.
///
///     chunk   = 1*15HEXDIG [ ";" *value ] CRLF *OCTET CRLF      ; RFC 9112 § 7.1
///
/// Accepted: `3;x="y"␍␊abc␍␊0␍␊␍␊`. Rejected: a size with a sign, a space, an underscore or `0x`, a line that
/// ends with `␊` alone, bytes behind a chunk that are not `␍␊`.
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
    ///   - lines: the reader of the head's lines: what is left of its bytes is what trailers may have.
    ///   - fields: the reader of the head's fields, likewise.
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

    /// True from the body's last byte on.
    var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True if the end of the connection is the end of the body.
    var endsWithConnection: Bool { if case .untilClose = stage { true } else { false } }

    /// The next part; nil if more bytes are needed for it, or the body is complete.
    ///
    /// - Parameter start: so many of the bytes belong to the head.
    /// - Returns: also how many bytes are used up, which are not to be given again.
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

    /// Takes a line; true if it was the last one.
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
            guard let value = hexValue(digit) else { throw .badChunk }
            size = size << 4 | Int(value)
        }
        return size
    }
}
