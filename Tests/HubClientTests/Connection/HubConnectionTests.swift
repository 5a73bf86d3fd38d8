import Addresses
import HubClient
import Identity
import PinnedTLS
import Synchronization
import Testing

/// Over real TLS on the loopback interface.
@Suite struct HubConnectionTests {
    private let get = HubRequest(method: "GET", target: "/devices/")
    private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)

    @Test func requestsFollowEachOtherOnOneConnection() async throws {
        let server = try await TLSServer(.echo)
        let identity = TLSIdentity.random()
        let connection = try await HubConnector(identity: identity)
            .connect(to: [server.address], expecting: .pin(server.identity.pin))
        #expect(connection.pin == server.identity.pin)
        for number in 0..<3 {
            let (response, body) = try await connection.send(
                HubRequest(
                    method: "PUT", target: "/a?b=\(number)", headers: [("X-Test", "1")],
                    body: Array("{}".utf8)))
            #expect(response.status == 200)
            #expect(response["x-conduct"] == "echo")
            let head = String(decoding: body, as: UTF8.self)
            #expect(head.contains("PUT /a?b=\(number) HTTP/1.1\r\n"))
            #expect(head.contains("\r\nHost: \(server.address)\r\n"))
            #expect(head.contains("\r\nContent-Length: 2\r\n"))
            #expect(head.contains("\r\nX-Test: 1\r\n"))
        }
        #expect(server.connections.withLock { $0.accepted } == 1)
        #expect(server.clients.withLock { $0 } == [identity.pin])
    }

    @Test func otherPinIsRefusedBeforeAByteIsSent() async throws {
        let server = try await TLSServer(.echo)
        let expected = TLSIdentity.random().pin
        let connector = try HubConnector(identity: .random())
        let reason = await reason {
            _ = try await connector.connect(to: [server.address], expecting: .pin(expected))
        }
        #expect(reason == .otherKey(expected: expected.fingerprint, seen: server.identity.pin))
        #expect(server.received.withLock { $0 } == 0)
        #expect(server.clients.withLock { $0 }.isEmpty)
    }

    @Test func anyPeerIsSeen() async throws {
        let server = try await TLSServer(.echo)
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        #expect(connection.pin == server.identity.pin)
    }

    /// Impostors, silent hosts and closed ports beside the hub do not keep it from being found.
    @Test func theRightOneOfSeveralIsFound() async throws {
        let hub = try await TLSServer(.echo)
        let impostor = try await TLSServer(.echo)
        let silent = try await TLSServer(.silent, usesTLS: false)
        let plain = try await TLSServer(.answer(HubConnectionTests.ok), usesTLS: false)
        let closed = try await TLSServer(.echo, host: "127.0.0.2")
        closed.stop()
        let addresses = [closed, impostor, silent, plain, hub].map(\.address)
        let connection = try await HubConnector().connect(to: addresses, expecting: .pin(hub.identity.pin))
        #expect(connection.address == hub.address)
        // Without the hub, what is reported is what matters most.
        let others = [closed, impostor, plain].map(\.address)
        let reason = await reason {
            _ = try await HubConnector().connect(to: others, expecting: .pin(hub.identity.pin))
        }
        #expect(reason == .otherKey(expected: hub.identity.pin.fingerprint, seen: impostor.identity.pin))
    }

    @Test func hostNamesAreLookedUp() async throws {
        let server = try await TLSServer(.echo)
        let localhost = try #require(HubAddress("localhost:\(server.address.port)"))
        let connection = try await HubConnector().connect(
            to: [localhost], expecting: .pin(server.identity.pin))
        #expect(connection.address == server.address)
        let unknown = try #require(HubAddress("no-such-host.invalid"))
        guard
            case .unknownHost = await reason({
                _ = try await HubConnector().connect(to: [unknown], expecting: .any)
            })
        else {
            Issue.record("found it")
            return
        }
    }

    @Test func manyHubsAreAskedAtOnce() async throws {
        let servers = try await withThrowingTaskGroup(of: TLSServer.self) { group in
            for _ in 0..<20 { group.addTask { try await TLSServer(.echo) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let connector = try HubConnector()
        let pins = try await withThrowingTaskGroup(of: (Pin, Pin).self) { group in
            for server in servers {
                group.addTask {
                    let connection = try await connector.connect(to: [server.address], expecting: .any)
                    _ = try await connection.send(HubRequest(method: "GET", target: "/"))
                    return (server.identity.pin, connection.pin)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(pins.count == 20)
        #expect(pins.allSatisfy { $0.0 == $0.1 })
    }

    @Test func aDroppedConnectionIsClosed() async throws {
        let server = try await TLSServer(.echo)
        do {
            let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
            _ = try await connection.send(get)
            #expect(server.connections.withLock { $0.open } == 1)
        }
        while server.connections.withLock({ $0.open }) > 0 { await Task.yield() }
    }

    @Test func aLargeBodyIsStreamedAndAThrownErrorComesBack() async throws {
        struct Enough: Error {}
        let server = try await TLSServer(
            .endless(
                first: Array("HTTP/1.1 200 OK\r\nContent-Length: 9000000000\r\n\r\n".utf8),
                then: [UInt8](repeating: 0x78, count: 65_536)))
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        var count = 0
        await #expect(throws: Enough.self) {
            try await connection.send(get) {
                #expect($0.status == 200)
            } body: {
                count += $0.count
                if count > 8 << 20 { throw Enough() }
            }
        }
        #expect(await reason { _ = try await connection.send(get) } != nil)
    }

    @Test func cancellationEndsAWait() async throws {
        let server = try await TLSServer(.silent)
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        let task = Task { try await connection.send(HubRequest(method: "GET", target: "/")) }
        while server.received.withLock({ $0 }) == 0 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }

    @Test(arguments: [
        HubRequest(method: "GE T", target: "/"), HubRequest(method: "", target: "/"),
        HubRequest(method: "GET", target: "devices/"), HubRequest(method: "GET", target: ""),
        HubRequest(method: "GET", target: "/a b"), HubRequest(method: "GET", target: "/\r\nX: y"),
        HubRequest(method: "GET", target: "/ü"), HubRequest(method: "GET", target: "https://hub/"),
        HubRequest(method: "GET", target: "/", headers: [("X", "a\r\nY: b")]),
        HubRequest(method: "GET", target: "/", headers: [("X y", "a")]),
    ])
    func aRequestThatIsNoneIsNotSent(_ request: HubRequest) async throws {
        let server = try await TLSServer(.echo)
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        guard case .invalidRequest = await reason({ _ = try await connection.send(request) }) else {
            Issue.record("sent")
            return
        }
        #expect(server.received.withLock { $0 } == 0)
    }
}

/// The reason of the connection error that `body` throws; nil if it throws none.
func reason(_ body: () async throws -> Void) async -> HubConnectionError.Reason? {
    do {
        try await body()
        return nil
    } catch let error as HubConnectionError {
        return error.reason
    } catch {
        Issue.record("\(error)")
        return nil
    }
}
