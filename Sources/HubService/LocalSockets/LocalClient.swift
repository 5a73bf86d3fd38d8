import Glibc
package import NIOCore
package import NIOHTTP1
import NIOPosix
import Synchronization

/// Asks the program at the other end of a ``LocalSocket``: a connection for each request.
package struct LocalClient: Sendable {
    private let directory: String
    private let name: String
    private let group: any EventLoopGroup

    package init(_ name: String, in directory: String, on group: any EventLoopGroup) {
        (self.name, self.directory, self.group) = (name, directory, group)
    }

    /// Sends a request, and returns once the answer's head has come.
    ///
    /// - Parameter time: for the head.
    /// - Throws: any error if nobody answers.
    package func open(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [],
        within time: Duration
    ) async throws -> LocalReply {
        let (folder, peers) = try LocalSocket.open(directory)
        defer { close(folder) }
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.autoRead, value: false)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(LocalExchange(channel.eventLoop))
                }
            }
            .connect(unixDomainSocketPath: LocalSocket.path(of: name, in: folder)).get()
        do {
            try await LocalSocket.checkPeer(of: channel, peers).get()
            return try await send(method, target, headers, body, on: channel, within: time)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    private func send(
        _ method: HTTPMethod, _ target: String, _ headers: HTTPHeaders, _ body: [UInt8],
        on channel: any Channel, within time: Duration
    ) async throws -> LocalReply {
        var headers = headers
        headers.replaceOrAdd(name: "Host", value: name)
        if !body.isEmpty { headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)") }
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: target, headers: headers)
        let alarm = channel.eventLoop.scheduleTask(in: TimeAmount(time)) {
            channel.close(mode: .all, promise: nil)
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            let (exchange, answer) = try await channel.eventLoop.submit {
                let exchange = try channel.pipeline.syncOperations.handler(type: LocalExchange.self)
                return (NIOLoopBound(exchange, eventLoop: channel.eventLoop), exchange.head)
            }.get()
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if !body.isEmpty {
                let part = HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body)))
                channel.write(part, promise: nil)
            }
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
            channel.read()
            return LocalReply(try await answer.get(), exchange, channel)
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// An answer that is read as it comes. Its connection closes with it.
package final class LocalReply: Sendable {
    package let head: HTTPResponseHead
    private let exchange: NIOLoopBound<LocalExchange>
    private let channel: any Channel
    /// Its event loop may have ended since; nobody asks that for anything.
    private let isClosed = Mutex(false)

    fileprivate init(
        _ head: HTTPResponseHead, _ exchange: NIOLoopBound<LocalExchange>, _ channel: any Channel
    ) {
        (self.head, self.exchange, self.channel) = (head, exchange, channel)
    }

    deinit { close() }

    /// The next bytes of the body; nil at its end.
    ///
    /// - Throws: any error if the answer breaks off.
    package func next() async throws -> [UInt8]? {
        let exchange = exchange
        guard !isClosed.withLock({ $0 }) else { throw ChannelError.eof }
        return try await withTaskCancellationHandler {
            try await channel.eventLoop.flatSubmit { exchange.value.next() }.get()
        } onCancel: {
            close()
        }
    }

    /// The whole body, of at most `maximum` bytes.
    package func whole(maximum: Int) async throws -> [UInt8] {
        var body: [UInt8] = []
        while let piece = try await next() {
            guard piece.count <= maximum - body.count else { throw ChannelError.operationUnsupported }
            body += piece
        }
        return body
    }

    package func close() {
        let isFirst = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { channel.close(promise: nil) }
    }
}

/// One request's answer; used only on its event loop.
private final class LocalExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let eventLoop: any EventLoop
    private let promise: EventLoopPromise<HTTPResponseHead>
    private var isAnswered = false
    private var pending: [UInt8] = []
    private var waiting: EventLoopPromise<[UInt8]?>?
    private var isWhole = false
    private var isClosed = false
    private var context: ChannelHandlerContext?

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        promise = eventLoop.makePromise()
    }

    var head: EventLoopFuture<HTTPResponseHead> { promise.futureResult }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func next() -> EventLoopFuture<[UInt8]?> {
        if !pending.isEmpty {
            defer { pending = [] }
            return eventLoop.makeSucceededFuture(pending)
        }
        if isWhole { return eventLoop.makeSucceededFuture(nil) }
        if isClosed { return eventLoop.makeFailedFuture(ChannelError.eof) }
        let promise = eventLoop.makePromise(of: [UInt8]?.self)
        waiting = promise
        context?.read()
        return promise.futureResult
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isAnswered = true
            promise.succeed(head)
        case .body(let bytes): pending.append(contentsOf: bytes.readableBytesView)
        case .end:
            isWhole = true
            if pending.isEmpty, let waiting = waiting.take() { waiting.succeed(nil) }
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !pending.isEmpty, let waiting = waiting.take() {
            let bytes = pending
            pending = []
            waiting.succeed(bytes)
        }
        if !isAnswered || waiting != nil { context.read() }
    }

    func channelInactive(context: ChannelHandlerContext) { end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func end() {
        context = nil
        isClosed = true
        if !isAnswered {
            isAnswered = true
            promise.fail(ChannelError.eof)
        }
        guard let waiting = waiting.take() else { return }
        if !pending.isEmpty {
            let bytes = pending
            pending = []
            waiting.succeed(bytes)
        } else if isWhole {
            waiting.succeed(nil)
        } else {
            waiting.fail(ChannelError.eof)
        }
    }
}
