/// Splits the upstream's byte stream into the response to one request, as its only parser. Everything
/// ambiguous is an error, after which the connection is not reused: a wrongly split response would deliver
/// one device's data to another.
///
///     head    = "HTTP/1." ( "0" / "1" ) SP 3DIGIT [ SP *( HTAB / %x20-7E / %x80-FF ) ] CRLF
///               *( name ":" value CRLF ) CRLF
///
/// Names, values, lengths and chunks follow the same rules as in a request. Refused: Transfer-Encoding with
/// Content-Length, a coding other than `chunked` alone, a status below 100, a protocol switch that was not
/// requested, more than 32 informational responses.
package struct ResponseFraming: Sendable {
    /// An informational response (1xx except 101) is a head without an end part.
    package typealias Part = MessagePart<ResponseHead>

    /// The maximum size of a head with its trailers in bytes: four times the usual limit of servers.
    package static let maximumHeadByteCount = 65_536
    /// The maximum number of fields in a head with its trailers.
    package static let maximumFieldCount = 500
    /// The maximum number of informational responses to one request, so that an upstream cannot keep a
    /// request open with them.
    package static let maximumInformationalCount = 32

    private enum Stage: Sendable {
        case statusLine
        case field
        case body(BodyReader)
        /// The connection carries another protocol from here on.
        case switched
        case complete
    }

    private let isHead: Bool
    private let upgrades: Bool
    private var stage = Stage.statusLine
    private var lines = LineReader(limit: ResponseFraming.maximumHeadByteCount)
    private var fields = FieldReader(limit: ResponseFraming.maximumFieldCount)
    private var informationalCount = 0
    private var status = 0
    private var reason: [UInt8] = []
    private var isHTTP10 = false

    /// - Parameters:
    ///   - isHead: true if the request was HEAD, whose response has no body whatever its head announces.
    ///   - upgrades: true if the request asked to switch to WebSocket.
    package init(toHead isHead: Bool, upgrades: Bool) {
        self.isHead = isHead
        self.upgrades = upgrades
    }

    /// True once the last byte of the response has been read.
    package var isComplete: Bool { if case .complete = stage { true } else { false } }

    /// True if the connection carries another protocol from here on.
    package var hasSwitched: Bool { if case .switched = stage { true } else { false } }

    /// Handles the end of the connection; returns true if it completes the response, false if the response
    /// was cut off.
    package mutating func endWithConnection() -> Bool {
        guard case .body(let reader) = stage, reader.endsWithConnection else { return false }
        stage = .complete
        return true
    }

    /// The next part of the response; see ``RequestFraming/next(_:)``.
    package mutating func next(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FramingError) -> (count: Int, part: Part?) {
        var position = 0
        while isInHead {
            let kind: LineReader.Kind = if case .statusLine = stage { .start } else { .field }
            let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
            // Fail at once on bytes that cannot become a status line.
            guard kind != .start || zip(rest, "HTTP/".utf8).allSatisfy(==) else { throw .badStatusLine }
            guard kind != .start || zip(rest, "HTTP/1.".utf8).allSatisfy(==) else { throw .otherVersion }
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

    private var isInHead: Bool {
        switch stage {
        case .statusLine, .field: true
        case .body, .switched, .complete: false
        }
    }

    /// Reads a line of the head; returns the head if it was the last line.
    private mutating func take(_ line: UnsafeRawBufferPointer) throws(FramingError) -> ResponseHead? {
        if case .statusLine = stage {
            try takeStatusLine(line)
            stage = .field
            return nil
        }
        guard line.isEmpty else {
            try fields.takeField(line)
            return nil
        }
        let head = try self.head()
        if head.isInformational {
            // RFC 9110 § 15.2: an informational response has no body. An upstream that announces one might
            // send it.
            guard !head.announcesBody else { throw .informationalWithBody }
            informationalCount += 1
            guard informationalCount <= ResponseFraming.maximumInformationalCount else {
                throw .tooManyInformational
            }
            stage = .statusLine
            lines = LineReader(limit: ResponseFraming.maximumHeadByteCount)
            fields = FieldReader(limit: ResponseFraming.maximumFieldCount)
        } else if status == 101 {
            stage = .switched
        } else {
            stage = .body(BodyReader(head.body, after: lines, fields))
        }
        return head
    }

    private mutating func takeStatusLine(_ line: UnsafeRawBufferPointer) throws(FramingError) {
        let version = line.prefix(9)
        if version.elementsEqual("HTTP/1.0 ".utf8) {
            isHTTP10 = true
        } else if version.elementsEqual("HTTP/1.1 ".utf8) {
            isHTTP10 = false
        } else {
            throw version.starts(with: "HTTP/".utf8) ? .otherVersion : .badStatusLine
        }
        let code = line.dropFirst(9).prefix(3)
        let rest = line.dropFirst(12)
        guard code.count == 3, code.allSatisfy({ (0x30...0x39).contains($0) }), rest.first ?? 0x20 == 0x20
        else { throw .badStatusLine }
        status = code.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        guard status >= 100 else { throw .badStatusLine }
        reason = Array(rest.dropFirst())
    }

    private func head() throws(FramingError) -> ResponseHead {
        let length = fields.contentLength
        if fields.isChunked {
            guard length == nil else { throw .transferEncodingBesideContentLength }
            guard !isHTTP10 else { throw .transferEncodingInHTTP10 }
        }
        if status == 101 {
            // RFC 6455 § 4.1 requires both fields.
            guard upgrades, !isHTTP10, fields.options.contains("upgrade"),
                fields.block.onlyValue(.upgrade).map({ isEqual($0, "websocket") }) ?? false
            else { throw .unexpectedSwitch }
        }
        let hasNoBody = isHead || status < 200 || status == 204 || status == 304
        let body: BodyFraming =
            if hasNoBody {
                .none
            } else if fields.isChunked {
                .chunked
            } else {
                length.map(BodyFraming.length) ?? .untilClose
            }
        return ResponseHead(
            status: status, reason: reason, isHTTP10: isHTTP10, body: body, announcedLength: length,
            announcesBody: fields.isChunked || length ?? 0 > 0, isToHead: isHead, fields: fields.block,
            options: fields.options)
    }
}
