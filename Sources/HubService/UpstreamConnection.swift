import NIOCore
import NIOHTTP1
import NIOSSL

/// Writes bytes to the upstream past NIO's HTTP encoder and parser: it stands before them in the pipeline.
///
/// The parser looks at what is written too, and is still there for the rest of an event after an upgrade: bytes that
/// went through it then, a client's first ones, would end the process.
final class UpstreamBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private(set) var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func write(_ bytes: ByteBuffer, promise: EventLoopPromise<Void>?) {
        guard let context else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}

/// One connection to the upstream, after NIO's HTTP parser; after an upgrade, of bytes.
final class UpstreamConnection: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private let bytes: UpstreamBytes
    /// Whose request it carries; nil in the pool.
    var exchange: GatewayExchange?
    private var tunnel: GatewayTunnel?
    private var context: ChannelHandlerContext?
    private var keepsAlive = false
    private var readIsHeld = false
    /// Since when it has been in the pool.
    var idleSince = NIODeadline.now()

    /// - Parameter bytes: stands before the encoder and the parser.
    init(_ bytes: UpstreamBytes) { self.bytes = bytes }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    var isActive: Bool { context?.channel.isActive ?? false }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ part: HTTPClientRequestPart) { context?.write(wrapOutboundOut(part), promise: nil) }
    func flush() { context?.flush() }
    func close() { context?.close(promise: nil) }

    func read(context: ChannelHandlerContext) {
        if tunnel?.mayReadUpstream ?? exchange?.mayReadUpstream ?? true {
            context.read()
        } else {
            readIsHeld = true
        }
    }

    /// Reads on, if that was held back.
    func resumeReading() {
        guard readIsHeld, let context else { return }
        readIsHeld = false
        read(context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if let tunnel { return tunnel.fromUpstream(UpstreamBytes.unwrapInboundIn(data)) }
        switch unwrapInboundIn(data) {
        case .head(let head):
            keepsAlive = head.isKeepAlive
            exchange?.upstreamHead(head)
        case .body(let bytes): exchange?.upstreamBody(bytes)
        case .end(let trailers): exchange?.upstreamEnd(trailers, keepsAlive: keepsAlive)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let tunnel { tunnel.upstreamReadComplete() } else { exchange?.upstreamReadComplete() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard isWritable else { return }
        if let tunnel { tunnel.upstreamWritabilityChanged() } else { exchange?.upstreamWritabilityChanged() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { tunnel?.upstreamInputClosed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers end TLS without a goodbye; whether the response was whole shows in its framing.
        if case NIOSSLError.uncleanShutdown = error { return }
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let (exchange, tunnel) = (exchange, tunnel)
        self.exchange = nil
        self.tunnel = nil
        exchange?.upstreamClosed()
        tunnel?.upstreamClosed()
    }

    // MARK: Bytes

    /// From now on the connection carries bytes. What the parser has read already comes first.
    func enter(_ tunnel: GatewayTunnel) {
        guard let context else { return tunnel.upstreamClosed() }
        self.tunnel = tunnel
        let pipeline = context.pipeline.syncOperations
        // It fails if the connection is closed already; then there is no half of it.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        if let decoder = try? pipeline.context(handlerType: ByteToMessageHandler<HTTPResponseDecoder>.self) {
            // What it hands on when it goes comes outside of a read.
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenComplete { _ in tunnel.upstreamReadComplete() }
            pipeline.removeHandler(context: decoder, promise: promise)
        }
        resumeReading()
    }

    func write(_ bytes: ByteBuffer) { self.bytes.write(bytes, promise: nil) }
    func closeOutput() { context?.close(mode: .output, promise: nil) }

    /// Closes after all that was written has gone out.
    func closeWhenWritten() {
        guard let context else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in close() }
        bytes.write(ByteBuffer(), promise: promise)
        flush()
    }
}
