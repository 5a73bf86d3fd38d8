import GatewayRules
import Logging
import NIOCore
import NIOPosix
import Pairing
import PinnedTLS
import Testing

@testable import HubService

@Suite struct UpstreamCallsTests {
    /// No machine is as slow as that.
    private static let ample = Duration.seconds(600)

    /// The hub's own requests to an upstream that a test plays.
    private struct Setting {
        let upstream: RawUpstream
        let calls: UpstreamCalls

        init(tls: TLSIdentity? = nil, url: String? = nil) async throws {
            upstream = try await RawUpstream(tls: tls)
            let url = url ?? "\(tls == nil ? "http" : "https")://127.0.0.1:\(upstream.port)"
            let log = ServeLog(Logger(label: "test") { _ in RecordedLog() })
            let link = try UpstreamLink(try Upstream(url), concurrency: 16, limits: ServeLimits(), log: log)
            let sender = DeviceFields(fingerprint: "AAAA-BBBB-CCCC-DDDD", name: "Hub", role: .owner)
            calls = try await UpstreamCalls(
                link, as: sender, on: MultiThreadedEventLoopGroup.singleton.next())
        }

        static func run(tls: TLSIdentity? = nil, _ body: (Setting) async throws -> Void) async throws {
            let setting = try await Setting(tls: tls)
            do {
                try await body(setting)
            } catch {
                await setting.stop()
                throw error
            }
            await setting.stop()
        }

        func stop() async {
            await calls.stop()
            await upstream.close()
        }
    }

    private func error(
        of body: () async throws(UpstreamCallError) -> UpstreamReply
    ) async -> UpstreamCallError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

    @Test func theUpstreamSeesTheHubAndAnswers() async throws {
        try await Setting.run(tls: .random()) { setting in
            async let reply = setting.calls.call(
                "POST", "/devices/1/activators/2", json: Array("{}".utf8), within: Self.ample)
            let peer = try await setting.upstream.accept()
            let head = try await peer.read(until: "\r\n\r\n")
            #expect(head.hasPrefix("POST /devices/1/activators/2 HTTP/1.1\r\nHost: 127.0.0.1:"))
            #expect(head.contains("\r\nX-Hubpair-Device: AAAA-BBBB-CCCC-DDDD\r\n"))
            #expect(head.contains("\r\nX-Hubpair-Role: owner\r\n"))
            #expect(head.contains("\r\nContent-Length: 2\r\n"))
            #expect(try await peer.read(count: 2) == "{}")
            try await peer.write("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await reply == UpstreamReply(status: 201, body: Array("ok".utf8)))
        }
    }

    /// GET uses a connection again, and a new one if that has closed.
    @Test func readingSurvivesAClosedConnection() async throws {
        try await Setting.run { setting in
            async let first = setting.calls.call("GET", "/devices/", within: Self.ample)
            let peer = try await setting.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write(Self.ok)
            _ = try await first
            async let second = setting.calls.call("GET", "/devices/", within: Self.ample)
            _ = try await peer.read(until: "\r\n\r\n")
            await peer.close()
            let other = try await setting.upstream.accept()
            _ = try await other.read(until: "\r\n\r\n")
            try await other.write(Self.ok)
            #expect(try await second.body == Array("[]".utf8))
        }
    }

    /// An order is never sent twice.
    @Test func anOrderIsSentOnce() async throws {
        try await Setting.run { setting in
            async let order = error { () async throws(UpstreamCallError) in
                try await setting.calls.call("POST", "/x", json: [], within: Self.ample)
            }
            let peer = try await setting.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            await peer.close()
            #expect(await order == .brokeOff)
        }
    }

    @Test func whatCannotBeAnsweredHasAWord() async throws {
        try await Setting.run { setting in
            async let late = error { () async throws(UpstreamCallError) in
                try await setting.calls.call("GET", "/", within: .seconds(2))
            }
            #expect(await late == .timeout)
            _ = try await setting.upstream.accept()

            async let malformed = error { () async throws(UpstreamCallError) in
                try await setting.calls.call("GET", "/", within: Self.ample)
            }
            let peer = try await setting.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("ICY 200 OK\r\n\r\n")
            guard case .malformed = await malformed else {
                Issue.record("not malformed")
                return
            }
        }
    }

    @Test func aLongAnswerIsRefused() async throws {
        try await Setting.run { setting in
            async let large = error { () async throws(UpstreamCallError) in
                try await setting.calls.call("GET", "/", within: Self.ample)
            }
            let peer = try await setting.upstream.accept()
            _ = try await peer.read(until: "\r\n\r\n")
            try await peer.write("HTTP/1.1 200 OK\r\nContent-Length: 5000000\r\n\r\n")
            peer.push(ByteBuffer(repeating: 0x20, count: 5_000_000))
            #expect(await large == .tooLarge)
        }
    }

    /// Requests beyond the limit wait for the others; all are answered.
    @Test func manyRequestsWaitInOrder() async throws {
        try await Setting.run { setting in
            let count = UpstreamCalls.maximumAtOnce + 4
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<count {
                    group.addTask { try await setting.calls.call("GET", "/", within: Self.ample).status }
                }
                group.addTask {
                    for _ in 0..<UpstreamCalls.maximumAtOnce {
                        let peer = try await setting.upstream.accept()
                        Task {
                            while (try? await peer.read(until: "\r\n\r\n")) != nil {
                                try await peer.write(Self.ok)
                            }
                        }
                    }
                    return 200
                }
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test func aCancelledRequestEndsAtOnce() async throws {
        try await Setting.run { setting in
            let task = Task {
                await error { () async throws(UpstreamCallError) in
                    try await setting.calls.call("GET", "/", within: Self.ample)
                }
            }
            _ = try await setting.upstream.accept()
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    @Test func withoutAnUpstreamNothingIsAsked() async throws {
        let log = ServeLog(Logger(label: "test") { _ in RecordedLog() })
        let link = try UpstreamLink(nil, limits: ServeLimits(), log: log)
        let calls = try await UpstreamCalls(
            link, as: DeviceFields(fingerprint: "A", name: "B", role: .owner),
            on: MultiThreadedEventLoopGroup.singleton.next())
        let fault = await error { () async throws(UpstreamCallError) in
            try await calls.call("GET", "/", within: Self.ample)
        }
        #expect(fault == .noUpstream)
    }
}
