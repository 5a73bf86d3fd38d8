import NIOCore
import Pairing
import PinnedTLS
import Synchronization
import Testing

@testable import HubService

/// Bodies and upstreams: how much passes, when, and what becomes of it when the upstream fails.
@Suite struct GatewayStreamTests {
    private static let get = GatewayTests.get

    @Test func expectContinueGoesToTheUpstreamAndBack() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            let head = "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
            try await client.write(head)
            let peer = try await hub.upstream.accept()
            #expect(try await peer.read(until: "\r\n\r\n").contains("Expect: 100-continue\r\n"))
            try await peer.write("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(try await client.read(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.write("ab")
            #expect(try await peer.read(until: "ab") == "ab")
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await client.response()
            // Refused before the body is sent: the client need not send it.
            try await client.write(head)
            let second = try await hub.upstream.accept()
            _ = try await second.read(until: "\r\n\r\n")
            try await second.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.response().head.contains("Connection: close"))
            let stranger = try await hub.connect(as: nil)
            try await stranger.write(head)
            #expect(try await stranger.response().head.hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func bodiesAreBounded() async throws {
        var limits = ServeLimits()
        limits.bodyByteCount = 10
        try await HubInTest.run(limits: limits) { hub in
            let large = try await hub.ask(
                "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\n\r\n01234567890")
            #expect(large.head.hasPrefix("HTTP/1.1 413 ") && large.body.contains("10 bytes"))
            let client = try await hub.connect(as: hub.device)
            try await client.write(
                "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n01234567\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "8\r\n01234567\r\n")
            try await client.write("3\r\nabc\r\n")
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 413 "))
            // The upstream sees a request that was broken off, not one that ended.
            #expect(try await !peer.rest().hasSuffix("0\r\n\r\n"))
        }
    }

    @Test func anUpstreamThatIsDownOrNotThere() async throws {
        try await HubInTest.run(upstreamURL: "http://127.0.0.1:1") { hub in
            for _ in 0..<2 {
                let (head, body) = try await hub.ask(Self.get)
                #expect(head.hasPrefix("HTTP/1.1 502 ") && body.contains("\"upstream_unavailable\""))
            }
            #expect(hub.log.text.components(of: "does not answer") == 1)
        }
        try await HubInTest.run(hasUpstream: false) { hub in
            let answer = try await hub.ask(Self.get)
            #expect(answer.body.contains("\"no_upstream\""))
        }
    }

    @Test func aStockHubsCertificateIsTakenOnLoopback() async throws {
        try await HubInTest.run(upstreamTLS: .random()) { hub in
            async let answer = hub.ask(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            #expect(try await answer.body == "x")
        }
    }

    @Test func aPinOfTheUpstreamIsChecked() async throws {
        let identity = TLSIdentity.random()
        let server = try await RawUpstream(tls: identity)
        for (pin, status) in [(identity.pin, 200), (TLSIdentity.random().pin, 502)] {
            try await HubInTest.run(upstreamURL: "https://localhost:\(server.port)#\(pin.text)") { hub in
                async let answer = hub.ask(Self.get)
                let peer = try await server.accept()
                if status == 200 {
                    _ = try await peer.read(until: "\r\n\r\n")
                    try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
                }
                #expect(try await answer.head.hasPrefix("HTTP/1.1 \(status) "))
                if status == 502 { #expect(try await peer.rest() == "") }
            }
        }
        await server.close()
    }

    @Test func neitherSideIsReadFasterThanTheOtherTakesIt() async throws {
        try await HubInTest.run { hub in
            let count = 24 << 20
            let client = try await hub.connect(as: hub.device)
            try await client.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.channel.setOption(.autoRead, value: false).get()
            let sent = Sending(client.channel.writeAndFlush(ByteBuffer(repeating: 0x61, count: count)))
            // Other connections go on meanwhile, and more than the sockets hold has not been taken.
            for _ in 0..<20 {
                #expect(try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n").body.count > 9)
            }
            #expect(!sent.isDone)
            try await peer.channel.setOption(.autoRead, value: true).get()
            #expect(try await peer.read(count: count).utf8.count == count)
            try await sent.wait()

            // And the other way round.
            try await client.channel.setOption(.autoRead, value: false).get()
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: \(count)\r\n\r\n")
            let answered = Sending(peer.channel.writeAndFlush(ByteBuffer(repeating: 0x62, count: count)))
            for _ in 0..<20 {
                #expect(try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n").body.count > 9)
            }
            #expect(!answered.isDone)
            try await client.channel.setOption(.autoRead, value: true).get()
            #expect(try await client.response().body.utf8.count == count)
        }
    }

    @Test func aResponseThatBeginsBeforeTheRequestEndsMayLast() async throws {
        var limits = ServeLimits()
        limits.upstream = .milliseconds(1)
        try await HubInTest.run(limits: limits) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\na")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\na")
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n12")
            _ = try await client.read(until: "\r\n\r\n12")
            try await client.write("b")
            #expect(try await peer.read(until: "b") == "b")
            // More than a millisecond.
            for _ in 0..<5 { _ = try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n") }
            try await peer.write("34")
            #expect(try await client.read(count: 2) == "34")
        }
    }

    /// Whether the rest of the request will be read is not known: its bytes must not be taken for the next
    /// one.
    @Test(arguments: [200, 303]) func aResponseThatEndsBeforeTheRequestSaysThatItCloses(status: Int)
        async throws
    {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\na")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\na")
            try await peer.write("HTTP/1.1 \(status) X\r\nContent-Length: 2\r\n\r\nok")
            let (head, body) = try await client.response()
            #expect(head.contains("\r\nConnection: close\r\n") && body == "ok")
            #expect(try await client.rest() == "")
        }
    }

    /// A byte now and then holds nothing for ever; and the time in which the upstream takes nothing does not
    /// count.
    @Test func aBodyMustComeAtALeastPace() async throws {
        var limits = ServeLimits()
        // Longer than a busy machine needs from the head to the first byte.
        limits.body = .seconds(15)
        // The client sends on until it has read the answer, whenever that is.
        limits.linger = .seconds(60)
        try await HubInTest.run(limits: limits) { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await trickleToTheEnd(client)
            #expect(try await peer.rest().hasPrefix("aa"))

            let (other, count) = (try await hub.connect(as: hub.device), 24 << 20)
            try await other.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: \(count)\r\n\r\n")
            let slow = try await hub.upstream.accept()
            _ = try await slow.read(until: "\r\n\r\n")
            try await slow.channel.setOption(.autoRead, value: false).get()
            other.push(ByteBuffer(repeating: 0x61, count: count))
            // Its time is over when that of a body that began after it is.
            let later = try await hub.connect(as: hub.device)
            try await later.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999\r\n\r\n")
            try await trickleToTheEnd(later)
            try await slow.channel.setOption(.autoRead, value: true).get()
            #expect(try await slow.read(count: count).utf8.count == count)
            try await slow.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            #expect(try await other.response().body == "x")
        }
    }

    /// Sends a byte now and then until the hub has had enough of it.
    private func trickleToTheEnd(_ client: RawPeer) async throws {
        let trickle = Task {
            while true {
                try await Task.sleep(for: .milliseconds(100))
                try await client.write("a")
            }
        }
        #expect(try await client.response().head.hasPrefix("HTTP/1.1 408 "))
        trickle.cancel()
    }

    /// UTF-8 passes as it came, both ways; what NIO would alter is refused.
    @Test func aFieldPassesUnchangedOrNotAtAll() async throws {
        func bytes(_ start: String, _ value: [UInt8], _ end: String) -> ByteBuffer {
            ByteBuffer(bytes: Array(start.utf8) + value + Array(end.utf8))
        }
        let latin = Array("caf".utf8) + [0xE9]
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("GET / HTTP/1.1\r\nHost: h\r\nX-Place: café e\u{301} 😀\r\n\r\n")
            let peer = try await hub.upstream.accept()
            #expect(try await peer.read(until: "\r\n\r\n").contains("X-Place: café e\u{301} 😀\r\n"))
            try await peer.write("HTTP/1.1 200 OK\r\nX-Place: thé e\u{301}\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.response().head.contains("X-Place: thé e\u{301}\r\n"))

            try await client.write(Self.get)
            _ = try await peer.read(until: "\r\n\r\n")
            peer.push(bytes("HTTP/1.1 200 OK\r\nX-Place: ", latin, "\r\nContent-Length: 2\r\n\r\nok"))
            let refused = try await client.response()
            #expect(refused.head.hasPrefix("HTTP/1.1 502 ") && refused.body.contains("not UTF-8"))

            for end in ["\r\nHost: h\r\n\r\n", "\u{80}\r\nHost: h\r\n\r\n"] {
                let other = try await hub.connect(as: hub.device)
                other.push(bytes("GET / HTTP/1.1\r\nX-Place: ", latin, end))
                #expect(try await other.response().head.hasPrefix("HTTP/1.1 400 "))
            }
        }
    }

    @Test(arguments: ["000", "099"]) func aStatusThatIsNoneIsNotPassedOn(status: String) async throws {
        try await HubInTest.run { hub in
            async let answer = hub.ask(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 \(status) OK\r\nContent-Length: 1\r\n\r\nx")
            #expect(try await answer.head.hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test func serverSentEventsComeOneByOneAndEndWithTheClient() async throws {
        try await HubInTest.run { hub in
            let client = try await hub.connect(as: hub.device)
            try await client.write("GET /events HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n")
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            _ = try await client.read(until: "\r\n\r\n")
            for number in 0..<3 {
                try await peer.write("data: \(number)\n\n")
                #expect(try await client.read(until: "\n\n\r\n").hasSuffix("data: \(number)\n\n\r\n"))
            }
            await client.close()
            #expect(try await peer.rest() == "")
        }
    }
}

/// Whether a write has gone out by now.
private final class Sending: Sendable {
    private let state = Mutex(false)
    private let future: EventLoopFuture<Void>

    init(_ future: EventLoopFuture<Void>) {
        self.future = future
        future.whenComplete { [weak self] _ in self?.state.withLock { $0 = true } }
    }

    var isDone: Bool { state.withLock { $0 } }
    func wait() async throws { try await future.get() }
}
