import Testing

@testable import GatewayRules

@Suite struct ResponseFramingTests {
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", "ab", [200]),
        ("HTTP/1.1 200\r\nContent-Length:2 \r\n\r\nab", "ab", [200]),
        ("HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n", "", [404]),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n2;x\r\nbc\r\n0\r\nT: y\r\n\r\n",
            "abc", [200]
        ),
        ("HTTP/1.1 204 No Content\r\n\r\n", "", [204]),
        ("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n", "", [304]),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\n"
                + "HTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\nx",
            "x", [100, 103, 201]
        ),
    ])
    func anAnswerIsTakenToItsEndAndNoFurther(text: String, body: String, heads: [Int]) throws {
        for step in [1, 3, .max] {
            let reading = try AnswerReading(Array((text + "HTTP/1.1 200 OK\r\n").utf8), step: step)
            #expect(reading.isComplete && reading.count == text.utf8.count, "in steps of \(step)")
            #expect(reading.body == Array(body.utf8) && reading.heads == heads)
        }
        for length in 0..<text.utf8.count {
            #expect(try !AnswerReading(Array(text.utf8.prefix(length))).isComplete)
        }
    }

    @Test func theAnswerToHeadHasNoBody() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"
        let reading = try AnswerReading(Array((text + "HTTP/1.1 ").utf8), toHead: true)
        #expect(reading.isComplete && reading.count == text.utf8.count)
    }

    @Test func withoutALengthTheEndOfTheConnectionIsTheEnd() throws {
        var framing = ResponseFraming(toHead: false, upgrades: false)
        let bytes = Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)
        let (count, part) = try bytes.withUnsafeBytes { try framing.next($0) }
        guard case .head(let head) = part else {
            throw FramingError.badStatusLine
        }
        #expect(head.body == .untilClose && !head.leavesConnectionUsable)
        let rest = try bytes[count...].withUnsafeBytes { try framing.next($0) }
        #expect(rest.count == 3)
        let isWhole = framing.endWithConnection()
        #expect(isWhole && framing.isComplete)
        var broken = ResponseFraming(toHead: false, upgrades: false)
        let short = Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc".utf8)
        _ = try short.withUnsafeBytes { try broken.next($0) }
        let isBroken = !broken.endWithConnection()
        #expect(isBroken)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\nX: y\r\n\r\n", FramingError.bareLineFeed),
        ("HTTP/1.1 200 OK\r\nX: y\rz\r\n\r\n", .bareCarriageReturn),
        ("HTTP/1.1 200 OK\r\nX: y\r\n z\r\n\r\n", .foldedLine),
        ("HTTP/1.1 200 OK\r\nX : y\r\n\r\n", .badFieldName),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", .repeatedContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n", .badContentLength),
        ("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n", .badContentLength),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", .otherTransferEncoding),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", .otherTransferEncoding),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
            .repeatedTransferEncoding
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n",
            .transferEncodingBesideContentLength
        ),
        ("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", .transferEncodingInHTTP10),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", .badChunk),
        (
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            .unexpectedSwitch
        ),
        ("HTTP/1.1 199 OK\r\nContent-Length: 5\r\n\r\n", .informationalWithBody),
        ("HTTP/1.1 103 X\r\nTransfer-Encoding: chunked\r\n\r\n", .informationalWithBody),
        ("HTTP/1.1 100 X\r\n\r\n<htm", .badStatusLine), ("\0", .badStatusLine),
        ("HTTP/2 200\r\n\r\n", .otherVersion), ("HTTP/2", .otherVersion),
        ("HTTP/1.2 200 OK\r\n\r\n", .otherVersion),
        ("ICY 200 OK\r\n\r\n", .badStatusLine), ("\r\nHTTP/1.1 200 OK\r\n\r\n", .badStatusLine),
        ("HTTP/1.1 20 OK\r\n\r\n", .badStatusLine), ("HTTP/1.1 2000 OK\r\n\r\n", .badStatusLine),
        ("HTTP/1.1 099 OK\r\n\r\n", .badStatusLine), ("HTTP/1.1  200 OK\r\n\r\n", .badStatusLine),
        ("HTTP/1.1 200 caf\u{1}\r\n\r\n", .controlCharacter),
        (
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 501) + "\r\n",
            .tooManyFields(limit: 500)
        ),
        ("HTTP/1.1 200 OK\r\nX: " + String(repeating: "y", count: 70_000), .headTooLarge(limit: 65_536)),
        (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 33), .tooManyInformational),
    ])
    func whatCouldBeCutInTwoWaysIsRefused(text: String, error: FramingError) {
        for step in [1, .max] {
            #expect(throws: error, "in steps of \(step)") { try AnswerReading(Array(text.utf8), step: step) }
        }
    }

    @Test func aSwitchThatWasAskedForNeedsBothFields() throws {
        let head = "HTTP/1.1 101 Switching Protocols\r\n"
        let good = Array((head + "Upgrade: WebSocket\r\nConnection: Upgrade\r\n\r\nbytes").utf8)
        let reading = try AnswerReading(good, upgrades: true)
        #expect(reading.heads == [101] && reading.count == good.count - 5)
        for fields in [
            "Upgrade: websocket\r\n", "Connection: upgrade\r\n", "Connection: upgrade\r\nUpgrade: h2c\r\n",
        ] {
            #expect(throws: FramingError.unexpectedSwitch) {
                try AnswerReading(Array((head + fields + "\r\n").utf8), upgrades: true)
            }
        }
    }

    private func head(_ text: String, toHead: Bool = false) throws -> ResponseHead {
        var framing = ResponseFraming(toHead: toHead, upgrades: false)
        guard case .head(let head) = try Array(text.utf8).withUnsafeBytes({ try framing.next($0).part })
        else {
            throw FramingError.badStatusLine
        }
        return head
    }

    @Test func anAnswerLosesWhatBelongsToItsHop() throws {
        let head = try head(
            "HTTP/1.1 200 OK\r\nConnection: x-hop, keep-alive\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\n"
                + "Content-Length: 3\r\nSet-Cookie: a=b\r\nUpgrade: h2c\r\nTrailer: x\r\n\r\n")
        #expect(
            forwarded(head) == "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n" + guarded
                + "Content-Length: 3\r\nConnection: close\r\n\r\n")
    }

    private let guarded = "Content-Security-Policy: sandbox\r\nX-Content-Type-Options: nosniff\r\n"

    private func forwarded(_ head: ResponseHead, toBrowser: Bool = false) -> String {
        String(
            decoding: head.forwarded(framing: .length(3), connection: "close", toBrowser: toBrowser),
            as: UTF8.self)
    }

    /// The hub's own page is of the same origin.
    @Test func anAnswerLosesWhatHoldsForTheWholeOrigin() throws {
        let lost = OriginGuard.dropped.sorted().map { "\($0.uppercased()): x\r\n" }.joined()
        let head = try head(
            "HTTP/1.1 404 No\r\nContent-Security-Policy: sandbox allow-scripts\r\n\(lost)Set-Cookie: a=b\r\n"
                + "Location: /x\r\nContent-Length: 3\r\n\r\n")
        // The hub's policy is the last, beside the upstream's own.
        let kept = "HTTP/1.1 404 No\r\nContent-Security-Policy: sandbox allow-scripts\r\n"
        let rest = "Location: /x\r\n\(guarded)Content-Length: 3\r\nConnection: close\r\n\r\n"
        #expect(forwarded(head) == kept + "Set-Cookie: a=b\r\n" + rest)
        #expect(forwarded(head, toBrowser: true) == kept + rest)
    }

    @Test(arguments: ["100 Continue", "103 Early Hints"])
    func whatIsNoDocumentHasNoPolicy(status: String) throws {
        let head = try head("HTTP/1.1 \(status)\r\nLink: x\r\nClear-Site-Data: x\r\n\r\n")
        let text = String(
            decoding: head.forwarded(framing: .none, connection: nil, toBrowser: false), as: UTF8.self)
        #expect(text == "HTTP/1.1 \(status)\r\nLink: x\r\n\r\n")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n", false, true),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, true),
        ("HTTP/1.1 200 OK\r\n\r\n", false, false),
        ("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n", false, false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n", false, false),
        ("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\n", false, true),
        ("HTTP/1.1 204 No\r\n\r\n", false, true),
        ("HTTP/1.1 204 No\r\nContent-Length: 0\r\n\r\n", false, true),
        ("HTTP/1.1 204 No\r\nContent-Length: 5\r\n\r\n", false, false),
        ("HTTP/1.1 304 Not\r\nTransfer-Encoding: chunked\r\n\r\n", false, false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", true, true),
    ])
    func whenAConnectionMayBeUsedAgain(text: String, toHead: Bool, isUsable: Bool) throws {
        #expect(try head(text, toHead: toHead).leavesConnectionUsable == isUsable)
    }
}
