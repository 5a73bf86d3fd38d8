/// Cuts a stream of bytes into requests (HTTP/1.1, RFC 9112), stricter than any reader behind it: the one
/// reader of what a client sends. What it says of a head's fields and of where a body ends is carried along;
/// nobody reads it again.
///
///     head    = method SP target SP "HTTP/1." ( "0" / "1" ) CRLF *( name ":" value CRLF ) CRLF
///     method  = 1*tchar                     ; in the register of methods, or known to UPnP or caches
///     target  = "/" *( %x21-7E without "#" )
///     name    = 1*tchar                     ; RFC 9110 § 5.6.2; no space before the colon
///     value   = *( HTAB / %x20-7E / %x80-FF )         ; together UTF-8
///
/// A request smuggled past a gateway is one that two readers cut in two places. So whatever leaves a choice
/// is refused: a bare CR or LF, a folded line, Transfer-Encoding beside Content-Length or in HTTP/1.0, one of
/// them twice, another coding than `chunked`, a length that is not digits alone, no Host or two of them, a
/// target in absolute, authority or asterisk form.
///
/// Accepted: `GET /devices/ HTTP/1.1␍␊Host: hub␍␊␍␊`. Rejected: the same with `␊` for `␍␊`, with
/// `Host : hub`, with `http://hub/devices/`.
package struct RequestFraming: Sendable {
    package typealias Part = MessagePart<RequestHead>

    /// The most bytes of a head and its trailers.
    package static let maximumHeadByteCount = 32_768
    /// The most fields of a head and its trailers together.
    package static let maximumFieldCount = 100

    /// IANA's HTTP Method Registry (RFC 9110 § 16.1.1) without CONNECT and PRI, UPnP's (UDA 2.0 §§ 1.3.2,
    /// 4.1) and PURGE. Some servers fold the case of a method or take an unknown one for GET, so every other
    /// one leaves a choice.
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

    /// - Parameter limit: the most bytes of the head and its trailers, `maximumHeadByteCount` at most.
    package init(limit: Int = RequestFraming.maximumHeadByteCount) {
        lines = LineReader(limit: min(limit, RequestFraming.maximumHeadByteCount))
    }

    /// True from the request's last byte on.
    package var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True before the first whole line of a request.
    package var isAtStart: Bool { if case .requestLine = stage { true } else { false } }

    /// True while the head is not whole.
    package var isInHead: Bool {
        switch stage {
        case .requestLine, .field: true
        case .body, .complete: false
        }
    }

    /// The next part of the request.
    ///
    /// - Parameter bytes: those that were not used up before, and what has come since.
    /// - Returns: how many of them are used up, and the part; nil if more bytes are needed for one, or the
    ///   request is
    ///   complete. A request's end may follow its head without a byte in between.
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

    /// Takes a line of the head; the head if it was the last one.
    private mutating func take(_ line: UnsafeRawBufferPointer) throws(FramingError) -> RequestHead? {
        if isAtStart {
            // RFC 9112 § 2.2: an empty line before a request is ignored; here one, as old clients send it.
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
