import FoundationEssentials
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// The gateway over real TLS, in front of a server whose every byte the test plays.
@Suite struct GatewayTests {
    /// What every answer gets (`OriginGuard`).
    private static let guarded =
        "Content-Security-Policy: sandbox\r\nX-Content-Type-Options: nosniff\r\n"
    static let get = "GET /devices/?a=%2F HTTP/1.1\r\nHost: hub\r\n\r\n"

    @Test func whoIsNotApprovedIsNotPassedOn() async throws {
        try await HubInTest.run { hub in
            let nobody = try await hub.connect(as: nil)
            try await nobody.write(Self.get)
            let refused = try await nobody.response()
            #expect(refused.head.hasPrefix("HTTP/1.1 401 ") && refused.body.contains("hubpair pair"))
            // The connection stays, also after a small body that nobody wanted.
            try await nobody.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try await nobody.response().head.hasPrefix("HTTP/1.1 401 "))
            try await nobody.write(
                "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n")
            #expect(try await nobody.response().head.hasPrefix("HTTP/1.1 401 "))
            // With a large one it closes.
            try await nobody.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n\r\nabc")
            #expect(try await nobody.response().head.contains("Connection: close"))

            let other = TLSIdentity.random()
            #expect(try await hub.ask(Self.get, as: other).head.hasPrefix("HTTP/1.1 403 "))
            for status in [ApprovedDevice.Status.pending, .revoked] {
                try hub.enter(other, name: "Other", status)
                #expect(try await hub.ask(Self.get, as: other).head.hasPrefix("HTTP/1.1 403 "))
            }
            try hub.enter(other, name: "Other", .approved, expires: Date(timeIntervalSinceNow: -1))
            #expect(try await hub.ask(Self.get, as: other).body.contains("expired"))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
        "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n",
        "GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: h\r\nX\u{7f}: y\r\n\r\n",
    ])
    func smugglingIsRefused(request: String) async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(request + "GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n")
            let rest = try await client.rest()
            #expect(rest.hasPrefix("HTTP/1.1 400 ") && rest.contains("Connection: close"))
            #expect(rest.components(of: "HTTP/1.1 ") == 1)  // what follows is not answered
        }
    }

    @Test func aRequestIsRewrittenAndItsAnswerToo() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(
                "POST /a/..%2f/b;c?d=/hubpair HTTP/1.1\r\nHost: hub:8000\r\nX-Hubpair-Device: fake\r\n"
                    + "X_Hubpair_Name: fake\r\nX-Forwarded-For: 1.2.3.4\r\n"
                    + "Connection: X-Mine\r\nX-Mine: 1\r\n"
                    + "Accept: */*\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n")
            let peer = try await hub.upstream.accept()
            #expect(
                try await peer.read(until: "\r\n\r\n")
                    == "POST /a/..%2f/b;c?d=/hubpair HTTP/1.1\r\nHost: hub:8000\r\nAccept: */*\r\n"
                    + "X-Hubpair-Device: \(hub.device.pin.fingerprint)\r\n"
                    + "X-Hubpair-Name: Anna's t%C3%A4blet\r\nX-Hubpair-Role: member\r\n"
                    + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
            // The body passes before it has ended, and the response before it has.
            #expect(try await peer.read(until: "abc\r\n") == "3\r\nabc\r\n")
            try await client.write("2\r\nde\r\n0\r\nX-Sum: 5\r\nX-Hubpair-Device: fake\r\n\r\n")
            #expect(try await peer.read(until: "\r\n\r\n") == "2\r\nde\r\n0\r\nX-Sum: 5\r\n\r\n")
            try await peer.write(
                "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\n"
                    + "Transfer-Encoding: chunked\r\nSet-Cookie: a=b\r\n"
                    + "Set-Cookie: c=d\r\n\r\n1\r\nx\r\n")
            #expect(
                try await client.read(until: "\r\nx\r\n")
                    == "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nSet-Cookie: c=d\r\n\(Self.guarded)"
                    + "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
            )
            try await peer.write("1\r\ny\r\n0\r\nX-End: z\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n") == "1\r\ny\r\n0\r\nX-End: z\r\n\r\n")
            try await client.write("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func requestsWithoutABodyShareAConnectionToTheUpstream() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            // Two at once: the second waits for its turn.
            try await client.write(Self.get + "HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n" + Self.get)
            let peer = try await hub.upstream.accept()
            #expect(try await peer.read(until: "\r\n\r\n").hasPrefix("GET /devices/?a=%2F HTTP/1.1\r\n"))
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab")
            #expect(try await client.response().body == "ab")
            #expect(try await peer.read(until: "\r\n\r\n").hasPrefix("HEAD /x HTTP/1.1\r\n"))
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n").contains("Content-Length: 7"))
            #expect(try await peer.read(until: "\r\n\r\n").hasPrefix("GET "))
            try await peer.write("HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 304 "))

            // It was closed meanwhile: the next request comes on another one.
            await peer.close()
            try await client.write(Self.get)
            let next = try await hub.upstream.accept()
            _ = try await next.read(until: "\r\n\r\n")
            // That breaks off without an answer: a new connection says so.
            await next.close()
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test func aStaleConnectionCostsARetryAndNoError() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 204 No Content\r\n\r\n")
            _ = try await client.response()
            try await client.write(Self.get)
            _ = try await peer.read(until: "\r\n\r\n")
            await peer.close()
            let next = try await hub.upstream.accept()
            _ = try await next.read(until: "\r\n\r\n")
            try await next.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            #expect(try await client.response().body == "x")
        }
    }

    /// A server that closes after each answer without a word: its end crosses the next request on the way.
    @Test(arguments: [
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab",
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n",
        "PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\na", "PATCH /x HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func whatMustNotBeRepeatedGetsAConnectionOfItsOwn(request: String) async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let stale = try await hub.upstream.accept()
            _ = try await stale.read(until: "\r\n\r\n")
            try await stale.write("HTTP/1.1 204 No Content\r\n\r\n")
            _ = try await client.response()
            async let fresh: Void = {
                let peer = try await hub.upstream.accept()
                _ = try await peer.read(until: "\r\n\r\n")
                try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            }()
            async let end: Void = {
                _ = try await stale.read(until: "\r\n\r\n")
                await stale.close()
            }()
            try await client.write(request)
            #expect(try await client.response().body == "x")
            try await fresh
            await stale.close()
            _ = try? await end
        }
    }

    @Test func whatTheUpstreamMayAnswer() async throws {
        try await HubInTest.run { hub in
            // What it answers; what the client gets of it.
            let cases: [(String, String)] = [
                (
                    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\(Self.guarded)"
                        + "Content-Length: 0\r\n\r\n"
                ),
                (
                    "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
                    "HTTP/1.1 204 No Content\r\n\(Self.guarded)\r\n"
                ),
                (
                    "HTTP/1.0 200 OK\r\n\r\nall\n",
                    "HTTP/1.1 200 OK\r\n\(Self.guarded)Transfer-Encoding: chunked\r\n\r\n"
                        + "4\r\nall\n\r\n0\r\n\r\n"
                ),
                (
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
                    "HTTP/1.1 502 Bad Gateway\r\n"
                ),
                (
                    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    "HTTP/1.1 502 Bad Gateway\r\n"
                ),
                ("HTTP/1.1 101 Switching Protocols\r\n\r\n", "HTTP/1.1 502 Bad Gateway\r\n"),
                ("nonsense\r\n\r\n", "HTTP/1.1 502 Bad Gateway\r\n"), ("", "HTTP/1.1 502 Bad Gateway\r\n"),
                // Cut off: the client must see that it is not whole.
                (
                    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
                    "HTTP/1.1 200 OK\r\n\(Self.guarded)Content-Length: 9\r\n\r\nabc"
                ),
                (
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                    "HTTP/1.1 200 OK\r\n\(Self.guarded)Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
                ),
            ]
            for (answer, seen) in cases {
                let client = try await hub.connect(as: hub.device)
                try await client.write(Self.get)
                let peer = try await hub.upstream.accept()
                _ = try await peer.read(until: "\r\n\r\n")
                if !answer.isEmpty { try await peer.write(answer) }
                await peer.close()
                if seen.hasSuffix("abc") || seen.hasSuffix("abc\r\n") {
                    #expect(try await client.rest() == seen)  // and the connection ends
                } else {
                    #expect(try await client.read(until: seen) == seen)
                }
                await client.close()
            }
        }
    }

    @Test func anOldClientGetsTheBodyUntilTheEnd() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("GET / HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n")
            let peer = try await hub.upstream.accept()
            let head = try await peer.read(until: "\r\n\r\n")
            #expect(head.contains("Host: 127.0.0.1:\(hub.upstream.port)\r\n") && !head.contains("Expect"))
            try await peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
            #expect(
                try await client.rest() == "HTTP/1.1 200 OK\r\n\(Self.guarded)Connection: close\r\n\r\nx")

            let other = try await hub.connect(as: hub.device)
            try await other.write("GET /hubpair/v1/device HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(try await other.response().head.contains("Connection: keep-alive"))
        }
    }
}

extension String {
    /// How often `part` stands in it.
    func components(of part: String) -> Int { ranges(of: part).count }
}
