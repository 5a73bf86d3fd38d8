import GatewayRules
import NIOCore

/// Follows TLS in the pipeline. It gives the client's bytes to the ``ClientMachine`` and what that finds in
/// them to the connection, stops reading while no more can be processed, and passes bytes on unchanged after
/// an upgrade.
final class RequestFramingHandler: ChannelDuplexHandler, TunnelEnd {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var pending: ByteBuffer?
    /// True if `pending` shares its memory with TLS's read buffer.
    private var isBorrowed = false
    private var isFeeding = false
    private var readIsHeld = false
    private var context: ChannelHandlerContext?
    private unowned let connection: ServeConnection

    init(_ connection: ServeConnection) { self.connection = connection }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// True if bytes wait that could not be processed yet.
    var hasPending: Bool { pending != nil }

    /// True while received bytes are being delivered; answers are flushed after that.
    var isFeedingRequests: Bool { isFeeding }

    /// True if reading is paused until received bytes have been processed.
    var isHeld: Bool { readIsHeld }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        if case .tunnel(let tunnel) = connection.work { return tunnel.fromClient(buffer) }
        guard !connection.machine.isOver else { return }
        if pending?.writeBuffer(&buffer) == nil { (pending, isBorrowed) = (buffer, true) }
        feed()
        keepLittle()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .tunnel(let tunnel) = connection.work { tunnel.clientReadComplete() }
        context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
        if mayRead {
            context.read()
        } else {
            readIsHeld = true
        }
    }

    /// Resumes reading if it was paused and is allowed again.
    func resumeReading() {
        guard readIsHeld, mayRead, let context else { return }
        readIsHeld = false
        connection.noteReading()
        context.read()
    }

    /// Delivers what has waited.
    func goOn() {
        guard !isFeeding else { return }
        feed()
        resumeReading()
    }

    /// Discards what has waited; the connection is over.
    func discard() {
        pending = nil
        resumeReading()
    }

    func enter(_ tunnel: GatewayTunnel) {
        if let early = pending { tunnel.fromClient(early) }
        pending = nil
        resumeReading()
    }

    /// Writes bytes to the client.
    func write(_ buffer: ByteBuffer) { context?.write(wrapOutboundOut(buffer), promise: nil) }
    func flush() { context?.flush() }

    /// Flushes, and runs `body` once everything has been written to the socket or the connection is closed.
    func whenWritten(_ body: @escaping () -> Void) {
        guard let context else { return body() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in body() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    func closeWhenWritten() { whenWritten { [weak connection = connection] in connection?.close() } }

    var isWritable: Bool { context?.channel.isWritable ?? false }

    func closeOutput() { context?.close(mode: .output, promise: nil) }

    private var mayRead: Bool {
        switch connection.machine.reading(hasPending: hasPending) {
        case .any: true
        case .none: false
        case .whileWritable: isWritable
        case .asPassed: connection.mayPass
        }
    }

    /// Copies the pending bytes. A few bytes of an incomplete head would otherwise keep TLS's whole read
    /// buffer alive and force a second one; with hundreds of connections that is most of the memory that
    /// strangers can make the hub use.
    private func keepLittle() {
        guard isBorrowed, let borrowed = pending else { return }
        pending = ByteBuffer(bytes: borrowed.readableBytesView)
        isBorrowed = false
    }

    private func feed() {
        isFeeding = true
        while connection.machine.mayParse, feedPart() {}
        isFeeding = false
        connection.requestsAreRead()
    }

    /// Delivers one part of a request; returns false if it needs more bytes.
    private func feedPart() -> Bool {
        var bytes = pending ?? ByteBuffer()
        do {
            // `pending` is set before the part is handed on: the connection may discard it.
            let (count, part) = try bytes.withUnsafeReadableBytes { try connection.machine.next($0) }
            let used = bytes.readSlice(length: count)
            pending = bytes.readableBytes > 0 ? bytes : nil
            switch part {
            case nil: return false
            case .head(let head): connection.take(head)
            case .end(let trailers): connection.takeEnd(trailers)
            case .body(let range):
                guard let body = used?.part(range) else { return false }
                connection.take(body)
            }
            return true
        } catch {
            pending = nil
            // The parser throws nothing else.
            connection.refuse(ServeReply(error as? FramingError ?? .badRequestLine))
        }
        return false
    }
}

extension ByteBuffer {
    /// A slice of the readable bytes, without copying.
    func part(_ range: Range<Int>) -> ByteBuffer? {
        getSlice(at: readerIndex + range.lowerBound, length: range.count)
    }
}
