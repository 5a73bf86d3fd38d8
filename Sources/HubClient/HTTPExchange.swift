import FoundationEssentials
import Glibc
import Identity
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// The device's end of one TLS connection: the handshake first, then one request and response after another.
///
/// It reads only when somebody waits for a part, so that a hub that sends faster than the reader takes fills
/// the kernel's buffers and not this process. It lives on its event loop.
final class HTTPExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart
    typealias Reason = HubConnectionError.Reason

    private enum Phase {
        case handshake
        case idle
        /// A request is being sent or its response read.
        case exchange
        case closed(Reason)
    }

    private static let chunkByteCount = 65_536

    private let handshake: EventLoopPromise<Void>
    private var phase = Phase.handshake
    private var context: ChannelHandlerContext?
    private var parts = CircularBuffer<HTTPClientResponsePart>()
    private var waiter: EventLoopPromise<HTTPClientResponsePart>?
    /// What is still to be sent of the request's body; nil: all of it has been.
    private var unsent: ByteBuffer?
    private var isLastExchange = false
    private var quiet = TimeAmount.seconds(30)
    private var end = NIODeadline.distantFuture
    private var timer: Scheduled<Void>?

    /// - Parameter handshake: succeeds once the peer's key has been checked, fails with a `Reason`.
    init(handshake: EventLoopPromise<Void>) { self.handshake = handshake }

    /// Begins a request. The response's parts come from ``next()``.
    ///
    /// - Parameters:
    ///   - quiet: the longest that nothing may happen while somebody waits.
    ///   - total: the longest that it may take altogether.
    func begin(
        _ head: HTTPRequestHead, body: ByteBuffer, quiet: TimeAmount, total: TimeAmount?
    ) throws {
        switch phase {
        case .idle: break
        case .closed(let reason): throw reason
        case .handshake, .exchange: throw Reason.busy
        }
        guard let context else { throw Reason.closed }
        phase = .exchange
        isLastExchange = false
        parts.removeAll()
        self.quiet = quiet
        end = total.map { .now() + $0 } ?? .distantFuture
        unsent = body
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        sendMore()
    }

    /// The next part of the response.
    func next() -> EventLoopFuture<HTTPClientResponsePart> {
        let eventLoop = handshake.futureResult.eventLoop
        // What came before the end is still there after it.
        if let part = parts.popFirst() { return eventLoop.makeSucceededFuture(part) }
        if case .closed(let reason) = phase { return eventLoop.makeFailedFuture(reason) }
        guard waiter == nil else { return eventLoop.makeFailedFuture(Reason.busy) }
        let promise = eventLoop.makePromise(of: HTTPClientResponsePart.self)
        waiter = promise
        startTimer()
        context?.read()
        return promise.futureResult
    }

    /// A piece of the body after the other has reached the socket; a response that comes early ends it.
    private func sendMore() {
        guard let context, case .exchange = phase, var body = unsent else { return }
        guard let chunk = body.readSlice(length: min(body.readableBytes, HTTPExchange.chunkByteCount)),
            chunk.readableBytes > 0
        else {
            unsent = nil
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            return
        }
        unsent = body
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenSuccess {
            if self.waiter != nil { self.startTimer() }
            self.sendMore()
        }
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(chunk))), promise: written)
    }

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
            // On the event loop it takes effect at once.
            try? context.channel.syncOptions?.setOption(.autoRead, value: false)
            handshake.succeed()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .exchange = phase else { return }
        let part = unwrapInboundIn(data)
        if case .head(let head) = part { isLastExchange = !head.isKeepAlive }
        if let waiter {
            self.waiter = nil
            timer?.cancel()
            waiter.succeed(part)
        } else {
            parts.append(part)
        }
        guard case .end = part else { return }
        phase = .idle
        // A request that was answered before it was whole leaves the connection in the middle of nowhere.
        // What has been received stays readable.
        if isLastExchange || unsent != nil { close(.closed) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // What came was only a piece of a part, or of a TLS record.
        if waiter != nil { context.read() }
        context.fireChannelReadComplete()
    }

    func channelInactive(context: ChannelHandlerContext) {
        close(.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { close(Reason(error)) }
}

extension HubConnectionError.Reason: Error {
    /// What an error of the network stack means.
    init(_ error: any Error) {
        self =
            switch error {
            case let reason as Self: reason
            case NIOSSLError.handshakeFailed(let error): .init(error)
            case let error as BoringSSLError: .init(error)
            case NIOSSLError.uncleanShutdown: .closed
            case HTTPParserError.headerOverflow: .headersTooLarge
            case HTTPParserError.invalidEOFState, HTTPParserError.closedConnection: .closed
            case let error as HTTPParserError: .malformed("\(error)")
            case let error as IOError: .init(errno: error.errnoCode)
            case ChannelError.connectTimeout: .timedOut(.connection)
            case is ChannelError: .closed
            default: .malformed("\(type(of: error))")
            }
    }

    private init(_ error: BoringSSLError) {
        switch error {
        case .sslError(let stack), .unknownError(let stack):
            // "Error: 268435581 error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …"
            let line = stack.first?.description ?? ""
            let text = line.split(separator: " at ").first ?? ""
            if text.hasSuffix("EOF during handshake") {
                self = .closed
            } else {
                let word = text.split(separator: ":").last ?? "unknown"
                self = .tls(word.lowercased().replacing("_", with: " "))
            }
        default: self = .closed
        }
    }

    init(errno code: Int32) {
        self =
            switch code {
            case ECONNREFUSED: .refused
            case ETIMEDOUT: .timedOut(.connection)
            case ENETUNREACH, EHOSTUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL, EINVAL, ENODEV, EACCES, EPERM:
                .unreachable(code)
            case ECONNRESET, EPIPE, ECONNABORTED: .closed
            default: .system(code)
            }
    }
}
