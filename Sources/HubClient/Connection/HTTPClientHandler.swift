import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// The client side of one TLS connection: first the handshake, then one request and response at a time.
///
/// It reads only while a caller waits for a part, so that a fast hub fills the kernel's buffers and not this
/// process's memory. It is used on its event loop only.
final class HTTPClientHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Reason = HubConnectionError.Reason

    private enum Phase {
        case handshake
        case idle
        /// A request is being sent or its response read.
        case response
        case closed(Reason)
    }

    /// Collects the rest of a body for one promise.
    private struct Collector {
        let promise: EventLoopPromise<[UInt8]>
        let maximumByteCount: Int
        var body: [UInt8] = []

        /// Adds a part.
        ///
        /// - Returns: the body once it is complete, nil before.
        mutating func take(_ part: HTTPClientResponsePart) throws(Reason) -> [UInt8]? {
            switch part {
            case .head: break
            case .body(let piece):
                guard body.count + piece.readableBytes <= maximumByteCount else {
                    throw .tooLarge(maximumByteCount)
                }
                body.append(contentsOf: piece.readableBytesView)
            case .end: return body
            }
            return nil
        }
    }

    private static let chunkByteCount = 65_536

    private let handshake: EventLoopPromise<Void>
    private var phase = Phase.handshake
    private var context: ChannelHandlerContext?
    private var parts = CircularBuffer<HTTPClientResponsePart>()
    private var waiter: EventLoopPromise<HTTPClientResponsePart>?
    private var collector: Collector?
    /// The unsent rest of the request's body; nil once everything has been sent.
    private var unsent: ByteBuffer?
    private var isLastResponse = false
    /// The maximum time without any data while a part is awaited; it counts from the next part on.
    var quiet = TimeAmount.seconds(30)
    private var end = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    /// - Parameter handshake: succeeds once the peer's key has been checked, fails with a `Reason`.
    init(handshake: EventLoopPromise<Void>) { self.handshake = handshake }

    /// Sends a request. ``next()`` or ``rest(maximumByteCount:capacity:)`` return more of the response.
    ///
    /// - Parameters:
    ///   - quiet: the maximum time without any data while a part is awaited.
    ///   - total: the maximum time for the whole exchange; nil for no limit.
    /// - Returns: the first part of the response.
    func begin(
        _ head: HTTPRequestHead, body: ByteBuffer, quiet: TimeAmount, total: TimeAmount?
    ) -> EventLoopFuture<HTTPClientResponsePart> {
        let eventLoop = handshake.futureResult.eventLoop
        switch phase {
        case .idle: break
        case .closed(let reason): return eventLoop.makeFailedFuture(reason)
        case .handshake, .response: return eventLoop.makeFailedFuture(Reason.busy)
        }
        guard let context else { return eventLoop.makeFailedFuture(Reason.closed) }
        phase = .response
        isLastResponse = false
        parts.removeAll()
        self.quiet = quiet
        end = total.map { .now() + $0 } ?? .distantFuture
        unsent = body
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        sendMore()
        return next()
    }

    /// The next part of the response.
    func next() -> EventLoopFuture<HTTPClientResponsePart> {
        let eventLoop = handshake.futureResult.eventLoop
        // Parts that arrived before the connection ended stay readable.
        if let part = parts.popFirst() { return eventLoop.makeSucceededFuture(part) }
        if case .closed(let reason) = phase { return eventLoop.makeFailedFuture(reason) }
        guard waiter == nil, collector == nil else { return eventLoop.makeFailedFuture(Reason.busy) }
        let promise = eventLoop.makePromise(of: HTTPClientResponsePart.self)
        waiter = promise
        startTimer()
        context?.read()
        return promise.futureResult
    }

    /// The rest of the body. Its parts are collected on the event loop instead of being passed to another
    /// thread one by one.
    func rest(maximumByteCount: Int, capacity: Int) -> EventLoopFuture<[UInt8]> {
        let promise = handshake.futureResult.eventLoop.makePromise(of: [UInt8].self)
        guard waiter == nil, collector == nil else {
            promise.fail(Reason.busy)
            return promise.futureResult
        }
        collector = Collector(promise: promise, maximumByteCount: maximumByteCount)
        collector?.body.reserveCapacity(capacity)
        // Parts that arrived before the connection ended stay readable.
        while collector != nil, let part = parts.popFirst() { collect(part) }
        if case .closed(let reason) = phase {
            collector?.promise.fail(reason)
            collector = nil
        }
        if collector != nil {
            startTimer()
            context?.read()
        }
        return promise.futureResult
    }

    private func collect(_ part: HTTPClientResponsePart) {
        let promise = collector?.promise
        do throws(Reason) {
            guard let body = try collector?.take(part) else { return }
            collector = nil
            timer?.cancel()
            promise?.succeed(body)
        } catch {
            collector = nil
            promise?.fail(error)
            close(error)
        }
    }

    /// Sends the body in chunks, each once the previous one has been written to the socket. A response that
    /// arrives early stops it.
    private func sendMore() {
        guard let context, case .response = phase, var body = unsent else { return }
        guard let chunk = body.readSlice(length: min(body.readableBytes, HTTPClientHandler.chunkByteCount)),
            chunk.readableBytes > 0
        else {
            unsent = nil
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        unsent = body
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess {
            if self.isAwaited { self.startTimer() }
            self.sendMore()
        }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(chunk))), promise: written)
    }

    private var isAwaited: Bool { waiter != nil || collector != nil }

    private func startTimer() {
        timer?.cancel()
        guard let context else { return }
        let deadline = min(.now() + quiet, end)
        timer = context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline) {
            self.close(.timedOut(.response))
        }
    }

    private func close(_ reason: Reason) {
        if case .closed = phase { return }
        if case .handshake = phase { handshake.fail(reason) }
        phase = .closed(reason)
        timer?.cancel()
        waiter?.fail(reason)
        waiter = nil
        collector?.promise.fail(reason)
        collector = nil
        unsent = nil
        context?.close(promise: nil)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        close(.closed)
        self.context = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent, case .handshake = phase {
            phase = .idle
            // This is the event loop's thread, so the option takes effect at once.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            handshake.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .response = phase else { return }
        let part = unwrapInboundIn(data)
        if case .head(let head) = part { isLastResponse = !head.isKeepAlive }
        if let waiter {
            self.waiter = nil
            timer?.cancel()
            waiter.succeed(part)
        } else if collector != nil {
            collect(part)
        } else {
            parts.append(part)
        }
        guard case .end = part else { return }
        phase = .idle
        // If the hub answered before the whole request was sent, it cannot tell where the next request
        // begins. Received parts stay readable.
        if isLastResponse || unsent != nil { close(.closed) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // Only a fragment of a part, or of a TLS record, has arrived.
        if isAwaited { context.read() }
        // Any data restarts the timer.
        if collector != nil { startTimer() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        close(.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(Reason(error)) }
}
