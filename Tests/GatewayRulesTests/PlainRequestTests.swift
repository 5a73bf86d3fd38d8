import GatewayRules
import Testing

@Suite struct PlainRequestTests {
    @Test(arguments: [
        ("GET / HTTP/1.1\r\nHost: kitchen.local:8000\r\n\r\n", "https://kitchen.local:8000/"),
        (
            "GET /hubpair/?a=b HTTP/1.1\r\nAccept: */*\r\nhost:[fd77::1]:8000\r\n\r\n",
            "https://[fd77::1]:8000/hubpair/?a=b"
        ),
        ("GET / HTTP/1.0\nHost: 192.168.1.20:8000\n\n", "https://192.168.1.20:8000/"),
    ])
    func sentOn(request: String, address: String) throws {
        let answer = String(decoding: try #require(PlainRequest.answer(to: request.utf8)), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 307 Temporary Redirect\r\nLocation: \(address)\r\n"))
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET http://other/ HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "GET /\u{1} HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\rSet-Cookie: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n", "G",
        "GET / HTTP/1.1\r\nHost: \(String(repeating: "a", count: 263))\r\n\r\n",
        "GET /\(String(repeating: "a", count: 3_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
    ])
    func told(request: String) throws {
        let answer = String(decoding: try #require(PlainRequest.answer(to: request.utf8)), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\n"))
    }

    @Test(arguments: ["", "\u{16}\u{3}\u{1}", "get / HTTP/1.1\r\n\r\n", " ", "\u{0}"])
    func otherBytes(bytes: String) {
        #expect(PlainRequest.answer(to: bytes.utf8) == nil)
    }
}
