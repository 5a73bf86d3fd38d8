import HubClient
import Identity
import PinnedTLS
import Testing

/// Hubs that misbehave, each with the error that says so. Deadlines are short where they are meant to pass.
@Suite struct FaultyHubTests {
    private static let quick = HubConnection.Deadlines(quiet: .milliseconds(200), total: .seconds(20))

    /// What a request to a server of this conduct ends with.
    private func outcome(
        _ conduct: TLSServer.Conduct, usesTLS: Bool = true, requiresCertificate: Bool = false,
        deadline: Duration = .seconds(20), deadlines: HubConnection.Deadlines = .init()
    ) async throws -> HubConnectionError.Reason? {
        let server = try await TLSServer(
            conduct, usesTLS: usesTLS, requiresCertificate: requiresCertificate)
        let connector = try HubConnector(identity: .random())
        return await reason {
            let connection = try await connector.connect(
                to: [server.address], expecting: .pin(server.identity.pin),
                deadline: deadline)
            _ = try await connection.send(
                HubRequest(method: "GET", target: "/"), maximumBodyByteCount: 10_000, deadlines: deadlines)
        }
    }

    private func bytes(_ lines: String) -> [UInt8] {
        Array(lines.replacing("\n", with: "\r\n").utf8)
    }

    @Test func aPortWithoutTLS() async throws {
        #expect(
            try await outcome(.answer(bytes("HTTP/1.1 400 Bad Request\n\n")), usesTLS: false) == .notTLS)
        #expect(try await outcome(.answer(bytes("SSH-2.0-OpenSSH\n")), usesTLS: false) == .notTLS)
        // On a busy machine the time is over before the connection stands.
        let silence = try await outcome(.silent, usesTLS: false, deadline: .milliseconds(200))
        #expect(silence == .timedOut(.handshake) || silence == .timedOut(.connection))
        #expect(try await outcome(.close, usesTLS: false) == .closed)
    }

    /// In TLS 1.3 the alert comes after the device's last message of the handshake: a request that is sent
    /// meanwhile may find the connection closed before the alert is read.
    @Test func aHubThatWantsAnotherCertificate() async throws {
        switch try await outcome(.echo, requiresCertificate: true) {
        case .tls(let word): #expect(word.contains("alert"), "\(word)")
        case .closed: break
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    @Test func nobodyListens() async throws {
        let server = try await TLSServer(.echo, host: "127.0.0.3")
        let address = server.address
        server.stop()
        // The port is free once the server's loop has closed it.
        while true {
            let reason = await reason {
                _ = try await HubConnector().connect(to: [address], expecting: .any)
            }
            if reason == .refused { break }
            await Task.yield()
        }
    }

    @Test func silence() async throws {
        #expect(try await outcome(.silent, deadlines: FaultyHubTests.quick) == .timedOut(.response))
        #expect(
            try await outcome(
                .answer(bytes("HTTP/1.1 200 OK\nContent-Length: 5\n\nhell")), deadlines: FaultyHubTests.quick)
                == .timedOut(.response))
    }

    @Test func drops() async throws {
        let patience = HubConnection.Deadlines(quiet: .seconds(10), total: .milliseconds(300))
        // In the head, and in the body: each byte is a sign of life, but it never ends.
        #expect(
            try await outcome(
                .drip(first: bytes("HTTP/1.1 200 OK\nX: "), byte: 0x78), deadlines: patience)
                == .timedOut(.response))
        #expect(
            try await outcome(
                .drip(first: bytes("HTTP/1.1 200 OK\nContent-Length: 5000\n\n"), byte: 0x78),
                deadlines: patience) == .timedOut(.response))
    }

    @Test func anEndThatComesEarly() async throws {
        #expect(try await outcome(.close) == .closed)
        #expect(try await outcome(.answerAndClose(bytes("HTTP/1.1 200 OK\nContent-"))) == .closed)
        #expect(
            try await outcome(.answerAndClose(bytes("HTTP/1.1 200 OK\nContent-Length: 9\n\nhello")))
                == .closed)
        #expect(
            try await outcome(
                .answerAndClose(bytes("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n")))
                == .closed)
        // Without a length the end of the connection is the end of the body (RFC 9112 § 6.3).
        let x = try await outcome(.answerAndClose(bytes("HTTP/1.0 200 OK\n\nhello"))); #expect(x == nil)
    }

    @Test func tooMuch() async throws {
        let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
        #expect(
            try await outcome(
                .endless(
                    first: bytes("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"), then: Array(chunk.utf8)))
                == .tooLarge(10_000))
        #expect(
            try await outcome(.answer(bytes("HTTP/1.1 200 OK\nContent-Length: 99999999999\n\n")))
                == .tooLarge(10_000))
        #expect(
            try await outcome(.endless(first: bytes("HTTP/1.1 200 OK\n"), then: bytes("X-Field: value\n")))
                == .headersTooLarge)
        #expect(
            try await outcome(
                .endless(first: bytes("HTTP/1.1 200 OK\nX: "), then: bytes("xxxxxxxxxxxxxxxxx")))
                == .headersTooLarge)
        // Interim responses are no responses, however many there are.
        #expect(
            try await outcome(
                .endless(first: [], then: bytes("HTTP/1.1 100 Continue\n\n")),
                deadlines: .init(quiet: .milliseconds(300), total: .milliseconds(300)))
                == .timedOut(.response))
    }

    @Test(arguments: [
        "hello\n\n", "HTTP/1.1 banana OK\n\n", "HTTP/3.0 200 OK\n\n",
        "HTTP/1.1 200 OK\nContent-Length: -5\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 99999999999999999999999\n\n", "HTTP/1.1 200 OK\nno colon\n\n",
        "HTTP/1.1 200 OK\nContent-Length: 5\nContent-Length: 6\n\nhello",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nzz\n",
    ])
    func noHTTP(_ answer: String) async throws {
        guard case .malformed = try await outcome(.answer(bytes(answer)))
        else {
            Issue.record("taken")
            return
        }
    }

    /// The next request would read what was sent for nothing.
    @Test func anAnswerThatNobodyAskedForEndsTheConnection() async throws {
        let one = "HTTP/1.1 200 OK\nContent-Length: 1\n\n1"
        let server = try await TLSServer(.answer(bytes(one + one)))
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        let request = HubRequest(method: "GET", target: "/")
        let first = await reason { _ = try await connection.send(request) }
        let second = await reason { _ = try await connection.send(request) }
        #expect(first != nil || second != nil)
    }

    @Test func aConnectionThatTheHubEndsIsOverAfterTheResponse() async throws {
        let server = try await TLSServer(
            .answer(bytes("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 5\n\nhello")))
        let connection = try await HubConnector().connect(to: [server.address], expecting: .any)
        let (_, body) = try await connection.send(HubRequest(method: "GET", target: "/"))
        #expect(body == Array("hello".utf8))
        #expect(
            await reason { _ = try await connection.send(HubRequest(method: "GET", target: "/")) } == .closed)
    }
}
