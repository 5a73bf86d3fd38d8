import Addresses
import GatewayRules
import NIOCore
import NIOSSL
import NIOTLS
import Pairing
import PinnedTLS

/// One client's connection: it carries out what ``ClientMachine`` decides, answers requests for the hub's own
/// endpoints, and passes all others to a `ForwardedRequest`.
///
/// The client certificate of the handshake identifies the device, or of a browser without one the session of
/// each request. Its access is looked up again for every request, and whenever the keyfile changes.
final class ServeConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// What the hub does itself with a request's body.
    enum HubTask {
        case pair
        case session
        /// The device takes its own approval back.
        case leave(ApprovedDevice)
        case serve(ResourceRequest)
        /// The house answers for a thing of a joined server.
        case house(RequestHead, ApprovedDevice)

        var maximumByteCount: Int {
            switch self {
            case .pair, .session: PairRequest.maximumByteCount
            case .leave: 0
            case .serve, .house: HubResource.maximumBodyByteCount
            }
        }

        var mayRevoke: Bool {
            switch self {
            case .serve(let request): request.mayRevoke
            case .leave: true
            case .pair, .session, .house: false
            }
        }
    }

    /// What belongs to the current request in its phase.
    enum Work {
        case none
        case reply(ServeReply)
        case task(HubTask, [UInt8])
        case exchange(ForwardedRequest)
        case stream(ServeStream)
        case tunnel(GatewayTunnel)
    }

    let loop: ServeLoop
    let source: NetworkAddress
    /// True if a relay has brought it: then the source is the relay's word.
    let isRelayed: Bool
    /// The service at whose port it is; nil: at the hub's own.
    let service: ServedService?
    private let ssl: NIOSSLHandler
    /// Nil if the hub has one key only.
    private let asked: AskedKey?
    private(set) var context: ChannelHandlerContext?
    /// Precedes this handler in the pipeline.
    private(set) lazy var framing = RequestFramingHandler(self)
    var machine: ClientMachine
    var work = Work.none
    var client: RequestRouter.Client
    /// The certificate of the handshake.
    private(set) var certificate = RequestRouter.Client.Certificate.none
    /// True if the current or last request counts for a session's device.
    var hasSession = false
    /// Whether it may be closed for a newer connection of its device.
    let rest = ConnectionRest()
    var lastDevice: DescribedDevice?
    /// What was last found of the device's access.
    var found: DeviceAccess.Found?
    /// When the head of the current request had come; nil before it, and once its answer has begun.
    private var began: NIODeadline?
    let timer: ConnectionTimer
    private(set) lazy var output = ClientOutput(framing)

    /// How many bytes of answers wait for an unapproved client, and for a device: then no request is read.
    static let strangerWaterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 2_048, high: 8_192)
    static let deviceWaterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32_768, high: 65_536)

    init(
        loop: ServeLoop, source: NetworkAddress, isRelayed: Bool = false, isBalanced: Bool = false,
        service: ServedService? = nil, ssl: NIOSSLHandler, asked: AskedKey? = nil
    ) {
        self.loop = loop
        self.source = source
        self.isRelayed = isRelayed
        (self.service, self.ssl, self.asked) = (service, ssl, asked)
        // Who comes by a relay or a balancer from a proxy's address must not speak for other devices.
        client = RequestRouter.Client(
            certificate: .none,
            isTrustedProxy: !isRelayed && !isBalanced && loop.shared.isTrustedProxy(source))
        machine = ClientMachine(isTrustedProxy: client.isTrustedProxy)
        timer = ConnectionTimer(loop.eventLoop)
    }

    var shared: ServerContext { loop.shared }
    /// True if the client was shown the key that the hub had before.
    var showsOldKey: Bool { asked?.isOld ?? false }
    var router: RequestRouter { service?.standing.router ?? shared.router }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// True if what the request or the connection has become takes further bytes from the client.
    var mayPass: Bool {
        switch work {
        case .exchange(let exchange): exchange.mayReadClient
        case .tunnel(let tunnel): tunnel.mayReadClient
        case .none, .reply, .task, .stream: true
        }
    }

    // MARK: Figures

    func noteRequest() { began = .now() }

    /// The head of an answer is written.
    func noteAnswer(_ status: Int, by answerer: ServeMetrics.Answerer) {
        shared.metrics.note(status: status, by: answerer, since: began)
        began = nil
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
            certificate =
                switch ssl.peerCertificate {
                case nil: .none
                case let certificate?:
                    Pin(device: certificate).map { .device($0) } ?? .otherKey(Pin.otherKey(of: certificate))
                }
            client.certificate = certificate
            recognize()
            timer.start(.idle, idleTime)
            // BoringSSL sends nothing at this point, so the TCP acknowledgement would be delayed by 40 ms,
            // and with it the first request of every client that uses Nagle's algorithm (tcp(7)).
            context.channel.acknowledgeAtOnce()
            if loop.isDraining { close() }
        case ChannelEvent.inputClosed:
            if case .tunnel(let tunnel) = work { tunnel.clientInputClosed() } else { close() }
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
        switch work {
        case .exchange(let exchange): exchange.clientWritabilityChanged()
        case .tunnel(let tunnel): tunnel.clientWritabilityChanged()
        case .stream(let stream): stream.clientWritabilityChanged()
        case .none, .reply, .task:
            guard isWritable else { break }
            if machine.isHeldByAnswers { startNext() } else { framing.resumeReading() }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelReadComplete(context: ChannelHandlerContext) { exchange?.clientReadComplete() }

    // MARK: The end

    /// Closes to make room for another connection, without TLS's close_notify.
    func giveWay() {
        guard let transport = try? context?.pipeline.syncOperations.context(handler: ssl) else {
            return close()
        }
        end()
        transport.close(promise: nil)
    }

    /// Closes at once. TLS waits a while for the client's close_notify; other bytes are discarded meanwhile.
    func close() {
        end()
        context?.close(promise: nil)
    }

    /// Closes once everything written has been sent.
    func drain() { carryOut(machine.drain(hasPending: framing.hasPending)) }

    /// Sends the answers once all received bytes have been processed.
    func requestsAreRead() {
        if !output.isEmpty { output.flush() }
        guard machine.phase == .waiting, machine.isInsideHead(hasPending: framing.hasPending),
            !timer.isRunning(.head)
        else { return }
        timer.start(.head, shared.limits.head)
    }

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
            exchange?.noteTimeout()
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
        guard let exchange else { return false }
        let keepsPace = exchange.clientKeepsPace
        return keepsPace || framing.isHeld
    }

    /// Restarts the deadline when reading resumes: the pause does not count.
    func noteReading() {
        if machine.phase == .forwarding, timer.isRunning(.body) { timer.start(.body, shared.limits.body) }
    }

    private func end() {
        guard machine.close() else { return }
        noteDevice()
        timer.cancel()
        switch work {
        case .exchange(let exchange): exchange.cancel()
        case .tunnel(let tunnel): tunnel.clientClosed()
        case .stream(let stream): stream.cancel()
        case .none, .reply, .task: break
        }
        work = .none
        framing.discard()
        loop.remove(self)
    }
}
