import NIOCore

/// Stands between TLS and NIO's HTTP parser: hands on one well-formed request at a time, holds the reading back
/// while nobody can take more, and after an upgrade passes the bytes by the parser.
final class RequestFramingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Mode {
        case http
        case tunnel(GatewayTunnel)
        /// Whatever still comes is thrown away.
        case discard
    }

    private var framing = RequestFraming()
    private var mode = Mode.http
    private var pending: ByteBuffer?
    private var isFeeding = false
    private var readIsHeld = false
    private var context: ChannelHandlerContext?
    private unowned let connection: ServeConnection

    init(_ connection: ServeConnection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// True if bytes of a request have come that is not whole to the end of its head.
    var isInsideHead: Bool { framing.isInHead && (!framing.isAtStart || (pending?.readableBytes ?? 0) > 0) }

    /// True if reading waits for somebody to take what was read.
    var isHeld: Bool { readIsHeld }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        switch mode {
        case .tunnel(let tunnel): tunnel.fromClient(buffer)
        case .discard: break
        case .http:
            if pending?.writeBuffer(&buffer) == nil { pending = buffer }
            feed(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .tunnel(let tunnel) = mode { tunnel.clientReadComplete() }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if mayRead {
            context.read()
        } else {
            readIsHeld = true
        }
    }

    /// Reads on, if that was held back and may go on now.
    func resumeReading() {
        guard readIsHeld, mayRead, let context else { return }
        readIsHeld = false
        connection.noteReading()
        context.read()
    }

    /// The request is answered; the next one may come.
    func startNext() {
        framing.startNext()
        guard let context, !isFeeding else { return }
        feed(context)
        resumeReading()
    }

    /// Throws away whatever still comes.
    func discard() {
        mode = .discard
        pending = nil
        resumeReading()
    }

    /// From now on bytes go through the tunnel; those that came early go first.
    func enter(_ tunnel: GatewayTunnel) {
        mode = .tunnel(tunnel)
        if let early = pending, early.readableBytes > 0 { tunnel.fromClient(early) }
        pending = nil
        resumeReading()
    }

    /// Bytes for the client, past the HTTP encoder.
    func write(_ buffer: ByteBuffer) { context?.write(wrapOutboundOut(buffer), promise: nil) }
    func flush() { context?.flush() }

    /// Flushes, and runs `body` when all that was written has gone to the socket, or the connection is gone.
    func whenWritten(_ body: @escaping () -> Void) {
        guard let context else { return body() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in body() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    /// Ends this side of the connection, and leaves the client's open.
    func closeOutput() { context?.close(mode: .output, promise: nil) }

    private var mayRead: Bool {
        switch mode {
        case .http: !framing.isComplete && connection.mayReadRequest
        case .tunnel(let tunnel): tunnel.mayReadClient
        case .discard: true
        }
    }

    private func feed(_ context: ChannelHandlerContext) {
        isFeeding = true
        defer { isFeeding = false }
        while case .http = mode, !framing.isComplete, var bytes = pending, bytes.readableBytes > 0 {
            do {
                // The closure cannot throw a typed error through NIO, and must not touch `pending`.
                let count = try bytes.withUnsafeReadableBytes { try framing.consume($0) }
                guard count > 0, let slice = bytes.readSlice(length: count) else { break }
                pending = bytes.readableBytes > 0 ? bytes : nil
                context.fireChannelRead(wrapInboundOut(slice))
            } catch let error as RequestFramingError {
                mode = .discard
                pending = nil
                connection.refuse(ServeReply(error))
            } catch {
                context.fireErrorCaught(error)
            }
        }
        connection.noteHead(isPartial: isInsideHead)
    }
}
