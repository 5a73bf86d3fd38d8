import Discovery
import HubClient
import Identity
import PinnedTLS
import Synchronization
import Testing

/// Over real TLS on the loopback interface, against servers that misbehave.
@Suite struct HubConnectionTests {
    private let get = HubRequest(method: "GET", target: "/devices/")
    private static let ok = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)

    private func reason(_ body: () async throws -> Void) async -> HubConnectionError.Reason? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? HubConnectionError)?.reason
        }
    }

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
        #expect(reason == .otherPin(expected: expected, seen: server.identity.pin))
        #expect(server.received.withLock { $0 } == 0)
        #expect(server.clients.withLock { $0 }.isEmpty)
    }

    @Test func anyPeerIsSeen() async throws {
        let server = try await TLSServer(.echo)
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        #expect(connection.pin == server.identity.pin)
    }
}
