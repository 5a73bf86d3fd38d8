import Testing

@testable import GatewayRules

/// The hub's own cookie: found in requests, and kept from the server behind the gateway in both directions.
@Suite struct SessionCookieTests {
    private static let token = String(repeating: "A", count: 43)
    private static let own = "__Host-hubpair=\(token)"

    private func fields(_ values: [String]) throws -> FieldBlock {
        var lines = "GET / HTTP/1.1\r\nHost: h\r\n"
        for value in values { lines += "Cookie: \(value)\r\n" }
        var framing = RequestFraming(limit: 65_536)
        var bytes = Array((lines + "\r\n").utf8)
        while true {
            let (count, part) = try bytes.withUnsafeBytes { bytes in
                try framing.next(bytes)
            }
            if case .head(let head) = part { return head.fields }
            guard count > 0 else { throw FramingError.badRequestLine }
            bytes.removeFirst(count)
        }
    }

    @Test(arguments: [
        [own], ["a=b; \(own)"], ["a=b", "\(own);c=d"], [" \(own) "], ["a=\"x\"; \(own); b"],
    ])
    func found(values: [String]) throws {
        #expect(try SessionCookie.token(in: fields(values)) == Array(SessionCookieTests.token.utf8))
    }

    @Test(arguments: [
        [], ["a=b"], [own + "A"], [String(own.dropLast())], ["\(own); \(own)"], [own, own],
        ["__Host-hubpair"], ["x__Host-hubpair=\(token)"], ["__Host-hubpair2=\(token)"],
    ])
    func notFound(values: [String]) throws {
        #expect(try SessionCookie.token(in: fields(values)) == nil)
    }

    @Test(
        arguments: [
            (own, nil), ("a=b; \(own); c=d", "a=b; c=d"), ("a=b", "a=b"), ("__host-HUBPAIR = x; a", "a"),
            ("a=b, \(own)", "a=b"), ("__Host-hubpair", nil), ("__Host-hubpairs=1", "__Host-hubpairs=1"),
        ] as [(String, String?)])
    func whatIsPassedOn(value: String, others: String?) {
        let passed = SessionCookie.others(in: Array(value.utf8)[...])
        #expect(passed.map { String(decoding: $0, as: UTF8.self) } == others)
    }

    @Test(arguments: [
        "__Host-hubpair=x", "__host-hubpair=x; Path=/", " __Host-hubpair =x", "=__Host-hubpair=x",
        "= =__Host-hubpair",
    ])
    func setByTheUpstream(value: String) { #expect(SessionCookie.isSet(by: Array(value.utf8)[...])) }

    @Test(arguments: ["a=__Host-hubpair", "hubpair=x", "", "__Host-hubpair2=x"])
    func others(value: String) { #expect(!SessionCookie.isSet(by: Array(value.utf8)[...])) }
}
