import GatewayRules
import NIOCore

/// Receives the requests that a ``RequestFramingHandler`` parses, one at a time.
protocol RequestReceiver: AnyObject {
    /// The maximum size of a request's head in bytes.
    var headByteCount: Int { get }
    /// False while further bytes from the client cannot be processed.
    var mayReadRequest: Bool { get }
    /// True while what follows a request's head has to wait.
    var isDeciding: Bool { get }
    /// True if one read is allowed before the current request is answered.
    var mayReadAhead: Bool { get }
    func take(_ head: RequestHead)
    func take(_ body: ByteBuffer)
    func takeEnd(_ trailers: FieldBlock)
    /// The client's bytes are not a valid request; the start of the next one is unknown.
    func refuse(_ error: FramingError)
    /// All received bytes have been processed.
    ///
    /// - Parameter isInsideHead: true if part of a head has arrived.
    func requestsAreRead(isInsideHead: Bool)
    /// Reading from the client resumes after a pause.
    func noteReading()
    func close()
}

/// Receives a client's bytes after an upgrade.
protocol ClientBytesReceiver: AnyObject {
    /// False while further bytes cannot be passed on.
    var mayReadClient: Bool { get }
    func fromClient(_ bytes: ByteBuffer)
    func clientReadComplete()
}

/// Follows TLS in the pipeline. It parses the client's bytes into requests and delivers one at a time, stops
/// reading while no more can be processed, and passes bytes on unchanged after an upgrade.
final class RequestFramingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Mode {
        case http
        case tunnel(any ClientBytesReceiver)
        /// All further bytes are discarded.
        case discard
    }

    private var framing: RequestFraming
    private var mode = Mode.http
    private var pending: ByteBuffer?
    /// True if `pending` shares its memory with TLS's read buffer.
    private var isBorrowed = false
    private var isFeeding = false
    private var readIsHeld = false
    private var context: ChannelHandlerContext?
    private unowned let receiver: any RequestReceiver

    init(_ receiver: some RequestReceiver) {
        self.receiver = receiver
        framing = RequestFraming(limit: receiver.headByteCount)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// True if part of a request's head has arrived.
    var isInsideHead: Bool { framing.isInHead && (!framing.isAtStart || (pending?.readableBytes ?? 0) > 0) }

    /// True while received bytes are being delivered; answers are flushed after that.
    var isFeedingRequests: Bool { isFeeding }

    /// True if reading is paused until received bytes have been processed.
    var isHeld: Bool { readIsHeld }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        switch mode {
        case .tunnel(let tunnel): tunnel.fromClient(buffer)
        case .discard: break
        case .http:
            if pending?.writeBuffer(&buffer) == nil { (pending, isBorrowed) = (buffer, true) }
            feed()
            keepLittle()
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

    /// Resumes reading if it was paused and is allowed again.
    func resumeReading() {
        guard readIsHeld, mayRead, let context else { return }
        readIsHeld = false
        receiver.noteReading()
        context.read()
    }

    /// Starts to parse the next request after an answer.
    func startNext() {
        framing = RequestFraming(limit: receiver.headByteCount)
        guard !isFeeding else { return }
        feed()
        resumeReading()
    }

    /// Delivers what has waited since the head of a request.
    func goOn() {
        guard !isFeeding else { return }
        feed()
        resumeReading()
    }

    /// Discards all further bytes.
    func discard() {
        mode = .discard
        pending = nil
        resumeReading()
    }

    /// Passes all further bytes to the tunnel, starting with those that have already arrived.
    func enter(_ tunnel: some ClientBytesReceiver) {
        mode = .tunnel(tunnel)
        if let early = pending, early.readableBytes > 0 { tunnel.fromClient(early) }
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

    /// Closes once everything has been written.
    func closeWhenWritten() { whenWritten { [weak receiver = receiver] in receiver?.close() } }

    /// True if the client's connection accepts more bytes.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Closes the hub's direction of the connection; the client's direction stays open.
    func closeOutput() { context?.close(mode: .output, promise: nil) }

    private var mayRead: Bool {
        switch mode {
        case .http:
            // One read ahead is allowed between a request and its answer.
            framing.isComplete
                ? pending == nil && receiver.mayReadAhead : receiver.mayReadRequest
        case .tunnel(let tunnel): tunnel.mayReadClient
        case .discard: true
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
        while case .http = mode, !framing.isComplete, !receiver.isDeciding, feedPart() {}
        isFeeding = false
        receiver.requestsAreRead(isInsideHead: isInsideHead)
    }

    /// Delivers one part of a request; returns false if it needs more bytes.
    private func feedPart() -> Bool {
        var bytes = pending ?? ByteBuffer()
        do {
            // `pending` is set before the part is handed on: the receiver may discard it.
            let (count, part) = try bytes.withUnsafeReadableBytes { try framing.next($0) }
            let used = bytes.readSlice(length: count)
            pending = bytes.readableBytes > 0 ? bytes : nil
            switch part {
            case nil: return false
            case .head(let head): receiver.take(head)
            case .end(let trailers): receiver.takeEnd(trailers)
            case .body(let range):
                guard let body = used?.part(range) else { return false }
                receiver.take(body)
            }
            return true
        } catch let error as FramingError {
            mode = .discard
            pending = nil
            receiver.refuse(error)
        } catch {
            receiver.close()  // unreachable: the parser throws nothing else
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
