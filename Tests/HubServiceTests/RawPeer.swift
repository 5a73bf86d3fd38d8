import FoundationEssentials
import NIOCore
import NIOPosix
import NIOSSL
import PinnedTLS
import Synchronization

/// One end of a connection, in bytes: what a stranger's client or server would send and see.
final class RawPeer: Sendable {
    let channel: any Channel
    private let handler: NIOLoopBound<Handler>

    /// Why a read ended without what it waited for.
    enum Failure: Error, Equatable {
        /// The connection ended; what had come until then.
        case ended(String)
        /// Nothing came in two minutes; what had come until then.
        case timeout(String)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        var received = ByteBuffer()
        var hasEnded = false
        var waiting: (isEnough: (ByteBuffer) -> Int?, promise: EventLoopPromise<String>)?

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            var bytes = unwrapInboundIn(data)
            received.writeBuffer(&bytes)
            check()
        }

        func channelInactive(context: ChannelHandlerContext) { end() }
        // A reset is an end too.
        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            if case NIOSSLError.uncleanShutdown = error { return }
            end()
            context.close(promise: nil)
        }
        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { end() }
        }

        private func end() {
            hasEnded = true
            check()
        }

        func check() {
            guard let (isEnough, promise) = waiting else { return }
            if let count = isEnough(received), let text = received.readString(length: count) {
                waiting = nil
                promise.succeed(text)
            } else if hasEnded {
                waiting = nil
                promise.fail(Failure.ended(String(buffer: received)))
                received.clear()
            }
        }
    }

    private init(_ channel: any Channel, _ handler: NIOLoopBound<Handler>) {
        self.channel = channel
        self.handler = handler
    }

    /// A peer on a channel that is being set up.
    static func add(to channel: any Channel) throws -> RawPeer {
        let handler = Handler()
        try channel.pipeline.syncOperations.addHandler(handler)
        return RawPeer(channel, NIOLoopBound(handler, eventLoop: channel.eventLoop))
    }

    /// Connects with TLS, as the device with this identity or as nobody; any server is believed.
    static func connect(port: UInt16, as identity: TLSIdentity? = nil, from: String = "127.0.0.1")
        async throws
        -> RawPeer
    {
        var configuration = try identity?.clientConfiguration() ?? .pinned
        configuration.certificateVerification = .noHostnameVerification
        let context = try NIOSSLContext(configuration: configuration)
        let peer = Mutex<RawPeer?>(nil)
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: nil) { _, promise in
                            promise.succeed(.certificateVerified)
                        })
                    let added = try RawPeer.add(to: channel)
                    peer.withLock { $0 = added }
                }
            }
            .bind(to: SocketAddress(ipAddress: from, port: 0))
            .connect(host: from.contains(":") ? "::1" : "127.0.0.1", port: Int(port)).get()
        return try peer.withLock { $0 }.orThrow()
    }

    /// Connects without TLS.
    static func connectPlain(port: UInt16) async throws -> RawPeer {
        let peer = Mutex<RawPeer?>(nil)
        _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let added = try RawPeer.add(to: channel)
                    peer.withLock { $0 = added }
                }
            }
            .connect(host: "127.0.0.1", port: Int(port)).get()
        return try peer.withLock { $0 }.orThrow()
    }

    func write(_ text: String) async throws { try await channel.writeAndFlush(ByteBuffer(string: text)) }

    /// Sends bytes, and does not wait until they have gone out.
    func push(_ bytes: ByteBuffer) { channel.writeAndFlush(bytes, promise: nil) }

    /// What comes up to and with `end`.
    func read(until end: String) async throws -> String {
        let needle = Array(end.utf8)
        return try await wait { buffer in
            buffer.readableBytesView.firstRange(of: needle).map {
                $0.upperBound - buffer.readerIndex
            }
        }
    }

    func read(count: Int) async throws -> String {
        try await wait { $0.readableBytes >= count ? count : nil }
    }

    /// A whole response with a Content-Length, or without a body.
    func response() async throws -> (head: String, body: String) {
        let head = try await read(until: "\r\n\r\n")
        let field = head.lowercased().split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
        let count = field.flatMap { Int($0.dropFirst("content-length: ".count)) } ?? 0
        return (head, try await read(count: count))
    }

    /// Everything up to the end of the connection.
    func rest() async throws -> String {
        do {
            return try await wait { _ in nil }
        } catch Failure.ended(let text) {
            return text
        }
    }

    func close() async {
        // With half closure NIOSSL waits 5 s for an end that has come already.
        try? await channel.setOption(.allowRemoteHalfClosure, value: false).get()
        try? await channel.close().get()
    }
    func closeOutput() async throws { try await channel.close(mode: .output).get() }

    private func wait(_ isEnough: @escaping @Sendable (ByteBuffer) -> Int?) async throws -> String {
        let handler = handler
        let eventLoop = channel.eventLoop
        return try await eventLoop.flatSubmit {
            let promise = eventLoop.makePromise(of: String.self)
            handler.value.waiting = (isEnough, promise)
            let limit = eventLoop.assumeIsolated().scheduleTask(in: .seconds(120)) {
                handler.value.waiting = nil
                promise.fail(Failure.timeout(String(String(buffer: handler.value.received).prefix(500))))
            }
            promise.futureResult.whenComplete { _ in limit.cancel() }
            handler.value.check()
            return promise.futureResult
        }.get()
    }
}

/// A server behind the gateway; the test writes each of its bytes.
final class RawUpstream: Sendable {
    let port: Int
    private let listener: any Channel
    private let accepted: AsyncStream<RawPeer>
    private let count: Counts

    private final class Counts: Sendable {
        let come = Atomic(0)
        let taken = Atomic(0)
    }

    /// How many connections wait to be accepted.
    var waitingCount: Int { count.come.load(ordering: .relaxed) - count.taken.load(ordering: .relaxed) }

    /// - Parameter identity: with TLS if there is one.
    init(tls identity: TLSIdentity? = nil) async throws {
        let (accepted, continuation) = AsyncStream.makeStream(of: RawPeer.self)
        let context = try identity.map { identity in
            var configuration = try identity.serverConfiguration()
            configuration.certificateVerification = .none
            return try NIOSSLContext(configuration: configuration)
        }
        self.accepted = accepted
        let count = Counts()
        self.count = count
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    count.come.add(1, ordering: .relaxed)
                    continuation.yield(try RawPeer.add(to: channel))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    /// The next connection of the gateway; throws if none comes in two minutes: a test that hangs has an end.
    func accept() async throws -> RawPeer {
        defer { count.taken.add(1, ordering: .relaxed) }
        return try await withThrowingTaskGroup(of: RawPeer.self) { [accepted] group in
            group.addTask {
                for await peer in accepted { return peer }
                throw RawPeer.Failure.ended("")
            }
            group.addTask {
                try await Task.sleep(for: .seconds(120))
                throw RawPeer.Failure.timeout("no connection")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? { throw RawPeer.Failure.ended("") }()
        }
    }

    func close() async { try? await listener.close().get() }
}

extension Optional {
    fileprivate func orThrow() throws -> Wrapped {
        guard let self else { throw RawPeer.Failure.ended("") }
        return self
    }
}
