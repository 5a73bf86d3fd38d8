import GatewayRules
import NIOCore
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// In front of a server whose requests must not overlap: nobody holds its only place longer than the server
/// works, and nobody gets it before.
@Suite struct UpstreamTurnTests {
    private static let first = "GET /first HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let second = "GET /second HTTP/1.1\r\nHost: h\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func run(
        limits: ServeLimits = ServeLimits(), _ body: (HubInTest) async throws -> Void
    ) async throws {
        try await HubInTest.run(limits: limits, concurrency: 1, body)
    }

    /// Many events of the same loop: what would have happened by itself has happened.
    private func settle(_ hub: HubInTest) async throws {
        for _ in 0..<20 { _ = try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n") }
    }

    /// The connection with this request. Before it the hub may look at the house by itself, as it does after
    /// an outage.
    private func accept(_ request: String, at hub: HubInTest) async throws -> RawPeer {
        while true {
            let peer = try await hub.upstream.accept()
            let head = try await peer.read(until: "\r\n\r\n")
            guard head.hasPrefix("GET /devices/ ") else {
                #expect(head.hasPrefix(request))
                return peer
            }
            try await peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n[]")
        }
    }

    /// The second request reaches the server when the first is answered, and not before.
    private func isSecondAfter(
        _ hub: HubInTest, _ end: (RawPeer) async throws -> Void,
        answeredBy finish: (RawPeer) async throws -> Void
    ) async throws {
        let client = try await hub.connect(as: hub.device)
        try await client.write(Self.first)
        let peer = try await hub.upstream.accept()
        _ = try await peer.read(until: "\r\n\r\n")
        let other = try await hub.connect(as: hub.device)
        try await other.write(Self.second)
        try await end(client)
        try await settle(hub)
        #expect(hub.upstream.waitingCount == 0)
        try await finish(peer)
        let next = try await accept("GET /second ", at: hub)
        try await next.write(Self.ok)
        #expect(try await other.response().body == "ok")
    }

    @Test func requestsDoNotOverlap() async throws {
        try await Self.run { hub in
            try await isSecondAfter(hub) { _ in
            } answeredBy: {
                try await $0.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }

    /// The server still works for a client that has gone.
    @Test func aClientThatGoesKeepsItsPlace() async throws {
        try await Self.run { hub in
            try await isSecondAfter(hub) {
                await $0.close()
            } answeredBy: {
                try await $0.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
                try await settle(hub)
                #expect(hub.upstream.waitingCount == 0)
                try await $0.write("k")
            }
        }
    }

    @Test func aServerThatClosesGivesThePlaceBack() async throws {
        try await Self.run { hub in
            try await isSecondAfter(hub) {
                await $0.close()
            } answeredBy: {
                await $0.close()
            }
        }
    }

    /// A scene waits as the device that runs it: it does not come before another device because its own
    /// device has sent something else, too.
    @Test func aSceneWaitsInTheLaneOfItsDevice() async throws {
        try await Self.run { hub in
            let ben = TLSIdentity.random()
            try hub.enter(ben, name: "Ben", .approved)
            let states = #"{"states":[{"device":"a","activator":"b","state":true}]}"#
            #expect(try await hub.send("PUT", "scenes/Evening", states).status == 201)
            let turns = hub.server.shared.link.turns
            let run = "POST /hubpair/v1/scenes/Evening/run HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"
            let requests = [
                (Self.first, hub.device), (Self.second, hub.device), (run, hub.device),
                ("GET /third HTTP/1.1\r\nHost: h\r\n\r\n", ben),
            ]
            var clients: [RawPeer] = []
            var peers: [RawPeer] = []
            for (index, (request, device)) in requests.enumerated() {
                let client = try await hub.connect(as: device)
                try await client.write(request)
                clients.append(client)
                if index == 0 { peers.append(try await hub.upstream.accept()) }
                while turns.waitingCount < index { try await settle(hub) }
            }
            for target in ["/first", "/second", "/third", "/devices/"] {
                if peers.isEmpty { peers.append(try await hub.upstream.accept()) }
                let peer = peers.removeLast()
                let head = try await peer.read(until: "\r\n\r\n")
                #expect(head.split(separator: " ")[1].hasPrefix(target))
                try await peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n[]")
            }
        }
    }

    /// One that waits and goes takes no place.
    @Test func aClientMayGoWhileItWaits() async throws {
        try await Self.run { hub in
            try await isSecondAfter(hub) { _ in
                for _ in 0..<5 {
                    let waiting = try await hub.connect(as: hub.device)
                    try await waiting.write(Self.first)
                    await waiting.close()
                }
            } answeredBy: {
                try await $0.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }

    /// A client that sends its request slowly, or does not read its answer, holds nothing up.
    @Test func slowClientsHoldNoPlace() async throws {
        try await Self.run { hub in
            let sender = try await hub.connect(as: hub.device)
            try await sender.write("PUT /slow HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\na")
            let asker = try await hub.connect(as: hub.device)
            try await asker.write(
                "PUT /asks HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await asker.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")

            let client = try await hub.connect(as: hub.device)
            // Its TLS handshake is over, which needs reading.
            try await client.write("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try await client.response()
            try await client.channel.setOption(.autoRead, value: false).get()
            try await client.write(Self.first)
            let peer = try await hub.upstream.accept()
            #expect(try await peer.read(until: "\r\n\r\n").hasPrefix("GET /first "))
            let count = 400_000
            try await peer.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(count)\r\n\r\n")
            peer.push(ByteBuffer(repeating: 0x61, count: count))

            let other = try await hub.connect(as: hub.device)
            try await other.write(Self.second)
            let next = try await hub.upstream.accept()
            #expect(try await next.read(until: "\r\n\r\n").hasPrefix("GET /second "))
            try await next.write("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await other.response().body == "ok")

            try await asker.write("{}")
            let last = try await hub.upstream.accept()
            #expect(try await last.read(until: "\r\n\r\n").hasPrefix("PUT /asks "))
            #expect(try await last.read(count: 2) == "{}")
            try await last.write("HTTP/1.1 100 Continue\r\n\r\n" + Self.ok)
            #expect(try await asker.response().body == "ok")
            try await client.channel.setOption(.autoRead, value: true).get()
            #expect(try await client.response().body.utf8.count == count)
        }
    }

    @Test func aLargeRequestIsRefused() async throws {
        try await Self.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999\r\n\r\n")
            client.push(ByteBuffer(repeating: 0x61, count: 99_999))
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 413 "))
            #expect(hub.upstream.waitingCount == 0)
        }
    }

    /// What has no end counts until it has begun.
    @Test(arguments: [true, false]) func whatLastsHoldsNoPlace(isStream: Bool) async throws {
        try await Self.run { hub in
            let client = try await hub.connect(as: hub.device)
            let upgrade = isStream ? "" : "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            try await client.write("GET /lasts HTTP/1.1\r\nHost: h\r\n\(upgrade)\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(
                isStream
                    ? "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\ndata: 1\n\n"
                    : "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            let other = try await hub.connect(as: hub.device)
            try await other.write(Self.second)
            let next = try await hub.upstream.accept()
            _ = try await next.read(until: "\r\n\r\n")
            try await next.write(Self.ok)
            #expect(try await other.response().body == "ok")
        }
    }

    /// A server that says nothing, the head alone, or a byte now and then: its client is told so, those after
    /// it at once, and its late answer shows that it is back.
    @Test(arguments: [0, 38, 39]) func aServerThatHangs(count: Int) async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123456789"
        var limits = ServeLimits()
        limits.upstream = .seconds(1)
        try await Self.run(limits: limits) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write(Self.first)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(String(answer.prefix(count)))
            let (head, body) = try await client.response()
            #expect(head.hasPrefix("HTTP/1.1 504 ") && body.contains("\"upstream_timeout\""))
            let refused = try await hub.ask(Self.second)
            #expect(refused.head.hasPrefix("HTTP/1.1 503 ") && refused.head.contains("\r\nRetry-After: "))
            #expect(refused.body.contains("\"upstream_away\""))
            #expect(refused.body.contains(" has not answered since "))
            #expect(hub.log.text.contains("does not answer: no response in time"))
            try await peer.write(String(answer.dropFirst(count)))
            while !hub.log.text.contains("answers again") { try await settle(hub) }
            let other = try await hub.connect(as: hub.device)
            try await other.write(Self.second)
            let next = try await accept("GET /second ", at: hub)
            try await next.write(Self.ok)
            #expect(try await other.response().body == "ok")
        }
    }
}
