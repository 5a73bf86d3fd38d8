import Identity

/// Where requests begin and end in a stream of bytes (HTTP/1.1, RFC 9112), stricter than any reader behind it.
///
///     head    = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF *( name ":" value CRLF ) CRLF
///     target  = "/" *( %x21-7E without "#" )
///     name    = 1*tchar                     ; RFC 9110 § 5.6.2; no space before the colon
///     value   = *( HTAB / %x20-7E / %x80-FF )         ; together UTF-8: NIO would alter anything else
///     chunk   = 1*15HEXDIG [ ";" *value ] CRLF *OCTET CRLF
///
/// A request smuggled past a gateway is one that two readers cut in two places. So whatever leaves a choice is
/// refused here, before NIO's parser sees the end of the head: a bare CR or LF, a folded line, Transfer-Encoding
/// beside Content-Length or in HTTP/1.0, one of them twice, another coding than `chunked`, a length that is not
/// digits alone, no Host or two of them, a target in absolute, authority or asterisk form.
///
/// Accepted: `GET /devices/ HTTP/1.1␍␊Host: hub␍␊␍␊`. Rejected: the same with `␊` for `␍␊`, with `Host : hub`,
/// with `http://hub/devices/`.
package struct RequestFraming: Sendable {
    /// The most bytes of a head, and of the trailers.
    static let maximumHeadByteCount = 32_768
    /// The most bytes of a request line.
    static let maximumRequestLineByteCount = 8_192
    /// The most fields of a head and its trailers together; NIO's parser has room for more.
    static let maximumFieldCount = 100
    /// The most bytes of a chunk's first line.
    static let maximumChunkLineByteCount = 256

    private enum Stage: Sendable {
        case requestLine
        case field
        case body(left: Int)
        case chunkLine
        case chunk(left: Int)
        case chunkEnd
        case trailer
        case complete
    }

    private var stage = Stage.requestLine
    private var headByteCount = 0
    private var fieldCount = 0
    private var hostCount = 0
    private var contentLength: Int?
    private var isChunked = false
    private var isHTTP10 = false
    /// So many bytes that wait for the end of their line have been looked through already: who sends one byte at
    /// a time must not cost the square of it.
    private var scannedByteCount = 0

    package init() {}

    /// True from the request's last byte on, until `startNext`.
    package var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True before the first whole line of a request.
    package var isAtStart: Bool { if case .requestLine = stage { true } else { false } }

    /// True while the head is not whole.
    package var isInHead: Bool {
        switch stage {
        case .requestLine, .field: true
        default: false
        }
    }

    /// Begins with the next request on the connection.
    package mutating func startNext() { self = RequestFraming() }

    /// Checks the next bytes, those that waited and those behind them: whole lines, and as much of the body as there
    /// is.
    ///
    /// - Returns: how many of them belong to this request and are well. The others wait for more bytes, or are
    ///   the next request's.
    package mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(RequestFramingError) -> Int {
        var position = 0
        while position < bytes.count {
            let rest = bytes.count - position
            switch stage {
            case .complete:
                return position
            case .body(let left):
                stage = left > rest ? .body(left: left - rest) : .complete
                position += min(left, rest)
            case .chunk(let left):
                stage = left > rest ? .chunk(left: left - rest) : .chunkEnd
                position += min(left, rest)
            case .requestLine, .field, .chunkLine, .chunkEnd, .trailer:
                guard let count = try lineByteCount(UnsafeRawBufferPointer(rebasing: bytes[position...]))
                else { return position }
                let line = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
                try take(line)
                position += count + 2
            }
        }
        return position
    }

    /// The bytes of the line that `bytes` begin with, without its CR LF; nil if its end is not there yet.
    private mutating func lineByteCount(_ bytes: UnsafeRawBufferPointer) throws(RequestFramingError) -> Int? {
        let end = bytes[scannedByteCount...].firstIndex(of: UInt8(ascii: "\n"))
        scannedByteCount = end == nil ? bytes.count : 0
        let count = end.map { $0 + 1 } ?? bytes.count
        switch stage {
        case .requestLine:
            guard count <= RequestFraming.maximumRequestLineByteCount else { throw .requestLineTooLong }
        case .chunkLine, .chunkEnd:
            guard count <= RequestFraming.maximumChunkLineByteCount else { throw .badChunk }
        default:
            guard headByteCount + count <= RequestFraming.maximumHeadByteCount else { throw .headTooLarge }
        }
        guard let end else { return nil }
        guard end > 0, bytes[end - 1] == UInt8(ascii: "\r") else { throw .bareLineFeed }
        let line = bytes[..<(end - 1)]
        var union: UInt8 = 0
        for byte in line {
            union |= byte
            if byte < 0x20 && byte != 0x09 || byte == 0x7F {
                throw byte == UInt8(ascii: "\r") ? .bareCarriageReturn : .controlCharacter
            }
        }
        guard union < 0x80 || String(validating: line, as: UTF8.self) != nil else { throw .notUTF8 }
        if case .chunkLine = stage {} else { headByteCount += count }
        return line.count
    }

    private mutating func take(_ line: UnsafeRawBufferPointer) throws(RequestFramingError) {
        switch stage {
        case .requestLine:
            // RFC 9112 § 2.2: an empty line before a request is ignored; here one, as old clients send it.
            if line.isEmpty, headByteCount == 2 { return }
            try takeRequestLine(line)
            stage = .field
        case .field:
            if line.isEmpty {
                stage = try bodyStage()
            } else {
                try takeField(line)
            }
        case .chunkLine:
            let size = try RequestFraming.chunkSize(line)
            stage = size == 0 ? .trailer : .chunk(left: size)
        case .chunkEnd:
            guard line.isEmpty else { throw .badChunk }
            headByteCount -= 2
            stage = .chunkLine
        case .trailer:
            if line.isEmpty { stage = .complete } else { try takeName(line) }
        case .body, .chunk, .complete:
            break
        }
    }

    private mutating func takeRequestLine(_ line: UnsafeRawBufferPointer) throws(RequestFramingError) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte) else {
            throw .badRequestLine
        }
        guard parts[1].first == UInt8(ascii: "/"), !parts[0].elementsEqual("CONNECT".utf8) else {
            throw .targetIsNoPath
        }
        guard parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .badTarget
        }
        if parts[2].elementsEqual("HTTP/1.0".utf8) {
            isHTTP10 = true
        } else if !parts[2].elementsEqual("HTTP/1.1".utf8) {
            throw parts[2].starts(with: "HTTP/".utf8) ? .otherVersion : .badRequestLine
        }
    }

    @discardableResult
    private mutating func takeName(
        _ line: UnsafeRawBufferPointer
    ) throws(RequestFramingError) -> (
        name: Slice<UnsafeRawBufferPointer>, value: Slice<UnsafeRawBufferPointer>
    ) {
        guard line[0] != 0x20, line[0] != 0x09 else { throw .foldedLine }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw .badFieldName }
        fieldCount += 1
        guard fieldCount <= RequestFraming.maximumFieldCount else { throw .tooManyFields }
        var value = line[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return (line[..<colon], value)
    }

    private mutating func takeField(_ line: UnsafeRawBufferPointer) throws(RequestFramingError) {
        let (name, value) = try takeName(line)
        switch name.count {
        case 4 where isEqual(name, "host"):
            hostCount += 1
            guard hostCount == 1 else { throw .repeatedHost }
            guard value.allSatisfy({ (0x21...0x7E).contains($0) && !"/?#@\\<>\"{}|^`,".utf8.contains($0) })
            else { throw .badHost }
        case 14 where isEqual(name, "content-length"):
            guard contentLength == nil else { throw .repeatedContentLength }
            let digits = String(decoding: value, as: UTF8.self)
            guard value.count <= 18, let length = Int(digits: digits) else { throw .badContentLength }
            contentLength = length
        case 17 where isEqual(name, "transfer-encoding"):
            guard !isChunked else { throw .repeatedTransferEncoding }
            guard isEqual(value, "chunked") else { throw .otherTransferEncoding }
            isChunked = true
        default: break
        }
    }

    private func bodyStage() throws(RequestFramingError) -> Stage {
        guard hostCount == 1 || isHTTP10 else { throw .missingHost }
        if isChunked {
            guard contentLength == nil else { throw .transferEncodingBesideContentLength }
            guard !isHTTP10 else { throw .transferEncodingInHTTP10 }
            return .chunkLine
        }
        if let contentLength, contentLength > 0 { return .body(left: contentLength) }
        return .complete
    }

    private static func chunkSize(_ line: UnsafeRawBufferPointer) throws(RequestFramingError) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard (1...15).contains(digits.count) else { throw .badChunk }
        var size = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: size = size << 4 | Int(digit - 0x30)
            case 0x41...0x46, 0x61...0x66: size = size << 4 | Int((digit | 0x20) - 0x57)
            default: throw .badChunk
            }
        }
        return size
    }
}

/// tchar of RFC 9110 § 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}

/// True if `bytes` are `word`, which is in lower case, whatever their case.
private func isEqual(_ bytes: Slice<UnsafeRawBufferPointer>, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { zip(bytes, $0).allSatisfy { ($0 | ($0 &- 0x41 < 26 ? 0x20 : 0)) == $1 } }
}
