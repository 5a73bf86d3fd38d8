import FoundationEssentials
import Logging
import NIOCore
import NIOPosix
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
    private static let known = "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Length: 2\r\n\r\nok"

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

    /// At its limit a device gives up the connection that has been idle for longest: a request that must not
    /// be repeated needs a fresh one, and would find none until the old ones are swept away.
    @Test func theFreshestConnectionIsKept() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let log = ServeLog(Logger(label: "test") { _ in RecordedLog() })
        let habits = UpstreamHabits(freshness: .minutes(1), log: log)
        let server = try await ServerBootstrap(group: loop).bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        var channels: [any Channel] = []
        for _ in 0...GatewayPool.maximumIdleCountOfDevice {
            let channel = try await ClientBootstrap(group: loop).channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(UpstreamConnection(habits))
                }
            }.connect(host: "127.0.0.1", port: port).get()
            channels.append(channel)
        }
        let (isFreshest, isOldestActive) = try await loop.submit { [channels] in
            let all = try channels.map {
                try $0.pipeline.syncOperations.handler(type: UpstreamConnection.self)
            }
            let pool = GatewayPool(loop, habits)
            let device = Pin(subjectPublicKeyInfo: Data("device".utf8))
            for each in all { pool.put(each, for: device) }
            let taken = pool.take(for: device, isFresh: true)
            defer {
                taken?.close()
                pool.close()
            }
            return (taken === all.last, all[0].isActive)
        }.get()
        #expect(isFreshest && !isOldestActive)
        try await server.close()
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

    /// A known server gets requests with a body over connections that are used again, whatever is in it.
    @Test func aKnownServerGetsBodiesOnKeptConnections() async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.known)
            _ = try await client.response()
            for body in [
                "{\"state\": true}", "GET / HTTP/1.1\r\n\r\n", String(repeating: "y", count: 16_385),
            ] {
                try await client.write(Self.post(body))
                #expect(try await !peer.read(until: "\r\n\r\n").contains("Connection"))
                #expect(try await peer.read(count: body.utf8.count) == body)
                try await peer.write(Self.known)
                #expect(try await client.response().body == "ok")
            }
        }
    }

    /// So does one that does not tell its name, by its owner's word.
    @Test func aServerOfItsOwnersWordGetsBodiesOnKeptConnections() async throws {
        try await HubInTest.run(limits: Self.patient, handwritten: "reads-bodies=yes\n") { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.post("{}"))
            let peer = try await hub.upstream.accept()
            for _ in 0..<3 {
                #expect(try await !peer.read(until: "\r\n\r\n").contains("Connection"))
                #expect(try await peer.read(count: 2) == "{}")
                try await peer.write(Self.ok)
                #expect(try await client.response().body == "ok")
                try await client.write(Self.post("{}"))
            }
            _ = try await peer.read(until: "\r\n\r\n")
        }
    }

    /// Any other server gets no request after a body: not before the first answer, after an answer without a
    /// name, after one of another server's, nor once it was away.
    @Test(arguments: [
        [ok], [known, ok], ["HTTP/1.1 200 OK\r\nServer: BaseHTTP/0.6\r\nContent-Length: 2\r\n\r\nok", known],
    ])
    func anUnknownServerGetsNothingAfterABody(answers: [String]) async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await self.isLast(Self.post("{}"), client, hub)
            // Each tells that it is kept; what the first one said is forgotten with its connection.
            for answer in answers {
                try await client.write(Self.get)
                let peer = try await hub.upstream.accept()
                #expect(try await !peer.read(until: "\r\n\r\n").contains("Connection"))
                try await peer.write(answer)
                _ = try await client.response()
                await peer.close()
            }
            try await self.isLast(Self.post("{}"), client, hub)
            try await self.isLast(
                "PUT /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", client, hub)
        }
    }

    private func isLast(_ request: String, _ client: RawPeer, _ hub: HubInTest) async throws {
        try await client.write(request)
        let peer = try await hub.upstream.accept()
        #expect(try await peer.read(until: "\r\n\r\n").contains("\r\nConnection: close\r\n"))
        try await peer.write(Self.ok)
        #expect(try await client.response().body == "ok")
        _ = try await peer.rest()  // closed by the hub
    }

    /// A known server that closes all the same: from then on what must not be sent twice has connections of
    /// its own.
    @Test func aServerThatClosesWithoutAWordIsNotTrusted() async throws {
        try await HubInTest.run(limits: Self.patient) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.known)
            _ = try await client.response()
            await peer.close()
            try await client.write(Self.get)
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write(Self.known)
            _ = try await client.response()
            #expect(hub.log.text.components(of: "closes connections without a word") == 1)
            try await client.write(Self.post("{}"))
            let third = try await hub.upstream.accept()
            _ = try await third.read(until: "{}")
            try await third.write(Self.known)
            #expect(try await client.response().body == "ok")
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
