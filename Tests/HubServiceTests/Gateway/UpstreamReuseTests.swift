import NIOCore
import Pairing
import PinnedTLS
import Synchronization
import Testing

@testable import HubService

/// Which connection to the upstream a request goes over: a wrong one is another device's answer, or a request
/// that nobody has looked at.
@Suite struct UpstreamReuseTests {
    private static let get = GatewayTests.get
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    /// A busy machine may take a second from one request to the next.
    private static var patient: ServeLimits {
        var limits = ServeLimits()
        limits.upstreamFreshness = .minutes(1)
        return limits
    }

    private static func post(_ body: String, _ length: String? = nil) -> String {
        "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: \(length ?? String(body.utf8.count))\r\n\r\n\(body)"
    }

    /// The request that one reader saw and the other did not: the length had a space behind it.
    @Test(arguments: ["74 ", " 74", "74\t", "\t74 \t", "0074"])
    func whatIsABodyToOneIsABodyToTheOther(length: String) async throws {
        let inner = "GET /smuggled HTTP/1.1\r\nHost: h\r\nX-Hubpair-Device: AAAA-BBBB-CCCC-DDDD\r\n\r\n"
        let body = inner.prefix(74)
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.post(String(body), length))
            let peer = try await hub.upstream.accept()
            let head = try await peer.read(until: "\r\n\r\n")
            #expect(head.contains("\r\nContent-Length: 74\r\n") && head.contains("\r\nConnection: close\r\n"))
            #expect(try await peer.read(count: 74) == body)
            try await peer.write(Self.ok)
            #expect(try await client.response().body == "ok")
            #expect(try await peer.rest() == "")  // closed by the hub, though the upstream would go on
        }
    }

    @Test func eachDeviceHasConnectionsOfItsOwn() async throws {
        try await HubInTest.run { hub in
            let other = TLSIdentity.random()
            try hub.enter(other, name: "Other", .approved)
            let (client, stranger) = (try await hub.connect(as: hub.device), try await hub.connect(as: other))
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.ok)
            _ = try await client.response()
            try await stranger.write(Self.get)
            let second = try await hub.upstream.accept()
            #expect(try await second.read(until: "\r\n\r\n").contains("\(other.pin.fingerprint)"))
            try await second.write(Self.ok)
            _ = try await stranger.response()
            try await client.write(Self.get)
            #expect(try await peer.read(until: "\r\n\r\n").contains("\(hub.device.pin.fingerprint)"))
        }
    }

    /// After these answers the connection is used no more, whatever the upstream thinks of it.
    @Test(arguments: [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
            "200"
        ),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil", "204"),
        ("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\n", "204"),
        ("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n", "304"),
        ("HTTP/1.1 304 Not Modified\r\n\r\nevil", "304"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "502"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n", "502"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok", "502"),
    ])
    func anAnswerThatLeavesADoubtIsTheLast(answer: String, status: String) async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(answer)
            #expect(try await client.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
            #expect(try await peer.rest() == "")
            let next = try await hub.connect(as: hub.device)
            try await next.write(Self.get)
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(Self.ok)
            #expect(try await next.response().body == "ok")
        }
    }

    /// Bytes that come when nothing was asked end the connection, and reach nobody.
    @Test func lateBytesReachNobody() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.ok)
            _ = try await client.response()
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            #expect(try await peer.rest() == "")
            try await client.write(Self.get)
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(Self.ok)
            #expect(try await client.response().body == "ok")
        }
    }

    /// A known server gets requests with a body over connections that are used again, except a body that a
    /// server might take for a request.
    /// Bytes that come too late, when the next request is already under way, are not its answer: it is asked
    /// again on another connection.
    @Test(arguments: ["late", "<2211>\r\n", "HTTP/1.1 junk\r\n\r\n"])
    func lateBytesCostNoAnswer(late: String) async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.ok)
            _ = try await client.response()
            try await client.write(Self.get)
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(late + "\r\n")
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(Self.ok)
            #expect(try await client.response().body == "ok")
        }
    }

    @Test func aKnownServerGetsBodiesOnKeptConnections() async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Length: 2\r\n\r\nok")
            _ = try await client.response()
            for body in ["{\"state\": true}", "x", String(repeating: "y", count: 16_384)] {
                try await client.write(Self.post(body))
                #expect(try await !peer.read(until: "\r\n\r\n").contains("Connection"))
                #expect(try await peer.read(count: body.utf8.count) == body)
                try await peer.write(Self.ok)
                #expect(try await client.response().body == "ok")
            }
            for body in ["GET / HTTP/1.1\r\n\r\n", String(repeating: "y", count: 16_385)] {
                try await client.write(Self.post(body))
                let own = try await hub.upstream.accept()
                #expect(try await own.read(until: "\r\n\r\n").contains("\r\nConnection: close\r\n"))
                #expect(try await own.read(count: body.utf8.count) == body)
                try await own.write(Self.ok)
                #expect(try await client.response().body == "ok")
            }
        }
    }

    /// That an unknown server keeps connections and reads bodies shows with requests that may be sent again.
    @Test func anUnknownServerIsTrustedWhenItShows() async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.post("{}"))
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "{}")
            try await peer.write(Self.ok)
            _ = try await client.response()
            for _ in 0..<99 { try await self.get(client, peer) }
            try await client.write(Self.post("[]"))
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "[]")
            await second.close()
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 502 "))
            let next = try await hub.connect(as: hub.device)
            try await self.get(next, peer)
            try await next.write(Self.post("[]"))
            _ = try await peer.read(until: "[]")
            try await peer.write(Self.ok)
            #expect(try await next.response().body == "ok")
        }
    }

    private func get(_ client: RawPeer, _ peer: RawPeer, server: String = "") async throws {
        try await client.write(Self.get)
        _ = try await peer.read(until: "\r\n\r\n")
        try await peer.write("HTTP/1.1 200 OK\r\n\(server)Content-Length: 2\r\n\r\nok")
        #expect(try await client.response().body == "ok")
    }

    /// A known server that closes all the same: from then on what must not be sent twice has connections of
    /// its own.
    @Test func aServerThatClosesWithoutAWordIsNotTrusted() async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            let answer = "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Length: 2\r\n\r\nok"
            try await peer.write(answer)
            _ = try await client.response()
            await peer.close()
            try await client.write(Self.get)
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(answer)
            _ = try await client.response()
            #expect(hub.log.text.components(of: "closes connections without a word") == 1)
            try await client.write(Self.post("{}"))
            let third = try await hub.upstream.accept()
            _ = try await third.read(until: "{}")
            try await third.write(answer)
            #expect(try await client.response().body == "ok")
        }
    }

    /// A server that answers without having read the body takes it for the beginning of the next request. The
    /// next request is answered all the same, and no body goes over a kept connection any more.
    @Test func aServerThatLeavesBodiesUnreadSpoilsNothing() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.post("{}"))
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.ok)
            _ = try await client.response()
            try await client.write(Self.get)
            _ = try await peer.read(until: "\r\n\r\n")
            // What it read was "{}GET /devices/ HTTP/1.1".
            try await peer.write("HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad")
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(Self.ok)
            #expect(try await client.response().body == "ok")
            #expect(hub.log.text.contains("leaves bodies unread"))
            try await client.write(Self.post("{}"))
            let third = try await hub.upstream.accept()
            #expect(try await third.read(until: "\r\n\r\n").contains("\r\nConnection: close\r\n"))
        }
    }

    /// A client that sends requests and never reads makes the hub hold a few answers, not all of them.
    @Test(arguments: [
        "GET /x HTTP/1.1\r\nHost: h\r\n\r\n", "GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /hubpair/none HTTP/1.1\r\nHost: h\r\n\r\n",
        "DELETE /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}",
    ])
    func answersThatNobodyReadsAreNotMade(request: String) async throws {
        var limits = ServeLimits()
        (limits.idle, limits.strangerIdle, limits.stall) = (.minutes(5), .minutes(5), .minutes(5))
        // The questions below come from the same source, and on a busy machine they close late.
        limits.connectionsPerSource = 64
        try await HubInTest.run(limits: limits) { hub in
            let client = try await hub.connect(as: nil)
            try await client.channel.setOption(.autoRead, value: false).get()
            // The answers to all of them would be 100 MB and more.
            let requests = ByteBuffer(string: String(repeating: request, count: 500_000))
            client.push(requests)
            for _ in 0..<20 { _ = try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n") }
            let channels = hub.server.shared.connections.withLock { $0.keys.map(\.channel) }
            var waiting: [Int] = []
            for channel in channels {
                // Connections of the questions above may be closing.
                if let count = try? await channel.getOption(.bufferedWritableBytes).get() {
                    waiting.append(count)
                }
            }
            #expect(!waiting.isEmpty && waiting.allSatisfy { $0 < 128 << 10 })
            // And when it does read, every request is answered.
            try await client.channel.setOption(.autoRead, value: true).get()
            for _ in 0..<500 { _ = try await client.response() }
            await client.close()
        }
    }
}
