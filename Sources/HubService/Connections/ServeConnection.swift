import Addresses
import GatewayRules
import NIOCore
import NIOSSL
import NIOTLS
import Pairing
import PinnedTLS

/// One client's connection: it processes requests one at a time, answers those for the hub's own endpoints,
/// and passes all others to a `ForwardedRequest`.
///
/// The client certificate of the handshake identifies the device. Its access is looked up again for every
/// request, and whenever the keyfile changes.
final class ServeConnection: ChannelInboundHandler, RequestReceiver, LoopConnection {
    typealias InboundIn = ByteBuffer

    /// What the hub does itself with a request's body.
    enum HubTask {
        case pair
        case serve(ResourceRequest)

        var maximumByteCount: Int {
            switch self {
            case .pair: PairRequest.maximumByteCount
            case .serve: HubResource.maximumBodyByteCount
            }
        }
    }

    enum Phase {
        /// Waiting for a request's head.
        case waiting
        /// Discarding the rest of the request, at most `left` bytes; then the reply is sent.
        case refusing(ServeReply, left: Int)
        /// A guest's request waits until it is known what the appliance is; its body is not read meanwhile.
        case deciding
        /// Collecting the body of a request that the hub answers itself.
        case collecting([UInt8], HubTask)
        /// The answer is being made.
        case answering
        /// The answer is a stream of events.
        case streaming(ServeStream)
        case proxying(ForwardedRequest)
        case tunnel(GatewayTunnel)
        /// The last answer is written; closes once it has been sent or the client closes.
        case lingering
        case closed
    }

    let loop: ServeLoop
    let source: NetworkAddress
    private let ssl: NIOSSLHandler
    private(set) var context: ChannelHandlerContext?
    /// Precedes this handler in the pipeline.
    private(set) lazy var framing = RequestFramingHandler(self)
    var phase = Phase.waiting
    private(set) var client: RequestRouter.Client
    var hasBeenApproved = false
    /// Whether it may be closed for a newer connection of its device.
    let rest = ConnectionRest()
    var lastDevice: DescribedDevice?
    let timer: ConnectionTimer

    /// The current request; nil between an answer and the next head.
    var request: RequestHead?
    var requestHasEnded = true
    var keepsAlive = true
    /// True while the answer is made to a request that may revoke its own device: it is sent all the same.
    var isRevoking = false
    private(set) lazy var output = ClientOutput(framing)
    /// True while the next request waits until the client has read answers.
    var isHeldByAnswers = false

    /// The maximum size of a head from an unapproved client in bytes: it needs no cookies.
    private static let strangerHeadByteCount = 8_192
    /// How many bytes of answers wait for an unapproved client, and for a device: then no request is read.
    static let strangerWaterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 2_048, high: 8_192)
    static let deviceWaterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32_768, high: 65_536)

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

    /// False while bytes from the client cannot be passed on, or while it does not read its answers.
    var mayReadRequest: Bool {
        switch phase {
        case .proxying(let forwarded): forwarded.mayReadClient
        case .deciding: false
        default: isWritable
        }
    }

    var isDeciding: Bool { if case .deciding = phase { true } else { false } }

    /// Allowed between a request and its answer, but only for devices: it avoids deregistering and
    /// registering the socket with the selector for every request.
    var mayReadAhead: Bool { hasBeenApproved }

    /// The maximum size of a request's head in bytes.
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
            // Not taken from the verification callback, which is not called for a resumed session: the
            // session holds the certificate.
            client.certificate =
                switch ssl.peerCertificate {
                case nil: .none
                case let certificate?:
                    Pin(device: certificate).map { .device($0) } ?? .otherKey(Pin.otherKey(of: certificate))
                }
            recognize()
            timer.start(.idle, idleTime)
            // BoringSSL sends nothing at this point, so the TCP acknowledgement would be delayed by 40 ms,
            // and with it the first request of every client that uses Nagle's algorithm (tcp(7)).
            context.channel.acknowledgeAtOnce()
            if loop.isDraining { close() }
        case ChannelEvent.inputClosed:
            if case .tunnel(let tunnel) = phase { tunnel.clientInputClosed() } else { close() }
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOSSLError.uncleanShutdown: return  // the connection ends next
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
        case .proxying(let forwarded): forwarded.clientWritabilityChanged()
        case .tunnel(let tunnel): tunnel.clientWritabilityChanged()
        case .streaming(let stream): stream.clientWritabilityChanged()
        case .waiting where isHeldByAnswers && isWritable:
            isHeldByAnswers = false
            framing.startNext()
        default: if isWritable { framing.resumeReading() }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .proxying(let forwarded) = phase { forwarded.clientReadComplete() }
    }

    // MARK: The device

    /// The maximum time between two requests.
    var idleTime: TimeAmount {
        let limits = shared.limits
        return hasBeenApproved || client.isTrustedProxy
            ? limits.idle : min(limits.idle, limits.strangerIdle)
    }

    /// From the handshake on, an approved device's connection is never displaced by others.
    private func recognize() {
        guard let pin = client.pin, case .approved(let device) = access(of: pin) else { return }
        enter(device)
    }

    /// The access of the device with this pin, now.
    ///
    /// Who has the hub's own key may read all of its files. That is the doctor on this machine: it learns
    /// from the hub how the upstream is, since a stock server must not be asked by two at once. The key
    /// counts in the handshake alone: the certificate, which a proxy hands on, is public.
    func access(of pin: Pin) -> RequestRouter.Access {
        if isDoctor, pin == shared.itself.pin { return .approved(shared.itself) }
        return shared.devices.access(of: pin)
    }

    private var isDoctor: Bool { !client.isTrustedProxy && client.pin == shared.itself.pin }

    // MARK: The end

    /// Closes to make room for another connection, without TLS's close_notify.
    func giveWay() {
        guard let transport = try? context?.pipeline.syncOperations.context(handler: ssl) else {
            return close()
        }
        framing.discard()
        end()
        transport.close(promise: nil)
    }

    /// Closes at once. TLS waits a while for the client's close_notify; other bytes are discarded meanwhile.
    func close() {
        framing.discard()
        end()
        context?.close(promise: nil)
    }

    /// Closes once everything written has been sent.
    func drain() {
        switch phase {
        case .waiting where !framing.isInsideHead, .tunnel, .streaming: close()
        default: keepsAlive = false
        }
    }

    /// Closes the connection if its device had access and has lost it, or if its role does not allow any more
    /// what the connection is passing on.
    func closeUnlessStillApproved() {
        guard hasBeenApproved, let pin = client.pin else { return }
        guard case .approved(let device) = access(of: pin) else {
            if isRevoking {
                // The connection closes after the answer, and no other request is read.
                keepsAlive = false
                return
            }
            shared.log.notice(
                "closed a connection of \(pin.fingerprint) from \(source): no longer approved")
            return close()
        }
        if let current, !shared.router.allows(current, of: device, guests: shared.guests.verdict) {
            shared.log.notice(
                "closed a connection of \(pin.fingerprint) from \(source): its role no longer allows it")
            return close()
        }
        watchExpiry(of: device)
    }

    /// The request that the upstream is answering, that has become another protocol, or whose answer is a
    /// stream.
    private var current: RequestHead? {
        switch phase {
        case .proxying, .tunnel, .streaming: request
        default: nil
        }
    }

    /// Notes that its device is here; a proxy's requests are noted one by one.
    func noteDevice() {
        guard hasBeenApproved, !client.isTrustedProxy, !isDoctor, let pin = client.pin else { return }
        shared.seen.note(pin, from: source)
    }

    /// Sends the answers once all received bytes have been processed.
    ///
    /// - Parameter isInsideHead: true if part of a head has arrived.
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
            if case .proxying(let forwarded) = phase { forwarded.noteTimeout() }
            refuse(.upstreamTimeout)
        // The hub itself has paused reading until the client reads its answers; `stall` limits that time.
        case .head where framing.isHeld: timer.start(.head, shared.limits.head)
        case .body where mayTakeLonger: timer.start(.body, shared.limits.body)
        case .head, .body:
            shared.log.warning(.slow, "closed a connection from \(source): its request took too long")
            refuse(.timeout)
        }
    }

    /// True if a forwarded body arrives fast enough, or if the upstream is the slow side.
    private var mayTakeLonger: Bool {
        guard case .proxying(let forwarded) = phase else { return false }
        let keepsPace = forwarded.clientKeepsPace
        return keepsPace || framing.isHeld
    }

    /// Restarts the deadline when reading resumes: the pause does not count.
    func noteReading() {
        if case .proxying = phase, timer.isRunning(.body) { timer.start(.body, shared.limits.body) }
    }

    private func end() {
        if case .closed = phase { return }
        let last = phase
        noteDevice()
        phase = .closed
        timer.cancel()
        switch last {
        case .proxying(let forwarded): forwarded.cancel()
        case .tunnel(let tunnel): tunnel.clientClosed()
        case .streaming(let stream): stream.cancel()
        default: break
        }
        loop.remove(self)
    }
}
