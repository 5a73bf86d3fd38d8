import Pairing
import Testing

@testable import GatewayRules

@Suite struct RequestHeadTests {
    private static let device = DeviceFields(fingerprint: "AAAA-BBBB-CCCC-DDDD", name: "Laptop", role: .guest)
    private static let own = [
        "X-Hubpair-Device: AAAA-BBBB-CCCC-DDDD", "X-Hubpair-Name: Laptop", "X-Hubpair-Role: guest",
    ]

    /// The lines of the head that the upstream gets, without the request line.
    private func passed(
        _ headers: [(String, String)], _ method: String = "GET", version: String = "1.1", closes: Bool = false
    ) throws -> [String] {
        let fields = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        let head = try requestHead("\(method) / HTTP/\(version)\r\n\(fields)\r\n")
        let bytes = head.forwarded(for: Self.device.lines, authority: "127.0.0.1:8443", closes: closes)
        let text = String(decoding: bytes, as: UTF8.self)
        try #require(text.hasPrefix("\(method) / HTTP/1.1\r\n") && text.hasSuffix("\r\n\r\n"))
        return text.split(separator: "\r\n").dropFirst().map(String.init)
    }

    @Test(arguments: [
        "X-Hubpair-Device", "x-hubpair-name", "X_Hubpair_Device", "X-Hubpair.Device", "X~Hubpair-Name",
        "X-Hubpair-Anything", "X-Hubpair", "X-HubpairDevice", "X-HUBPAIRNAME", "Forwarded",
        "X-Forwarded-For", "X-Forwarded-Proto", "x_forwarded_for", "X-Real-IP", "X_Real_IP", "Connection",
        "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "TE", "Trailer", "Upgrade", "Proxy",
        "Client-Cert", "Client-Cert-Chain", "X-Client-Cert", "X-Client-Certificate", "X-ARR-ClientCert",
        "X-Forwarded", "Forwarded-For", "Fastly-Client-IP", "True-Client-IP", "CF-Connecting-IP",
        "X-Cluster-Client-IP", "X-SSL-Client-DN", "X-Client-Verify", "X-Amzn-Mtls-Clientcert",
        "X-Envoy-External-Address", "Remote-User", "X-Remote-User", "X-Auth-Request-User", "X-Host",
        "WL-Proxy-Client-IP", "X-SSL-Client-Cert", "X-SSL-Client-Verify", "Content_Length", "X-Original-URL",
        "X-Hubpair-Role", "X_Hubpair_Role", "X-Original-Method", "X-Original-URI", "X-Original-Upgrade",
        "X-Forwarded-Method", "X-Forwarded-Uri", "X_HTTP_Method_Override",
        "Named",
    ])
    func droppedFromARequest(name: String) throws {
        let headers = [("Host", "hub"), (name, "x"), ("Connection", "named, close"), ("Accept", "*/*")]
        #expect(try passed(headers) == ["Host: hub", "Accept: */*"] + Self.own)
    }

    @Test func framingAndHostSurviveConnectionThatNamesThem() throws {
        let headers = [
            ("Connection", "Host, Content-Length, X-Hubpair-Device, Cookie"), ("Host", "hub"),
            ("Cookie", "a=b"), ("Content-Length", "5"),
        ]
        #expect(
            try passed(headers, "POST", closes: true) == ["Host: hub"] + Self.own + [
                "Content-Length: 5", "Connection: close",
            ])
    }

    /// However a length is written, one reader has read it, and what it read is what is written.
    @Test(arguments: ["74", " 74", "74 ", "\t74\t ", "00074", "074 \t"])
    func aLengthIsRewritten(text: String) throws {
        let lines = try passed([("Host", "h"), ("Content-Length", text)], "POST")
        #expect(lines == ["Host: h"] + Self.own + ["Content-Length: 74"])
        let head = try requestHead("POST / HTTP/1.1\r\nHost: h\r\nContent-Length:\(text)\r\n\r\n")
        #expect(head.body == .length(74))
    }

    @Test(arguments: ["chunked", " CHUNKED", "chunked ", "\tchunked\t"])
    func aCodingIsRewritten(text: String) throws {
        let lines = try passed([("Host", "h"), ("Transfer-Encoding", text)], "POST")
        #expect(lines == ["Host: h"] + Self.own + ["Transfer-Encoding: chunked"])
    }

    @Test func aRequestWithoutHostGetsTheUpstreams() throws {
        #expect(try passed([], version: "1.0") == ["Host: 127.0.0.1:8443"] + Self.own)
        #expect(try passed([("Expect", "100-continue")], version: "1.0").first == "Host: 127.0.0.1:8443")
    }

    @Test(arguments: ["M-SEARCH", "PROPFIND", "SUBSCRIBE", "VERSION-CONTROL", "QUERY"])
    func aMethodPassesAsItCame(method: String) throws {
        #expect(try passed([("Host", "h")], method) == ["Host: h"] + Self.own)
    }

    @Test func onlyWebSocketIsPassedOnAsAnUpgrade() throws {
        let upgrade = { (protocolName: String) in
            [("Host", "h"), ("Connection", "keep-alive, Upgrade"), ("Upgrade", protocolName)]
        }
        #expect(
            try passed(upgrade("WebSocket")) == ["Host: h"] + Self.own + [
                "Connection: Upgrade", "Upgrade: WebSocket",
            ])
        for other in ["h2c", "websocket, h2c", "TLS/1.0"] {
            #expect(try passed(upgrade(other)) == ["Host: h"] + Self.own)
        }
        for none in [
            upgrade("websocket") + [("Content-Length", "1")], [("Host", "h"), ("Upgrade", "websocket")],
            upgrade("websocket") + [("Upgrade", "websocket")],
        ] {
            #expect(try !passed(none).contains("Upgrade: websocket"))
        }
        #expect(try !passed(upgrade("websocket"), "POST").contains("Upgrade: websocket"))
        #expect(try !passed(upgrade("websocket"), version: "1.0").contains("Upgrade: websocket"))
    }

    @Test(arguments: [
        ("GET", "", true), ("DELETE", "", true), ("PUT", "Content-Length: 0\r\n", true), ("POST", "", false),
        ("GET", "Content-Length: 1\r\n", false), ("PUT", "Transfer-Encoding: chunked\r\n", false),
        ("PATCH", "", false),
    ])
    func whatMayBeSentTwice(method: String, fields: String, isRepeatable: Bool) throws {
        let head = try requestHead("\(method) / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        #expect(head.isRepeatable == isRepeatable)
    }

    @Test(arguments: [
        ("GET", "", false), ("HEAD", "", false), ("OPTIONS", "", false), ("POST", "", true),
        ("PUT", "Content-Length: 0\r\n", true), ("DELETE", "", true), ("PATCH", "", true),
        ("GET", "X-HTTP-Method-Override: PUT\r\n", true),
        ("GET", "X-Method: PUT\r\n", false),
    ])
    func whatMayChangeStates(method: String, fields: String, mayChangeStates: Bool) throws {
        let head = try requestHead("\(method) / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        #expect(head.mayChangeStates == mayChangeStates)
    }

    @Test(arguments: [
        ("1.1", "", true), ("1.1", "Connection: close\r\n", false),
        ("1.1", "Connection: x, CLOSE\r\n", false),
        ("1.0", "", false), ("1.0", "Connection: Keep-Alive\r\n", true),
        ("1.0", "Connection: keep-alive\r\nConnection: close\r\n", false),
    ])
    func whetherAnotherRequestFollows(version: String, fields: String, keepsAlive: Bool) throws {
        #expect(try requestHead("GET / HTTP/\(version)\r\nHost: h\r\n\(fields)\r\n").keepsAlive == keepsAlive)
    }

    @Test(arguments: [
        ("Laptop", "Laptop"), ("Anna's täblet", "Anna's t%C3%A4blet"), ("50%", "50%25"),
        ("😀", "%F0%9F%98%80"), ("a\r\nX: y", "a%0D%0AX: y"),
    ])
    func aNameIsAlwaysOneHeaderField(name: String, encoded: String) {
        #expect(DeviceFields(fingerprint: "A", name: name, role: .owner).encodedName == encoded)
    }
}

@Suite struct BodyTests {
    /// What the head has not announced is never written.
    @Test func nothingIsWrittenBeyondTheAnnouncedBody() {
        var none = BodyWriter(.none)
        let (beyond, end) = (none.piece(1), none.end(FieldBlock()))
        #expect(beyond == nil)
        #expect(end == [])

        var length = BodyWriter(.length(3))
        let pieces = (length.piece(2), length.piece(2), length.end(FieldBlock()), length.piece(1))
        #expect(pieces.0 != nil && pieces.3 != nil)
        #expect(pieces.1 == nil)  // a byte too many
        #expect(pieces.2 == nil)  // a byte is missing
        let ends = (length.end(FieldBlock()), length.piece(0))
        #expect(ends.0 == [])
        #expect(ends.1 == nil)

        var chunked = BodyWriter(.chunked)
        let (piece, empty, last) = (chunked.piece(26), chunked.piece(0), chunked.end(FieldBlock()))
        #expect(piece.map { $0.before + "-" + $0.after } == "1a\r\n-\r\n")
        #expect(empty.map { $0.before + $0.after } == "")  // an empty chunk would be the end
        #expect(last == Array("0\r\n\r\n".utf8))
        let behind = (chunked.piece(1), chunked.end(FieldBlock()))
        #expect(behind.0 == nil)
        #expect(behind.1 == nil)
    }
}
