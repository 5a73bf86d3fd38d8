import Addresses
import FoundationEssentials
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// The hub's own pages, over TLS.
@Suite struct PairEndpointTests {
    @Test func theHubTellsAnybodyWhatItIs() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: nil)
            for _ in 0..<3 {
                try await client.write("GET /hubpair/v1/hub?x HTTP/1.1\r\nHost: h\r\n\r\n")
                let (head, body) = try await client.response()
                #expect(head.hasPrefix("HTTP/1.1 200 OK\r\n"))
                let description = try HubDescription(parsing: Array(body.utf8))
                #expect(description.name.description == "Test hub" && description.api == 1)
            }
            try await client.write(
                "HEAD /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\nGET /hubpair/v1/hub HTTP/1.0\r\n\r\n")
            let head = try await client.read(until: "\r\n\r\n")
            #expect(head.contains("Content-Length: ") && !head.contains("\r\nConnection: close"))
            let rest = try await client.rest()
            #expect(
                rest.hasPrefix("HTTP/1.1 200 OK") && rest.contains("Connection: close") && rest.hasSuffix("}")
            )
        }
    }

    @Test(arguments: [
        ("POST /hubpair/v1/hub", 405, "GET, HEAD"), ("GET /hubpair/v1/pair", 405, "POST"),
        ("PUT /hubpair/v1/device", 405, "GET, HEAD, DELETE"), ("GET /hubpair", 404, nil),
        ("GET /hubpair/v2/hub", 404, nil),
        ("GET //hubpair/v1/hub", 404, nil), ("GET /%68ubpair/x", 404, nil), ("GET /x/../HUBPAIR", 404, nil),
        ("TRACE /", 405, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"), ("GET http://h/", 400, nil),
        ("OPTIONS *", 400, nil), ("BREW /", 400, nil),
    ])
    func whatIsNoPageOfTheHubsIsNeverPassedOn(line: String, status: Int, allow: String?) async throws {
        try await HubInTest.run { hub in
            let (head, body) = try await hub.ask("\(line) HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 \(status) "))
            #expect(body.hasPrefix("{\"error\":\""))
            if let allow { #expect(head.contains("\r\nAllow: \(allow)\r\n")) }
        }
    }

    @Test func aDeviceIsToldWhatTheHubKnowsOfIt() async throws {
        try await HubInTest.run { hub in
            let request = "GET /hubpair/v1/device HTTP/1.1\r\nHost: h\r\n\r\n"
            let told = try await hub.ask(request).body
            #expect(told.contains("\"status\":\"approved\""))
            #expect(told.contains(#""may":["arrange","change","look","open","set"]"#))
            let nobody = try await hub.connect(as: nil)
            try await nobody.write(request)
            let refused = try await nobody.response()
            #expect(refused.head.hasPrefix("HTTP/1.1 401 ") && refused.body.contains("\"no_certificate\""))
            let other = TLSIdentity.random()
            #expect(try await hub.ask(request, as: other).head.hasPrefix("HTTP/1.1 403 "))
            try hub.enter(other, name: "Other", .pending)
            #expect(try await hub.ask(request, as: other).body.contains("\"status\":\"pending\""))
            try hub.enter(other, name: "Other", .approved, expires: Date(timeIntervalSinceNow: -1))
            #expect(try await hub.ask(request, as: other).body.contains("\"status\":\"expired\""))
            try hub.enter(other, name: "Other", .revoked)
            #expect(try await hub.ask(request, as: other).body.contains("\"status\":\"revoked\""))
        }
    }

    @Test func verifyKnowsApprovedDevicesOnly() async throws {
        try await HubInTest.run { hub in
            let request = "GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n\r\n"
            let passed = try await hub.ask(request)
            #expect(passed.head.hasPrefix("HTTP/1.1 204 ") && !passed.head.contains("Content-Length"))
            #expect(passed.head.contains("X-Hubpair-Device: \(hub.device.pin.fingerprint)\r\n"))
            #expect(passed.head.contains("X-Hubpair-Name: Anna's t%C3%A4blet\r\n"))
            let other = TLSIdentity.random()
            for status in [nil, ApprovedDevice.Status.pending, .revoked] {
                if let status { try hub.enter(other, name: "Other", status) }
                #expect(try await hub.ask(request, as: other).head.hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    @Test(arguments: [(["127.0.0.1"], 204), (["127.0.0.2"], 401), ([], 401)])
    func theCertificateHeaderCountsFromATrustedProxy(proxies: [String], status: Int) async throws {
        try await HubInTest.run(trustedProxies: proxies) { hub in
            let pem = try hub.device.certificatePEM().replacing("\n", with: "%0A").replacing(" ", with: "%20")
                .replacing("+", with: "%2B")
            let proxy = try await hub.connect(as: nil)
            try await proxy.write(
                "GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\nX-SSL-Client-Cert: \(pem)\r\n\r\n")
            #expect(try await proxy.response().head.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    /// The hub's own key is that of its doctor: it may look, as a guest, and no more. A proxy cannot hand it
    /// on, since the certificate is public.
    @Test func theHubsOwnKeyMayLook() async throws {
        try await HubInTest.run(trustedProxies: ["127.0.0.2"], hasUpstream: false) { hub in
            let own = try HubState.existingIdentity(in: hub.state.open())
            func status(_ line: String, _ fields: String = "") async throws -> String {
                let head = try await hub.ask("\(line) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n", as: own).head
                return String(head.dropFirst(9).prefix(3))
            }
            // Nothing is known without a server behind the hub.
            #expect(try await status("GET /hubpair/v1/states") == "503")
            #expect(try await status("GET /devices/") == "502")
            #expect(try await status("GET /hubpair/v1/devices") == "403")
            #expect(try await status("PUT /hubpair/v1/rooms/x", "Content-Length: 0\r\n") == "403")
            #expect(try await status("DELETE /devices/x") == "403")
        }
        try await HubInTest.run(trustedProxies: ["127.0.0.1"]) { hub in
            let own = try HubState.existingIdentity(in: hub.state.open())
            let pem = try own.certificatePEM().replacing("\n", with: "%0A").replacing(" ", with: "%20")
                .replacing("+", with: "%2B")
            let request = "GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\nX-SSL-Client-Cert: \(pem)\r\n\r\n"
            for identity in [nil, own] {
                let proxy = try await hub.connect(as: identity)
                try await proxy.write(request)
                #expect(try await proxy.response().head.hasPrefix("HTTP/1.1 401 "))
            }
            // Nor does the proxy with the hub's key stand for the hub.
            let asked = try await hub.ask("GET /devices/ HTTP/1.1\r\nHost: h\r\n\r\n", as: own)
            #expect(asked.head.hasPrefix("HTTP/1.1 403 "))
        }
    }

    @Test(
        arguments: [
            ([], nil), (["wait=7"], 7), (["wait=0"], 0), (["respond-async", "wait=9"], 9), (["wait=999"], 30),
            (["wait=-1"], nil), (["wait="], nil), (["wait=x"], nil), (["wait=99999999999999999999"], nil),
            (["wait=x", "wait=3"], 3),
        ] as [([Substring], Int?)])
    func howLongAClientLetsTheHubWait(preferences: [Substring], seconds: Int?) {
        #expect(ResourceRequest.patience(preferences) == seconds.map { .seconds($0) })
    }

    /// nginx with a client certificate of its own, which happens to be a paired device's, and a client with
    /// none.
    @Test func theProxysOwnCertificateStandsForNobody() async throws {
        try await HubInTest.run(trustedProxies: ["127.0.0.1"]) { hub in
            let request = "GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n"
            #expect(try await hub.ask(request + "\r\n").head.hasPrefix("HTTP/1.1 401 "))
            let empty = try await hub.ask(request + "X-SSL-Client-Cert: \r\n\r\n")
            #expect(empty.head.hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func aDevicePairsWithACodeAndIsLetIn() async throws {
        try await HubInTest.run { hub in
            let (codes, known, _) = try IssueCode(.once, lifetime: 600, state: hub.state, now: Date()).run(
                addressHint: { _ in nil }, draw: { _, _ in }, handOut: {})
            let code = try #require(codes.first)
            let device = TLSIdentity.random()
            let attempt = PairAttempt(
                secret: code.secret, name: try PeerName("New"), nonce: .random(), device: device.pin)
            let body = String(decoding: attempt.request(to: known.pin).serialized, as: UTF8.self)
            let request =
                "POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
            let (head, answer) = try await hub.ask(request, as: device)
            #expect(head.hasPrefix("HTTP/1.1 200 "))
            try attempt.verify(PairReply(parsing: Array(answer.utf8)), from: known.pin)

            // The same connection's certificate lets it in at once.
            async let passed = hub.ask("GET /devices/ HTTP/1.1\r\nHost: h\r\n\r\n", as: device)
            let peer = try await hub.upstream.accept()
            #expect(try await peer.read(until: "\r\n\r\n").contains("X-Hubpair-Name: New\r\n"))
            try await peer.write("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(try await passed.head.hasPrefix("HTTP/1.1 204 "))
            // A second device does not get in with it, and the log has no secret.
            #expect(try await hub.ask(request, as: .random()).head.contains(" 403 "))
            #expect(!hub.log.text.contains(code.text.dropFirst(20)))
        }
    }

    @Test(arguments: [
        ("Content-Length: 100000\r\n\r\n", 4_097), ("Content-Length: 5000\r\n\r\n", 5_000),
        ("Transfer-Encoding: chunked\r\n\r\n2000\r\n", 0x2000), ("Content-Length: 0\r\n\r\n", 0),
    ])
    func aPairingRequestIsReadNoFurtherThanItMayBe(head: String, count: Int) async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(
                "POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\n\(head)" + String(repeating: "x", count: count))
            let status = count > 4_096 ? 413 : 400
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test func onlyP256KeysAreDevices() async throws {
        try await HubInTest.run { hub in
            let answer = try await Subprocess.curl(
                port: hub.server.port, path: "/hubpair/v1/device", key: "rsa", in: hub.path)
            #expect(answer.contains("no_certificate") && answer.hasSuffix(" 401"))
        }
    }

    /// openssl is the stranger here: it keeps a session and comes again with it.
    @Test func aResumedSessionNeitherLosesNorGainsAnIdentity() async throws {
        try await HubInTest.run { hub in
            let result = try await Subprocess.resume(port: hub.server.port, device: hub.device, in: hub.path)
            #expect(result.with == ["New 204", "Reused 204", "Reused 204"])
            #expect(result.without == ["New 401", "Reused 401", "Reused 401"])
            // A session of the device's, used by somebody without its key: the session's secret is the proof.
            #expect(result.tls12.contains("alert") || result.tls12.contains("no protocols"))
        }
    }
}
