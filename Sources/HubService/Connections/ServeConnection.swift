import Addresses
import GatewayRules
import Glibc
import NIOCore
import NIOSSL
import NIOTLS
import Pairing
import PinnedTLS

/// One client's connection: takes its requests one after the other, answers the hub's own pages, and hands
/// everything else to a `GatewayExchange`.
///
/// The certificate of the handshake says which device the client is. What the device may do is looked up anew
/// for every request, and again when the keyfile changes.
final class ServeConnection: ChannelInboundHandler, RequestReceiver, LoopConnection {
    typealias InboundIn = ByteBuffer

    enum Phase {
        /// Waits for the head of a request.
        case waiting
        /// The rest of the request is thrown away, so many bytes at most; then the reply goes out.
        case refusing(ServeReply, left: Int)
        /// Collects a pairing request's body.
        case collecting([UInt8])
        /// The pairing is under way.
        case answering
        case proxying(GatewayExchange)
        case tunnel(GatewayTunnel)
        /// The last answer is written; closes when it has gone out, or when the client closes.
        case lingering
        case closed
    }

    let loop: ServeLoop
    let source: NetworkAddress
    private let ssl: NIOSSLHandler
    private(set) var context: ChannelHandlerContext?
    /// Stands before this handler in the pipeline.
    private(set) lazy var framing = RequestFramingHandler(self)
    var phase = Phase.waiting
    private(set) var client: RequestRouter.Client
    var hasBeenApproved = false
    var lastDevice: DescribedDevice?
    let timer: ConnectionTimer

    /// The request at hand; nil between the answer to a request and the head of the next one.
    var request: RequestHead?
    var requestHasEnded = true
    var keepsAlive = true
    private(set) lazy var output = ClientOutput(framing)
    /// True if the next request waits until the client has read answers.
    var isHeldByAnswers = false

    /// The most bytes of a stranger's head: a client that is not let in needs no cookies.
    private static let strangerHeadByteCount = 8_192

    init(loop: ServeLoop, source: NetworkAddress, ssl: NIOSSLHandler) {
        self.loop = loop
        self.source = source
        self.ssl = ssl
        client = RequestRouter.Client(
            certificate: .none, isTrustedProxy: loop.shared.isTrustedProxy(source))
        timer = ConnectionTimer(loop.eventLoop)
    }

    var shared: ServerContext { loop.shared }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// False while what the client sends cannot be passed on, or it does not read what it is sent.
    var mayReadRequest: Bool {
        if case .proxying(let exchange) = phase { exchange.mayReadClient } else { isWritable }
    }

    /// Between a request and its answer, of devices only: each request of theirs would otherwise be taken off
    /// the selector's list and put on it again.
    var mayReadAhead: Bool { hasBeenApproved }

    /// The most bytes of a request's head.
    var headByteCount: Int {
        hasBeenApproved || client.isTrustedProxy
            ? RequestFraming.maximumHeadByteCount : ServeConnection.strangerHeadByteCount
    }

    // MARK: Events of the channel

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        timer.onExpiry = { [unowned self] in expire($0) }
        loop.add(self)
        timer.start(.handshake, shared.limits.handshake)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        end()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted:
            // Not from the verification callback: on a resumed session it is not called, and the certificate
            // comes from the session.
            client.certificate =
                switch ssl.peerCertificate {
                case nil: .none
                case let certificate?:
                    Pin(device: certificate).map { .device($0) } ?? .otherKey(Pin.otherKey(of: certificate))
                }
            recognize()
            timer.start(.idle, idleTime)
            // BoringSSL says nothing here, so the acknowledgement would wait 40 ms for company, and with it
            // the first request of every client that has Nagle's algorithm on (tcp(7)).
            let quickAcknowledgement = ChannelOptions.Types.SocketOption(
                level: .tcp, name: .init(rawValue: CInt(TCP_QUICKACK)))
            try? context.channel.syncOptions?.setOption(quickAcknowledgement, value: 1)
            if loop.isDraining { close() }
        case ChannelEvent.inputClosed:
            if case .tunnel(let tunnel) = phase { tunnel.clientInputClosed() } else { close() }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown: return  // the end of the connection follows
        case is NIOSSLError, is BoringSSLError:
            shared.log.debug("TLS with \(source) failed: \(error)")
            close()
        default: close()
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isWritable {
            timer.clear(.stall)
        } else {
            timer.start(.stall, shared.limits.stall)
        }
        switch phase {
        case .proxying(let exchange): exchange.clientWritabilityChanged()
        case .tunnel(let tunnel): tunnel.clientWritabilityChanged()
        case .waiting where isHeldByAnswers && isWritable:
            isHeldByAnswers = false
            framing.startNext()
        default: if isWritable { framing.resumeReading() }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .proxying(let exchange) = phase { exchange.clientReadComplete() }
    }

    // MARK: The device

    /// How long it may say nothing between two requests.
    var idleTime: TimeAmount {
        let limits = shared.limits
        return hasBeenApproved || client.isTrustedProxy
            ? limits.idle : min(limits.idle, limits.strangerIdle)
    }

    /// From its handshake on an approved device keeps its place, however many others connect.
    private func recognize() {
        guard let pin = client.pin, case .approved(let device) = shared.devices.access(of: pin) else {
            return
        }
        enter(device)
    }

    // MARK: The end

    /// Makes room for another connection, without TLS's close_notify.
    func giveWay() {
        guard let transport = try? context?.pipeline.syncOperations.context(handler: ssl) else {
            return close()
        }
        framing.discard()
        end()
        transport.close(promise: nil)
    }

    /// Closes at once. TLS waits a while for the client's close_notify; what else comes meanwhile is thrown
    /// away.
    func close() {
        framing.discard()
        end()
        context?.close(promise: nil)
    }

    /// Closes, after what is written has gone out.
    func drain() {
        switch phase {
        case .waiting where !framing.isInsideHead, .tunnel: close()
        default: keepsAlive = false
        }
    }

    /// Closes the connection of a device that came in and may no longer.
    func closeUnlessStillApproved() {
        guard hasBeenApproved, let pin = client.pin else { return }
        if case .approved(let device) = shared.devices.access(of: pin) {
            return watchExpiry(of: device)
        }
        shared.log.notice("closed a connection of \(pin.fingerprint) from \(source): no longer approved")
        close()
    }

    /// All is taken that has come: what was answered meanwhile goes out.
    ///
    /// - Parameter isInsideHead: part of a head has come.
    func requestsAreRead(isInsideHead: Bool) {
        if !output.isEmpty { output.flush() }
        guard case .waiting = phase, isInsideHead, !timer.isRunning(.head) else { return }
        timer.start(.head, shared.limits.head)
    }

    func refuse(_ error: FramingError) { refuse(ServeReply(error)) }

    private func expire(_ reason: ConnectionTimer.Reason) {
        switch reason {
        case .idle, .linger: close()
        case .expiry: closeUnlessStillApproved()
        case .handshake:
            shared.log.warning(.slow, "closed a connection from \(source): no TLS handshake in time")
            close()
        case .stall:
            shared.log.warning(.slow, "closed a connection from \(source): it reads nothing")
            close()
        case .upstream:
            shared.noteUpstream(fault: "no response in time")
            refuse(.upstreamTimeout)
        // The hub itself has stopped reading until the client reads answers; `stall` limits that time.
        case .head where framing.isHeld: timer.start(.head, shared.limits.head)
        case .body where mayTakeLonger: timer.start(.body, shared.limits.body)
        case .head, .body:
            shared.log.warning(.slow, "closed a connection from \(source): its request took too long")
            refuse(.timeout)
        }
    }

    /// True if a body that is passed on comes fast enough, or it is the upstream that is slow.
    private var mayTakeLonger: Bool {
        guard case .proxying(let exchange) = phase else { return false }
        let keepsPace = exchange.clientKeepsPace()
        return keepsPace || framing.isHeld
    }

    /// The client is read again: the time in which it was not does not count.
    func noteReading() {
        if case .proxying = phase, timer.isRunning(.body) { timer.start(.body, shared.limits.body) }
    }

    private func end() {
        if case .closed = phase { return }
        let last = phase
        phase = .closed
        timer.cancel()
        switch last {
        case .proxying(let exchange): exchange.cancel()
        case .tunnel(let tunnel): tunnel.clientClosed()
        default: break
        }
        loop.remove(self)
    }
}
