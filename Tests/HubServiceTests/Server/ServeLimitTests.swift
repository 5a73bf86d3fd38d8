import Addresses
import FoundationEssentials
import Glibc
import Logging
import NIOCore
import Pairing
import PinnedTLS
import Testing

@testable import HubService

/// What is refused: too many clients, slow ones, a start that cannot be.
@Suite struct ServeLimitTests {
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

    private static let hello = "GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n"

    /// A client that the hub has answered, so that it is in.
    private func entered(_ hub: HubInTest, from: String, as identity: TLSIdentity? = nil) async throws
        -> RawPeer
    {
        let client = try await RawPeer.connect(port: hub.server.port, as: identity, from: from)
        try await client.write(Self.hello)
        #expect(try await client.response().head.hasPrefix("HTTP/1.1 200 "))
        return client
    }

    @Test func strangersGiveWayToStrangersAndApprovedDevicesToNobody() async throws {
        var limits = ServeLimits()
        (limits.connections, limits.connectionsPerSource) = (6, 3)
        try await HubInTest.run(limits: limits) { hub in
            // The device is of the strangers' own source.
            let device = try await entered(hub, from: "127.0.0.1", as: hub.device)
            var strangers: [RawPeer] = []
            for _ in 0..<4 { strangers.append(try await entered(hub, from: "127.0.0.1")) }
            #expect(try await strangers[0].rest() == "")
            for _ in 0..<3 { strangers.append(try await entered(hub, from: "127.0.0.2")) }
            #expect(try await strangers[1].rest() == "")
            // The hub is full: it gets in at once, and its older connection has stayed.
            let second = try await entered(hub, from: "127.0.0.1", as: hub.device)
            #expect(try await strangers[2].rest() == "")
            for client in [device, second, strangers[3], strangers[6]] {
                try await client.write(Self.hello)
                #expect(try await client.response().head.hasPrefix("HTTP/1.1 200 "))
            }
            #expect(hub.log.text.contains("device from the source of 127.0.0.1: it has 3"))
            #expect(hub.log.text.contains("without an approved device of all: there are 6"))
        }
    }

    @Test func oneDeviceHasSoManyConnectionsAndAHubOfApprovedOnesIsFull() async throws {
        var limits = ServeLimits()
        (limits.connections, limits.connectionsPerSource) = (4, 3)
        try await HubInTest.run(limits: limits) { hub in
            let other = TLSIdentity.random()
            try hub.enter(other, name: "Other", .approved)
            var clients: [RawPeer] = []
            for _ in 0..<3 { clients.append(try await entered(hub, from: "127.0.0.1", as: hub.device)) }
            // All of them rest: the oldest gives way.
            clients.append(try await entered(hub, from: "127.0.0.1", as: hub.device))
            #expect(try await clients.removeFirst().rest() == "")
            clients.append(try await entered(hub, from: "127.0.0.1", as: other))
            let last = try await hub.connect(as: nil)
            try? await last.write(Self.hello)
            #expect(try await last.rest() == "")
            #expect(hub.log.text.contains("there are 4 of approved devices already"))
            // One that ends makes room; the hub learns of it before it takes another.
            await clients[0].close()
            var isIn = false
            for _ in 0..<1_000 where !isIn {
                let next = try await hub.connect(as: nil)
                try? await next.write(Self.hello)
                isIn = (try? await next.response()) != nil
            }
            #expect(isIn)
        }
    }

    /// Approved while it is connected, and before it has asked for anything: it counts as the device's from
    /// its first request that is passed on.
    @Test func aConnectionIsTheDevicesOnceItIsApproved() async throws {
        var limits = ServeLimits()
        (limits.connections, limits.connectionsPerSource) = (9, 1)
        try await HubInTest.run(limits: limits) { hub in
            let device = TLSIdentity.random()
            try hub.enter(device, name: "New", .pending)
            let client = try await entered(hub, from: "127.0.0.1", as: device)
            _ = try AdministerDevices(state: hub.state).approve(
                PeerSelector("\(device.pin.fingerprint)"))
            try await client.write(Self.get)
            let peer = try await hub.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            _ = try await entered(hub, from: "127.0.0.1")
            try await peer.write("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(try await client.response().head.hasPrefix("HTTP/1.1 204 "))
        }
    }

    @Test func descriptorsAreCountedBeforeTheHubServes() async throws {
        let needed = DescriptorLimit.needed(connections: 1_000_000_000, loops: 1)
        #expect(needed == 2_000_000_000 + 128 + 35 + 64)
        var limits = ServeLimits()
        limits.connections = 1_000_000_000
        do {
            try DescriptorLimit.raise(for: limits, loops: 1)
            Issue.record("raised")
        } catch .tooFewDescriptors(let limit, needed, let fitting) {
            #expect(fitting == max(0, (limit - 227) / 2) && fitting < 1_000_000_000)
        } catch {
            Issue.record("\(error)")
        }
    }

    enum Slowness: CaseIterable { case handshake, idle, head, body, pairing, reading, upstream }

    @Test(arguments: Slowness.allCases) func slowClientsAreTimedOut(_ slowness: Slowness) async throws {
        var limits = ServeLimits()
        let short = TimeAmount.milliseconds(100)
        switch slowness {
        case .handshake: limits.handshake = short
        case .idle: limits.idle = short
        case .head: limits.head = short
        case .body: limits.body = short
        case .pairing: limits.smallBody = short
        case .reading: limits.stall = short
        case .upstream: limits.upstream = short
        }
        try await HubInTest.run(limits: limits) { hub in
            switch slowness {
            case .handshake:
                let client = try await RawPeer.connectPlain(port: hub.server.port)
                try? await client.write("\u{16}\u{3}\u{1}")
                #expect(try await client.rest() == "")
            case .idle:
                #expect(try await hub.connect(as: nil).rest() == "")
            case .head:
                let client = try await hub.connect(as: nil)
                try await client.write("GET / HTTP/1.1\r\nHost:")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 408 "))
            case .body:
                let client = try await hub.connect(as: hub.device)
                try await client.write("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 408 "))
                try await endsAtTheUpstream(hub)
            case .pairing:
                let client = try await hub.connect(as: hub.device)
                try await client.write(
                    "POST /hubpair/v1/pair HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n{")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 408 "))
            case .reading:
                let (client, peer) = try await inFlight(hub)
                try await client.channel.setOption(.autoRead, value: false).get()
                try await peer.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                peer.push(ByteBuffer(string: "2000000\r\n"))
                peer.push(ByteBuffer(repeating: 0x61, count: 0x2000000))
                _ = try await peer.rest()
                #expect(hub.log.text.contains("it reads nothing"))
            case .upstream:
                let client = try await hub.connect(as: hub.device)
                try await client.write(Self.get)
                #expect(try await client.response().head.hasPrefix("HTTP/1.1 504 "))
                try await endsAtTheUpstream(hub)
            }
        }
    }

    /// What the hub has asked ends, if it came to that: on a busy machine the time may be over before.
    private func endsAtTheUpstream(_ hub: HubInTest) async throws {
        while hub.upstream.waitingCount > 0 { _ = try await hub.upstream.accept().rest() }
    }

    @Test func strangersMaySayNothingForAShorterTime() async throws {
        var limits = ServeLimits()
        limits.strangerIdle = .milliseconds(100)
        for proxies in [[], ["127.0.0.1"]] {
            try await HubInTest.run(limits: limits, trustedProxies: proxies) { hub in
                let device = try await hub.connect(as: hub.device)
                let stranger = try await hub.connect(as: nil)
                let other = try await hub.connect(as: nil)
                if proxies.isEmpty {
                    #expect(try await other.rest() == "")
                    #expect(try await stranger.rest() == "")
                } else {
                    try await Task.sleep(for: .milliseconds(300))
                    try await stranger.write(Self.hello)
                    #expect(try await stranger.response().head.contains(" 200 "))
                }
                try await device.write(Self.hello)
                #expect(try await device.response().head.contains(" 200 "))
            }
        }
    }

    @Test func aPortThatIsTakenAndOthersThatCannotBe() async throws {
        try await HubInTest.run { hub in
            func start(_ change: (inout ServeOptions) throws -> Void) async throws {
                var options = ServeOptions()
                options.listen = [try #require(NetworkAddress("127.0.0.1"))]
                options.port = hub.server.port
                try change(&options)
                _ = try await ServeHub.start(
                    state: hub.state, options: options, log: ServeLog(.init(label: "x") { _ in hub.log }))
            }
            await #expect(throws: ServeError.portBusy(hub.server.port)) { try await start { _ in } }
            await #expect(throws: ServeError.noSuchAddress("192.0.2.77")) {
                try await start { $0.listen = [try #require(NetworkAddress("192.0.2.77"))] }
            }
            let url = "http://127.0.0.1:\(hub.upstream.port)"
            await #expect(throws: ServeError.upstreamIsHub(url)) {
                try await start { $0.port = UInt16(hub.upstream.port) }
            }
            // A hub that cannot start leaves the one that runs alone.
            let answer = try await hub.ask("GET /hubpair/v1/hub HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(answer.head.contains(" 200 "))
        }
    }

    @Test func aServiceManagerIsTold() throws {
        let path = FileManager.default.temporaryDirectory.path() + "hubpair-notify-" + UUID().uuidString
        defer { unlink(path) }
        for socket in [path, "@hubpair-test-\(UUID().uuidString)"] {
            let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let name = Array(socket.utf8).map { $0 == UInt8(ascii: "@") ? 0 : $0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
            let length = socklen_t(2 + name.count + (socket == path ? 1 : 0))
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            try #require(bound == 0)
            #expect(ServiceManager(environment: ["NOTIFY_SOCKET": socket]).notify(.ready))
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
        }
    }
}
