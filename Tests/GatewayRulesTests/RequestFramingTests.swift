import Testing

@testable import GatewayRules

@Suite struct RequestFramingTests {
    /// How many bytes of `text` are taken, given `step` at a time, and whether the request is whole then.
    private func consume(_ text: String, step: Int = .max) throws -> (count: Int, isComplete: Bool) {
        var framing = RequestFraming()
        let bytes = Array(text.utf8)
        var taken = 0
        var end = 0
        while end < bytes.count {
            end = step >= bytes.count - end ? bytes.count : end + step
            while true {
                let (count, part) = try bytes[taken..<end].withUnsafeBytes { try framing.next($0) }
                taken += count
                if part == nil { break }
            }
            if framing.isComplete { break }
        }
        return (taken, framing.isComplete)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: hub\r\n\r\n",
        "\r\nGET /a?b=c%20d HTTP/1.1\r\nhost:hub:8000\r\n\r\n",
        "GET / HTTP/1.0\r\n\r\n",
        "OPTIONS /* HTTP/1.1\r\nHost: [fd77::1]:8000\r\nX:\r\nY:\t a b \t\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab\r\nc",
        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "3;x=\"y\"\r\na\r\n\r\n00A\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX: \u{e4}\r\n\r\n",
    ])
    func aWholeRequestIsTakenToItsEndAndNoFurther(request: String) throws {
        for step in [1, 2, 7, .max] {
            let (count, isComplete) = try consume(request + "GET /next HTTP/1.1\r\n", step: step)
            #expect(isComplete)
            #expect(count == request.utf8.count, "in steps of \(step)")
        }
        for length in 0..<request.utf8.count {
            let part = String(decoding: Array(request.utf8)[..<length], as: UTF8.self)
            if let state = try? consume(part) { #expect(!state.isComplete) }
        }
    }

    static let long = String(repeating: "x", count: 9_000)

    @Test(arguments: [
        ("GET / HTTP/1.1\nHost: h\r\n\r\n", FramingError.bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\n\r\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\r\n\n", .bareLineFeed),
        ("\n\nGET / HTTP/1.1\r\n", .bareLineFeed),
        ("GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n", .bareCarriageReturn),
        ("GET / HTTP/1.1\r\nHost: h\r\r\n\r\n", .bareCarriageReturn),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n", .controlCharacter),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\u{1b}b\r\n\r\n", .controlCharacter),
        ("GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\n Host: h\r\n\r\n", .foldedLine),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n\tb\r\n\r\n", .foldedLine),
        ("\r\n\r\nGET / HTTP/1.1\r\n", .badRequestLine),
        ("GET /\r\n\r\n", .badRequestLine), ("GET  / HTTP/1.1\r\n", .badRequestLine),
        ("GET / HTTP/1.1 \r\n", .badRequestLine), ("G\u{e4}T / HTTP/1.1\r\n", .badRequestLine),
        (" GET / HTTP/1.1\r\n", .badRequestLine), ("GET\t/ HTTP/1.1\r\n", .badRequestLine),
        ("GET / http/1.1\r\n", .badRequestLine), ("GET / x HTTP/1.1\r\n", .badRequestLine),
        ("GET http://hub/ HTTP/1.1\r\n", .targetIsNoPath), ("OPTIONS * HTTP/1.1\r\n", .targetIsNoPath),
        ("CONNECT hub:443 HTTP/1.1\r\n", .targetIsNoPath), ("CONNECT / HTTP/1.1\r\n", .targetIsNoPath),
        ("GET ?/ HTTP/1.1\r\n", .targetIsNoPath), ("GET \\/ HTTP/1.1\r\n", .targetIsNoPath),
        ("BREW / HTTP/1.1\r\n", .unknownMethod), ("get / HTTP/1.1\r\n", .unknownMethod),
        ("GETPOST / HTTP/1.1\r\n", .unknownMethod),
        ("GET /\u{e4} HTTP/1.1\r\n", .badTarget), ("GET /#a HTTP/1.1\r\n", .badTarget),
        ("GET / HTTP/2.0\r\n", .otherVersion), ("GET / HTTP/1.2\r\n", .otherVersion),
        ("GET / HTTP/0.9\r\n", .otherVersion), ("PRI /x HTTP/2.0\r\n\r\n", .unknownMethod),
        ("GET / HTTP/1.1\r\nHost : h\r\n", .badFieldName), ("GET / HTTP/1.1\r\nHost\r\n", .badFieldName),
        ("GET / HTTP/1.1\r\n: h\r\n", .badFieldName), ("GET / HTTP/1.1\r\nA B: h\r\n", .badFieldName),
        ("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\ncontent-length: 1\r\n", .repeatedContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: +1\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: -1\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: 0x1\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nContent-Length:\r\n", .badContentLength),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", .badContentLength),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            .transferEncodingBesideContentLength
        ),
        (
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
            .transferEncodingBesideContentLength
        ),
        (
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
            .repeatedTransferEncoding
        ),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n", .otherTransferEncoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n", .otherTransferEncoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: identity\r\n", .otherTransferEncoding),
        ("POST / HTTP/1.1\r\nTransfer-Encoding: \u{b}chunked\r\n", .controlCharacter),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingInHTTP10),
        ("GET / HTTP/1.1\r\n\r\n", .missingHost),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", .repeatedHost),
        ("GET / HTTP/1.1\r\nHost: a@b\r\n", .badHost), ("GET / HTTP/1.1\r\nHost: a b\r\n", .badHost),
        ("GET /\(long) HTTP/1.1\r\n", .startLineTooLong), ("GET /\(long)", .startLineTooLong),
        ("GET / HTTP/1.1\r\nHost: h\r\nX: \(long)\(long)\(long)\(long)", .headTooLarge(limit: 32_768)),
        (
            "GET / HTTP/1.1\r\n" + (0...100).map { "X\($0): y\r\n" }.joined() + "\r\n",
            .tooManyFields(limit: 100)
        ),
    ])
    func whatCouldBeReadInTwoWaysIsRefused(request: String, error: FramingError) throws {
        for step in [1, .max] {
            #expect(throws: error, "in steps of \(step)") { try consume(request, step: step) }
        }
    }

    @Test(arguments: [
        ("x\r\n", FramingError.badChunk), ("\r\n", .badChunk), ("-1\r\n", .badChunk),
        ("1 \r\n", .badChunk),
        (" 1\r\n", .badChunk), ("0x1\r\n", .badChunk), ("1\n", .bareLineFeed), ("1;a\n", .bareLineFeed),
        ("1;a\rb\r\n", .bareCarriageReturn), ("ffffffffffffffff\r\n", .badChunk), ("1\r\nab\r\n", .badChunk),
        ("1\r\na\n", .bareLineFeed), ("1\r\na0\r\n\r\n", .badChunk), ("0\r\n X: y\r\n", .foldedLine),
        ("0\r\nX y\r\n", .badFieldName), ("1;\(long)", .badChunk), ("0\r\nX: y\n\r\n", .bareLineFeed),
        ("0\r\nX: \(long)\(long)\(long)\(long)", .headTooLarge(limit: 32_768)),
    ])
    func aChunkThatIsNoneIsRefused(body: String, error: FramingError) throws {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
        for step in [1, .max] {
            #expect(throws: error, "in steps of \(step)") { try consume(head + body, step: step) }
        }
    }

    @Test func everyErrorHasItsStatus() {
        #expect(FramingError.bareLineFeed.status == 400)
        #expect(FramingError.startLineTooLong.status == 414)
        #expect(FramingError.headTooLarge(limit: 1).status == 431)
        #expect(FramingError.otherTransferEncoding.status == 501)
        #expect(FramingError.otherVersion.status == 505)
    }
}
