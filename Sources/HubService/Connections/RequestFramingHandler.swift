import GatewayRules
import NIOCore

/// Takes the requests that a ``RequestFramingHandler`` reads, one at a time.
protocol RequestReceiver: AnyObject {
    /// The most bytes of a request's head.
    var headByteCount: Int { get }
    /// False while what the client sends cannot be taken.
    var mayReadRequest: Bool { get }
    /// True if one read may go ahead of the answer to the request at hand.
    var mayReadAhead: Bool { get }
    func take(_ head: RequestHead)
    func take(_ body: ByteBuffer)
    func takeEnd(_ trailers: FieldBlock)
    /// What the client sends is no request; where the next one would begin is not known.
    func refuse(_ error: FramingError)
    /// All is taken that has come.
    ///
    /// - Parameter isInsideHead: part of a head has come.
    func requestsAreRead(isInsideHead: Bool)
    /// The client is read again, after a time in which it was not.
    func noteReading()
    func close()
}

/// Takes a client's bytes after an upgrade.
protocol ClientBytesReceiver: AnyObject {
    /// False while the bytes cannot be passed on.
    var mayReadClient: Bool { get }
    func fromClient(_ bytes: ByteBuffer)
    func clientReadComplete()
}

/// Stands behind TLS: cuts the client's bytes into requests and hands on one at a time, stops reading while
/// no more can be taken, and after an upgrade passes the bytes on as they come.
final class RequestFramingHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Mode {
        case http
        case tunnel(any ClientBytesReceiver)
        /// Whatever still comes is thrown away.
        case discard
    }

    private var framing: RequestFraming
    private var mode = Mode.http
    private var pending: ByteBuffer?
    /// True if `pending` is part of the buffer that TLS has read into.
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

    /// True if bytes of a request have come that is not whole to the end of its head.
    var isInsideHead: Bool { framing.isInHead && (!framing.isAtStart || (pending?.readableBytes ?? 0) > 0) }

    /// True while bytes that have come are handed on: what is answered meanwhile goes out when that is done.
    var isFeedingRequests: Bool { isFeeding }

    /// True if reading waits until what was read is taken.
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

    /// Reads on, if that was held back and may go on now.
    func resumeReading() {
        guard readIsHeld, mayRead, let context else { return }
        readIsHeld = false
        receiver.noteReading()
        context.read()
    }

    /// The request is answered, and the answer on its way; the next one may come.
    func startNext() {
        framing = RequestFraming(limit: receiver.headByteCount)
        guard !isFeeding else { return }
        feed()
        resumeReading()
    }

    /// Throws away whatever still comes.
    func discard() {
        mode = .discard
        pending = nil
        resumeReading()
    }

    /// From now on bytes go through the tunnel; those that came early go first.
    func enter(_ tunnel: some ClientBytesReceiver) {
        mode = .tunnel(tunnel)
        if let early = pending, early.readableBytes > 0 { tunnel.fromClient(early) }
        pending = nil
        resumeReading()
    }

    /// Bytes for the client.
    func write(_ buffer: ByteBuffer) { context?.write(wrapOutboundOut(buffer), promise: nil) }
    func flush() { context?.flush() }

    /// Flushes, and runs `body` when all that was written has gone to the socket, or the connection is gone.
    func whenWritten(_ body: @escaping () -> Void) {
        guard let context else { return body() }
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in body() }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: promise)
    }

    /// Closes when all that was written has gone out.
    func closeWhenWritten() { whenWritten { [weak receiver = receiver] in receiver?.close() } }

    /// True if the client takes more bytes.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Ends this side of the connection, and leaves the client's open.
    func closeOutput() { context?.close(mode: .output, promise: nil) }

    private var mayRead: Bool {
        switch mode {
        case .http:
            // Between a request and its answer one read ahead.
            framing.isComplete
                ? pending == nil && receiver.mayReadAhead : receiver.mayReadRequest
        case .tunnel(let tunnel): tunnel.mayReadClient
        case .discard: true
        }
    }

    /// A few bytes of a head that is not whole would keep the whole buffer that TLS has read into, and a
    /// second one made for TLS: with hundreds of connections that is most of what strangers can make the hub
    /// hold.
    private func keepLittle() {
        guard isBorrowed, let borrowed = pending else { return }
        pending = ByteBuffer(bytes: borrowed.readableBytesView)
        isBorrowed = false
    }

    private func feed() {
        isFeeding = true
        while case .http = mode, !framing.isComplete, feedPart() {}
        isFeeding = false
        receiver.requestsAreRead(isInsideHead: isInsideHead)
    }

    /// Hands on one part of a request; false if more bytes are needed for it.
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
            receiver.close()  // not possible: the reader throws nothing else
        }
        return false
    }
}

extension ByteBuffer {
    /// These of the readable bytes, without copying them.
    func part(_ range: Range<Int>) -> ByteBuffer? {
        getSlice(at: readerIndex + range.lowerBound, length: range.count)
    }
}
