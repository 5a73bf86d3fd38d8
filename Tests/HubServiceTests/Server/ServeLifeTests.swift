import Addresses
import FoundationEssentials
import Glibc
import Logging
import NIOCore
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// What changes while the hub runs: approvals, the keyfile, the number of clients, and the end.
@Suite struct ServeLifeTests {
    private static let get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A request in flight: the upstream has seen it, and has not answered.
    private func inFlight(_ hub: HubInTest, as identity: TLSIdentity? = nil, _ request: String = get)
        async throws
        -> (client: RawPeer, peer: RawPeer)
    {
        let client = try await hub.connect(as: identity ?? hub.device)
        try await client.write(request)
        let peer = try await hub.upstream.accept()
        _ = try await peer.read(until: "\r\n\r\n")
        return (client, peer)
    }

    /// A WebSocket that is open.
    private func webSocket(_ hub: HubInTest, as identity: TLSIdentity? = nil) async throws -> (
        client: RawPeer, peer: RawPeer
    ) {
        let request =
            "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        let (client, peer) = try await inFlight(hub, as: identity, request)
        // The first frame comes with the head, in one packet.
        try await peer.write(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nearly")
        let head = try await client.read(until: "\r\n\r\n")
        #expect(head.hasPrefix("HTTP/1.1 101 ") && head.contains("Upgrade: websocket\r\n"))
        #expect(head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
        #expect(try await client.read(until: "early") == "early")
        return (client, peer)
    }

    @Test func aWebSocketCarriesBytesBothWaysAndEndsOneSideAtATime() async throws {
        try await HubInTest.run { hub in
            let (client, peer) = try await webSocket(hub)
            try await client.write("GET /x HTTP/1.1\nnot HTTP any more\r")
            #expect(try await peer.read(until: "any more\r") == "GET /x HTTP/1.1\nnot HTTP any more\r")
            try await peer.write("HTTP/1.1 999\r\n\r\nneither is this")
            #expect(try await client.read(until: "neither is this").hasPrefix("HTTP/1.1 999"))
            let large = ByteBuffer(repeating: 0x61, count: 4 << 20)
            client.push(large)
            peer.push(large)
            #expect(try await peer.read(count: 4 << 20).utf8.count == 4 << 20)
            #expect(try await client.read(count: 4 << 20).utf8.count == 4 << 20)

            try await client.closeOutput()
            #expect(try await peer.rest() == "")
            try await peer.write("last words")
            #expect(try await client.read(until: "words") == "last words")
            await peer.close()
            #expect(try await client.rest() == "")
        }
    }

    /// No client may, and any can: it must neither be lost nor read as HTTP, and ended the process once.
    @Test func bytesThatComeBeforeTheUpgradeIsAnswered() async throws {
        try await HubInTest.run { hub in
            let request =
                "GET /ws HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n"
                + "Upgrade: websocket\r\n\r\nearly GET / bytes"
            for leaves in [false, true] {
                let (client, peer) = try await inFlight(hub, request)
                if leaves { try await client.closeOutput() }
                try await peer.write(
                    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                        + "Upgrade: websocket\r\n\r\nhello"
                )
                if leaves {
                    _ = try await peer.rest()
                } else {
                    #expect(try await peer.read(until: "bytes") == "early GET / bytes")
                    #expect(try await client.read(until: "hello").hasPrefix("HTTP/1.1 101 "))
                }
            }
        }
    }

    @Test(arguments: [
        "Upgrade: websocket", "Connection: Upgrade", "Connection: Upgrade\r\nUpgrade: h2c",
        "Connection: close\r\nUpgrade: websocket",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c",
    ])
    func aSwitchThatIsNoneIsAFaultOfTheUpstream(fields: String) async throws {
        try await HubInTest.run { hub in
            let (client, peer) = try await inFlight(
                hub, "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nearly")
            try await peer.write(
                "HTTP/1.1 101 X\r\n\(fields)\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await client.rest().hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test func anUpgradeThatTheUpstreamRefusesIsAnOrdinaryAnswer() async throws {
        try await HubInTest.run { hub in
            let (client, peer) = try await inFlight(
                hub, "GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nGET /2")
            try await peer.write("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 1\r\n\r\nx")
            #expect(try await client.rest().hasSuffix("\r\nConnection: close\r\n\r\nx"))
        }
    }

    @Test func aRevocationClosesEveryConnectionOfTheDevice() async throws {
        try await HubInTest.run { hub in
            let other = TLSIdentity.random()
            try hub.enter(other, name: "Other", .approved)
            let (waiting, first) = try await inFlight(hub, as: other)
            try await first.write("HTTP/1.1 204 No Content\r\n\r\n")
            _ = try await waiting.response()  // an idle connection now, and one in the pool
            let (streaming, second) = try await {
                let client = try await hub.connect(as: other)
                try await client.write(Self.get)
                _ = try await first.read(until: "\r\n\r\n")
                try await first.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n")
                _ = try await client.read(until: "\r\nx\r\n")
                return (client, first)
            }()
            let (tunnel, third) = try await webSocket(hub, as: other)
            let (bystander, fourth) = try await webSocket(hub)

            _ = try AdministerDevices(state: hub.state).revoke(PeerSelector("Other"))
            for client in [waiting, streaming, tunnel] { #expect(try await client.rest() == "") }
            for peer in [second, third] { #expect(try await peer.rest() == "") }
            #expect(try await hub.ask(Self.get, as: other).head.hasPrefix("HTTP/1.1 403 "))
            try await bystander.write("still here")
            #expect(try await fourth.read(until: "here") == "still here")
            #expect(hub.log.text.contains("closed a connection of \(other.pin.fingerprint)"))
        }
    }

    @Test func anApprovalThatExpiresEndsWhatIsOpen() async throws {
        try await HubInTest.run { hub in
            let guest = TLSIdentity.random()
            // The keyfile has whole seconds. Long enough for the WebSocket on a busy machine.
            try hub.enter(guest, name: "Guest", .approved, expires: Date(timeIntervalSinceNow: 12))
            let (client, peer) = try await webSocket(hub, as: guest)
            #expect(try await client.rest() == "")
            #expect(try await peer.rest() == "")
        }
    }

    @Test func aKeyfileWithAFaultLetsNobodyInUntilItIsMended() async throws {
        try await HubInTest.run { hub in
            let (client, _) = try await webSocket(hub)
            let path = "\(hub.path)/approved-devices"
            let whole = try #require(FileManager.default.contents(atPath: path))
            let damages: [(String) throws -> Void] = [
                { try Data(whole.dropLast(3)).write(to: URL(filePath: $0)) },
                { try Data().write(to: URL(filePath: $0)) },
                { chmod($0, 0o644) },
                { try FileManager.default.removeItem(atPath: $0) },
                {
                    unlink($0)
                    symlink("elsewhere", $0)
                },
            ]
            for (number, damage) in damages.enumerated() {
                try damage(path)
                if number == 0 { #expect(try await client.rest() == "") }  // open connections are closed too
                let (head, body) = try await hub.ask(Self.get)
                #expect(
                    head.hasPrefix("HTTP/1.1 503 ") && body.contains("\"unavailable\""), "damage \(number)")
                unlink(path)
                try whole.write(to: URL(filePath: path))
                chmod(path, 0o600)
                #expect(
                    try await hub.ask("GET /hubpair/v1/verify HTTP/1.1\r\nHost: h\r\n\r\n").head.contains(
                        " 204 "))
            }
            #expect(hub.log.text.contains("nobody is let in until this is mended"))
            #expect(hub.log.text.contains("can be read again"))
        }
    }

    @Test func aStateDirectoryThatIsReplacedIsWatchedAgain() async throws {
        try await HubInTest.run { hub in
            rename(hub.path, hub.path + ".old")
            #expect(try await hub.ask(Self.get).head.hasPrefix("HTTP/1.1 503 "))
            rename(hub.path + ".old", hub.path)
            let (client, _) = try await webSocket(hub)
            _ = try AdministerDevices(state: hub.state).revoke(PeerSelector("Anna's täblet"))
            #expect(try await client.rest() == "")
        }
    }

    @Test func stoppingLetsRequestsInFlightFinish() async throws {
        let hub = try await HubInTest()
        let idle = try await hub.connect(as: nil)
        let (tunnel, _) = try await webSocket(hub)
        let (client, peer) = try await inFlight(hub)
        async let stopped: Void = hub.stop()
        #expect(try await idle.rest() == "")
        #expect(try await tunnel.rest() == "")
        await #expect(throws: (any Error).self) { try await hub.connect(as: nil) }
        try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
        try await peer.write("done")
        let rest = try await client.rest()
        #expect(rest.contains("Connection: close\r\n") && rest.hasSuffix("done"))
        await stopped
    }

    @Test func stoppingDoesNotWaitForEver() async throws {
        var limits = ServeLimits()
        limits.drain = .milliseconds(100)
        let hub = try await HubInTest(limits: limits)
        let (client, peer) = try await inFlight(hub)
        await hub.stop()
        #expect(try await client.rest() == "")
        #expect(try await peer.rest() == "")
        let other = try await HubInTest()
        let (second, _) = try await inFlight(other)
        async let stopped: Void = other.stop()
        other.server.stopAtOnce()
        #expect(try await second.rest() == "")
        await stopped
    }
}
