import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// An answer of a member, whole.
struct EtcdReply: Equatable, Sendable {
    let status: Int
    /// The member's clock, as HTTP writes it.
    let date: String?
    let body: [UInt8]
}

/// Why a member did not answer as it should. Never reaches a user: `EtcdClient` makes a `SiteError` of it.
enum EtcdFault: Error {
    /// More bytes than any answer of a site has.
    case tooLarge
    /// It ended the connection before the answer was whole.
    case closed
    case timedOut
}

/// The client side of one HTTP/1.1 connection to a member of etcd: one request at a time, of a bounded
/// answer, or as the last one a stream of lines. It is used on its event loop only.
final class EtcdConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// What is done with an answer.
    enum Receiver {
        case whole(limit: Int, EventLoopPromise<EtcdReply>)
        /// Each line without its end; what is not answered with 200 ends the stream.
        case lines(limit: Int, ([UInt8]) -> Void, end: EventLoopPromise<Void>)
    }

    private let handshake: EventLoopPromise<Void>
    private var receiver: Receiver?
    private var status = 0
    private var date: String?
    private var body: [UInt8] = []
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?
    private var isKept = true
    /// Why it has ended.
    private var fault: (any Error)?
    /// True if another request may follow.
    private(set) var isIdle = true

    /// - Parameter handshake: succeeds once the member's certificate has been checked.
    init(handshake: EventLoopPromise<Void>) { self.handshake = handshake }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted = event as? TLSUserEvent { handshake.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        end(with: EtcdFault.closed)
        self.context = nil
    }

    /// Sends a request. The receiver is told once, in any case.
    ///
    /// - Parameter time: how long the answer may take; of lines, until the first.
    func send(_ path: String, _ json: [UInt8], host: String, to receiver: Receiver, within time: TimeAmount) {
        guard let context, isIdle, context.channel.isActive else {
            return fail(receiver, fault ?? EtcdFault.closed)
        }
        self.receiver = receiver
        (status, body, isIdle, isKept) = (0, [], false, true)
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.end(with: EtcdFault.timedOut)
        }
        var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: path)
        head.headers.add(name: "host", value: host)
        head.headers.add(name: "content-type", value: "application/json")
        head.headers.add(name: "content-length", value: String(json.count))
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: json)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let receiver else { return }
        switch (unwrapInboundIn(data), receiver) {
        case (.head(let head), _):
            status = Int(head.status.code)
            date = head.headers.first(name: "date")
            isKept = head.isKeepAlive
        case (.body(let piece), .whole(let limit, _)):
            guard body.count + piece.readableBytes <= limit else { return end(with: EtcdFault.tooLarge) }
            body += piece.readableBytesView
        case (.body(let piece), .lines(let limit, let tell, _)):
            guard status == 200 else { return end(with: EtcdFault.closed) }
            for byte in piece.readableBytesView {
                guard byte == UInt8(ascii: "\n") else {
                    guard body.count < limit else { return end(with: EtcdFault.tooLarge) }
                    body.append(byte)
                    continue
                }
                timer?.cancel()
                tell(body)
                body.removeAll(keepingCapacity: body.count < 65_536)
            }
        case (.end, .whole(_, let promise)):
            timer?.cancel()
            self.receiver = nil
            isIdle = isKept
            promise.succeed(EtcdReply(status: status, date: date, body: body))
            body = []
            if !isKept { context.close(promise: nil) }
        case (.end, .lines): end(with: EtcdFault.closed)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(with: EtcdFault.closed)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { end(with: error) }

    private func end(with error: any Error) {
        timer?.cancel()
        isIdle = false
        fault = fault ?? error
        // Means nothing if it has succeeded.
        handshake.fail(error)
        if let receiver {
            self.receiver = nil
            fail(receiver, error)
        }
        context?.close(promise: nil)
    }

    private func fail(_ receiver: Receiver, _ error: any Error) {
        switch receiver {
        case .whole(_, let promise): promise.fail(error)
        case .lines(_, _, let end): end.fail(error)
        }
    }
}
