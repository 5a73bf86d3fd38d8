import Glibc
package import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// A request from the program at the other end.
package struct LocalRequest: Sendable {
    package let head: HTTPRequestHead
    package let body: [UInt8]
}

/// What a ``LocalServer`` answers.
package enum LocalAnswer: Sendable {
    case whole(HTTPResponseStatus, HTTPHeaders, [UInt8])
    /// Pieces as they come, until nil; the next is asked for when the one before is written.
    case stream(HTTPHeaders, @Sendable () async -> [UInt8]?)
}

/// HTTP/1.1 on a ``LocalSocket``, one request a connection.
package final class LocalServer: Sendable {
    /// The most bytes of a request's body.
    private static let maximumBodyByteCount = 1 << 20

    private let listener: any Channel

    private init(_ listener: any Channel) { self.listener = listener }

    /// - Parameter answer: its task is cancelled when the other end closes the connection.
    package static func start(
        _ name: String, in directory: String, on group: any EventLoopGroup,
        _ answer: @escaping @Sendable (LocalRequest) async -> LocalAnswer
    ) async throws -> LocalServer {
        let (descriptor, peers) = try LocalSocket.listen(name, in: directory)
        let bootstrap = ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                LocalSocket.checkPeer(of: channel, peers).flatMapThrowing { try equip(channel, answer) }
            }
        return LocalServer(try await bootstrap.withBoundSocket(descriptor).get())
    }

    /// Listens at an address of the loopback, where everybody on this machine gets in: at most `connections`
    /// at a time, and each `within` a time.
    static func start(
        at address: SocketAddress, on group: any EventLoopGroup, connections: Int, within time: TimeAmount,
        _ answer: @escaping @Sendable (LocalRequest) async -> LocalAnswer
    ) async throws -> LocalServer {
        let places = Places(connections)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard places.enter() else { throw ChannelError.operationUnsupported }
                    channel.closeFuture.whenComplete { _ in places.leave() }
                    let end = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
                    channel.closeFuture.whenComplete { _ in end.cancel() }
                    try equip(channel, answer)
                }
            }
        return LocalServer(try await bootstrap.bind(to: address).get())
    }

    private static func equip(
        _ channel: any Channel, _ answer: @escaping @Sendable (LocalRequest) async -> LocalAnswer
    ) throws {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: false)
        try pipeline.addHandler(Handler(answer))
    }

    package func stop() async { try? await listener.close().get() }

    /// How many connections there may still be.
    private final class Places: Sendable {
        private let free: Mutex<Int>

        init(_ count: Int) { free = Mutex(count) }

        func enter() -> Bool {
            free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
        }

        func leave() { free.withLock { $0 += 1 } }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let answer: @Sendable (LocalRequest) async -> LocalAnswer
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []
        private var task: Task<Void, Never>?

        init(_ answer: @escaping @Sendable (LocalRequest) async -> LocalAnswer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): self.head = head
            case .body(let bytes):
                guard body.count + bytes.readableBytes <= LocalServer.maximumBodyByteCount else {
                    return context.close(promise: nil)
                }
                body.append(contentsOf: bytes.readableBytesView)
            case .end:
                guard let head, task == nil else { return context.close(promise: nil) }
                let (channel, answer) = (context.channel, answer)
                let request = LocalRequest(head: head, body: body)
                task = Task { await Handler.serve(request, on: channel, answer) }
            }
        }

        func channelInactive(context: ChannelHandlerContext) { task?.cancel() }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        private static func serve(
            _ request: LocalRequest, on channel: any Channel,
            _ answer: @Sendable (LocalRequest) async -> LocalAnswer
        ) async {
            let answer = await answer(request)
            do {
                switch answer {
                case .whole(let status, let headers, let body):
                    try await write(body, status, headers, on: channel)
                case .stream(let headers, let next):
                    let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
                    try await channel.writeAndFlush(HTTPServerResponsePart.head(head)).get()
                    while let bytes = await next() {
                        let part = HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: bytes)))
                        try await channel.writeAndFlush(part).get()
                    }
                }
                try await channel.writeAndFlush(HTTPServerResponsePart.end(nil)).get()
            } catch {
                // The other end is gone.
            }
            try? await channel.close().get()
        }

        private static func write(
            _ body: [UInt8], _ status: HTTPResponseStatus, _ headers: HTTPHeaders, on channel: any Channel
        ) async throws {
            var headers = headers
            headers.replaceOrAdd(name: "Connection", value: "close")
            if status.mayHaveResponseBody {
                headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)")
            }
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            channel.write(HTTPServerResponsePart.head(head), promise: nil)
            guard status.mayHaveResponseBody, !body.isEmpty else { return }
            channel.write(
                HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
    }
}
