import GatewayRules
import Identity
import NIOCore
import Pairing
import Testing

@testable import HubService

/// A web service behind the hub that takes its time, beside a server of a house that must not.
@Suite struct ServiceTimesTests {
    private static func get(_ path: String, _ fields: String = "") -> String {
        "GET \(path) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
    }

    @Test func pollsStreamsAndSocketsMayWait() async throws {
        var limits = ServeLimits()
        limits.upstream = .milliseconds(100)
        try await HubInTest.run(limits: limits) { hub in
            let server = try await RawUpstream()
            let port = try await serve(server, behind: hub)
            let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
            let poll = try await begin(Self.get("/poll"), port, server, hub, answer: "")
            let stream = try await begin(
                Self.get("/events"), port, server, hub,
                answer: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: begun\n\n")
            let socket = try await begin(
                Self.get("/ws", upgrade), port, server, hub,
                answer: "HTTP/1.1 101 Switching\r\n\(upgrade)\r\n: begun\n\n")
            // What began last, at the server of the house, has its time behind it.
            #expect(try await hub.ask(Self.get("/x")).head.hasPrefix("HTTP/1.1 504 "))
            try await poll.server.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await poll.client.response().body == "ok")
            for each in [stream, socket] {
                try await each.server.write("later")
                // A stream comes in chunks.
                #expect(try await each.client.read(until: "later").hasSuffix("later"))
            }
            for each in [poll, stream, socket] {
                await each.client.close()
                await each.server.close()
            }
            await server.close()
        }
    }

    /// Sends a request, and the first bytes of an answer, which arrive.
    private func begin(
        _ request: String, _ port: UInt16, _ server: RawUpstream, _ hub: HubInTest, answer: String
    ) async throws -> (client: RawPeer, server: RawPeer) {
        let client = try await RawPeer.connect(port: port, as: hub.device)
        try await client.write(request)
        let peer = try await server.accept()
        _ = try await peer.read(until: "\r\n\r\n")
        if !answer.isEmpty {
            try await peer.write(answer)
            _ = try await client.read(until: ": begun\n\n")
        }
        return (client, peer)
    }

    /// The port at which the hub serves it.
    private func serve(_ server: RawUpstream, behind hub: HubInTest) async throws -> UInt16 {
        let spare = try await RawUpstream()
        await spare.close()
        let port = UInt16(spare.port)
        _ = try ManageServices(state: hub.state).put(
            try PeerName("Slow"), try Upstream("http://127.0.0.1:\(server.port)"), port: port
        ) { _ in }
        while !hub.log.text.contains("serves Slow") { try await Task.sleep(for: .milliseconds(10)) }
        return port
    }
}
