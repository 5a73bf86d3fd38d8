import GatewayRules
import NIOCore
import NIOSSL

/// Receives the answer to one request, and what becomes of its connection.
protocol UpstreamAnswerReceiver: AnyObject {
    /// True if further bytes from the upstream can be passed on.
    var mayReadUpstream: Bool { get }
    func upstreamReadComplete()
    func upstreamWritabilityChanged()
    func upstreamHead(_ response: ResponseHead)
    func upstreamBody(_ bytes: ByteBuffer)
    /// - Parameter leavesUsable: true if the answer allows another request on the connection.
    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool)
    /// The connection carries another protocol from here on.
    func upstreamHasSwitched()
    /// The answer cannot be parsed.
    func upstreamFailed(_ fault: FramingError)
    /// The connection has ended, or failed.
    func upstreamClosed()
}

/// One connection to the upstream: it parses received bytes into answers, and passes them on unchanged after
/// an upgrade.
final class UpstreamConnection: ChannelDuplexHandler, TunnelEnd {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Of the request that it carries; nil in the pool.
    private var receiver: (any UpstreamAnswerReceiver)?
    private var framing = ResponseFraming(toHead: false, upgrades: false)
    private var pending: ByteBuffer?
    private var tunnel: GatewayTunnel?
    private var context: ChannelHandlerContext?
    private var isUsable = true
    private var isClosing = false
    private var readIsHeld = false
    /// When it was returned to the pool.
    private(set) var idleSince = NIODeadline.now()
    private var isResting = false
    private let habits: UpstreamHabits

    init(_ habits: UpstreamHabits) { self.habits = habits }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    var isActive: Bool { !isClosing && context?.channel.isActive ?? false }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }
    func flush() { context?.flush() }

    func close() {
        isClosing = true
        context?.close(promise: nil)
    }

    /// Starts a request, whose head is written next.
    func begin(_ receiver: some UpstreamAnswerReceiver, method: String, upgrades: Bool = false) {
        self.receiver = receiver
        framing = ResponseFraming(toHead: method == "HEAD", upgrades: upgrades)
        isUsable = true
        isResting = false
    }

    /// Closes the connection, which its receiver no longer needs.
    func abandon() {
        receiver = nil
        close()
    }

    /// Another takes the rest of the answer.
    func pass(to receiver: some UpstreamAnswerReceiver) {
        self.receiver = receiver
        resumeReading()
    }

    /// Marks the connection as idle in the pool.
    func rest() {
        idleSince = .now()
        isResting = true
        resumeReading()
    }

    func read(context: ChannelHandlerContext) {
        if tunnel?.mayReadUpstream ?? receiver?.mayReadUpstream ?? true {
            context.read()
        } else {
            readIsHeld = true
        }
    }

    func resumeReading() {
        guard readIsHeld, let context else { return }
        readIsHeld = false
        read(context: context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if let tunnel { return tunnel.fromUpstream(buffer) }
        // Bytes without a request would be read as the start of the next answer.
        guard receiver != nil, !isClosing else { return close() }
        if pending?.writeBuffer(&buffer) == nil { pending = buffer }
        feed()
    }

    private func feed() {
        while receiver != nil, tunnel == nil, feedPart() {}
    }

    /// Delivers one part of the answer; returns false if it needs more bytes.
    private func feedPart() -> Bool {
        var bytes = pending ?? ByteBuffer()
        do {
            let (count, part) = try bytes.withUnsafeReadableBytes { try framing.next($0) }
            let used = bytes.readSlice(length: count)
            pending = bytes.readableBytes > 0 ? bytes : nil
            switch part {
            case nil: return false
            case .head(let head):
                isUsable = head.leavesConnectionUsable
                receiver?.upstreamHead(head)
                if framing.hasSwitched { receiver?.upstreamHasSwitched() }
            case .body(let range):
                guard let body = used?.part(range) else { return false }
                receiver?.upstreamBody(body)
            case .end(let trailers): end(trailers)
            }
            return true
        } catch {
            let fault = error as? FramingError ?? .badStatusLine
            let receiver = receiver
            self.receiver = nil
            close()
            receiver?.upstreamFailed(fault)
            return false
        }
    }

    private func end(_ trailers: FieldBlock) {
        let receiver = receiver
        self.receiver = nil
        // Bytes after an answer belong to no request, so the connection is not reused.
        receiver?.upstreamEnd(trailers, leavesUsable: isUsable && pending == nil && isActive)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let tunnel { tunnel.upstreamReadComplete() } else { receiver?.upstreamReadComplete() }
        // Simple servers write the head of an answer by itself, and the rest only when that was acknowledged.
        if receiver != nil { context.channel.acknowledgeAtOnce() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard isWritable else { return }
        if let tunnel { tunnel.upstreamWritabilityChanged() } else { receiver?.upstreamWritabilityChanged() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { tunnel?.upstreamInputClosed() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many servers end TLS without close_notify; the framing shows whether the answer was whole.
        if case NIOSSLError.uncleanShutdown = error { return }
        close()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isResting, !isClosing { habits.noteEnd(lastUsed: idleSince) }
        isClosing = true
        let (receiver, tunnel) = (receiver, tunnel)
        self.receiver = nil
        self.tunnel = nil
        if framing.endWithConnection() {
            receiver?.upstreamEnd(FieldBlock(), leavesUsable: false)
        } else {
            receiver?.upstreamClosed()
        }
        tunnel?.upstreamClosed()
    }

    // MARK: Bytes

    func enter(_ tunnel: GatewayTunnel) {
        guard let context else { return tunnel.upstreamClosed() }
        receiver = nil
        self.tunnel = tunnel
        // Fails if the connection is already closed, when half-closure is irrelevant.
        try? context.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        if let early = pending {
            pending = nil
            tunnel.fromUpstream(early)
            tunnel.upstreamReadComplete()
        }
        resumeReading()
    }

    func closeOutput() { context?.close(mode: .output, promise: nil) }

    func closeWhenWritten() {
        guard let context else { return }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { [self] _ in close() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }
}
