/// Splits a byte stream into requests (HTTP/1.1, RFC 9112), more strictly than any server behind it. It is
/// the only parser of what a client sends: its interpretation of fields and body is passed along and never
/// repeated.
///
///     head    = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF *( name ":" value CRLF ) CRLF
///     method  = 1*tchar                     ; registered, or used by UPnP or caches
///     target  = "/" *( %x21-7E without "#" )
///     name    = 1*tchar                     ; RFC 9110 § 5.6.2; no space before the colon
///     value   = *( HTAB / %x20-7E / %x80-FF )         ; together UTF-8
///
/// Request smuggling works if two parsers split the same bytes differently. So everything ambiguous is
/// refused: a bare CR or LF, a folded line, Transfer-Encoding with Content-Length or in HTTP/1.0, either of
/// them twice, a coding other than `chunked`, a length that is not only digits, no Host or two of them, a
/// target in absolute, authority or asterisk form.
///
/// Accepted: `GET /devices/ HTTP/1.1␍␊Host: hub␍␊␍␊`. Rejected: the same with `␊` for `␍␊`, with `Host :
/// hub`, with `http://hub/devices/`.
package struct RequestFraming: Sendable {
    package typealias Part = MessagePart<RequestHead>

    /// The maximum size of a head with its trailers in bytes.
    package static let maximumHeadByteCount = 32_768
    /// The maximum number of fields in a head with its trailers.
    package static let maximumFieldCount = 100

    /// The methods of IANA's HTTP Method Registry (RFC 9110 § 16.1.1) without CONNECT and PRI, those of UPnP
    /// (UDA 2.0 §§ 1.3.2, 4.1), and PURGE. Some servers ignore the case of a method, or treat an unknown one
    /// as GET, so any other method is ambiguous.
    private static let methods: Set<String> = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "GET", "HEAD", "LABEL",
        "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE",
        "OPTIONS", "ORDERPATCH", "PATCH", "POST", "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT",
        "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF",
        "VERSION-CONTROL", "M-SEARCH", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "PURGE",
    ]

    private enum Stage: Sendable {
        case requestLine
        case field
        case body(BodyReader)
        case complete
    }

    private var stage = Stage.requestLine
    private var lines: LineReader
    private var fields = FieldReader(limit: RequestFraming.maximumFieldCount)
    private var method = ""
    private var target = ""
    private var isHTTP10 = false

    /// - Parameter limit: the maximum size of the head with its trailers in bytes, at most
    ///   `maximumHeadByteCount`.
    package init(limit: Int = RequestFraming.maximumHeadByteCount) {
        lines = LineReader(limit: min(limit, RequestFraming.maximumHeadByteCount))
    }

    /// True once the last byte of the request has been read.
    package var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True until the request line has been read.
    package var isAtStart: Bool { if case .requestLine = stage { true } else { false } }

    /// True until the head is complete.
    package var isInHead: Bool {
        switch stage {
        case .requestLine, .field: true
        case .body, .complete: false
        }
    }

    /// The next part of the request.
    ///
    /// - Parameter bytes: the bytes not consumed so far, and those that have arrived since.
    /// - Returns: how many bytes were consumed, and the part; nil if it needs more bytes, or if the request
    ///   is complete. The end of a request can follow its head without consuming a byte.
    package mutating func next(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FramingError) -> (count: Int, part: Part?) {
        var position = 0
        while isInHead {
            let kind = isAtStart ? LineReader.Kind.start : .field
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let count = try lines.next(rest, kind) else { return (position, nil) }
            position += count + 2
            if let head = try take(UnsafeRawBufferPointer(rebasing: rest[..<count])) {
                return (position, .head(head))
            }
        }
        guard case .body(var reader) = stage else { return (position, nil) }
        let (count, part): (Int, Part?) = try reader.next(bytes, from: position)
        stage = reader.isComplete ? .complete : .body(reader)
        return (count, part)
    }

    /// Reads a line of the head; returns the head if it was the last line.
    private mutating func take(_ line: UnsafeRawBufferPointer) throws(FramingError) -> RequestHead? {
        if isAtStart {
            // RFC 9112 § 2.2: ignore empty lines before a request. Only one is ignored, as sent by old
            // clients.
            if line.isEmpty, lines.isAtStart { return nil }
            try takeRequestLine(line)
            stage = .field
        } else if line.isEmpty {
            let head = RequestHead(
                method: method, target: target, isHTTP10: isHTTP10, body: try body(), fields: fields.block,
                options: fields.options)
            stage = .body(BodyReader(head.body, after: lines, fields))
            return head
        } else {
            try fields.takeField(line)
        }
        return nil
    }

    private mutating func takeRequestLine(_ line: UnsafeRawBufferPointer) throws(FramingError) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte) else {
            throw .badRequestLine
        }
        guard parts[1].first == UInt8(ascii: "/"), !isEqual(parts[0], "connect") else {
            throw .targetIsNoPath
        }
        method = String(decoding: parts[0], as: UTF8.self)
        guard RequestFraming.methods.contains(method) else { throw .unknownMethod }
        guard parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .badTarget
        }
        if parts[2].elementsEqual("HTTP/1.0".utf8) {
            isHTTP10 = true
        } else if !parts[2].elementsEqual("HTTP/1.1".utf8) {
            throw parts[2].starts(with: "HTTP/".utf8) ? .otherVersion : .badRequestLine
        }
        target = String(decoding: parts[1], as: UTF8.self)
    }

    private func body() throws(FramingError) -> BodyFraming {
        guard fields.hosts == 1 || isHTTP10 else { throw .missingHost }
        if fields.isChunked {
            guard fields.contentLength == nil else { throw .transferEncodingBesideContentLength }
            guard !isHTTP10 else { throw .transferEncodingInHTTP10 }
            return .chunked
        }
        return fields.contentLength.map(BodyFraming.length) ?? .none
    }
}
