import Discovery
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import Pairing
import PinnedTLS

/// One client's connection: takes its requests one after the other, answers the hub's own pages, and hands
/// everything else to a `GatewayExchange`.
///
/// Who the client is follows from its certificate in the handshake; what it may do is looked up anew for every
/// request, and again when the keyfile changes.
final class ServeConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    enum Phase {
        /// For the head of a request.
        case waiting
        /// The rest of the request is thrown away, so many bytes at most; then the reply goes out.
        case refusing(ServeReply, left: Int)
        /// A pairing request's body.
        case collecting([UInt8])
        /// The pairing is under way.
        case answering
        case proxying(GatewayExchange)
        case tunnel(GatewayTunnel)
        /// Everything is said; closes when it is written, or when the client does.
        case lingering
        case closed
    }

    /// The most bytes of a refused request's body that are read to keep the connection.
    private static let discardedByteCount = 65_536

    let loop: ServeLoop
    let source: NetworkAddress
    private let ssl: NIOSSLHandler
    private(set) var context: ChannelHandlerContext?
    /// Stands before this handler in the pipeline.
    private(set) lazy var framing = RequestFramingHandler(self)
    var phase = Phase.waiting
    private var pin: Pin?
    private var hasBeenApproved = false
    private var lastDevice: ServeDevice?
    let timer: ConnectionTimer

    /// The request at hand.
    private(set) var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
    private(set) var requestHasEnded = true
    /// False between the answer to a request and the head of the next one.
    private var hasRequest = false
    private var keepsAlive = true

    init(loop: ServeLoop, source: NetworkAddress, ssl: NIOSSLHandler) {
        self.loop = loop
        self.source = source
        self.ssl = ssl
        timer = ConnectionTimer(loop.eventLoop)
    }

    var shared: ServeShared { loop.shared }
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// False while what the client sends cannot be passed on.
    var mayReadRequest: Bool {
        if case .proxying(let exchange) = phase { exchange.mayReadClient } else { true }
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
            pin = ssl.peerCertificate.flatMap(Pin.init(device:))
            timer.start(.idle, shared.limits.idle)
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
        case is HTTPParserError: refuse(.malformed)
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
        default: break
        }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): take(head)
        case .body(let bytes): take(bytes)
        case .end(let trailers): takeEnd(trailers)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if case .proxying(let exchange) = phase { exchange.clientReadComplete() }
    }

    // MARK: A request

    private func take(_ head: HTTPRequestHead) {
        guard case .waiting = phase else { return }
        request = head
        requestHasEnded = false
        hasRequest = true
        keepsAlive = head.isKeepAlive && !loop.isDraining && !GatewayHeaders.endsHTTP(head)
        timer.stop()
        switch GatewayPath(target: head.uri) {
        case .own(let endpoint): take(head, for: endpoint)
        case .withheld: answer(.notFound)
        case .upstream: pass(head)
        }
    }

    private func take(_ head: HTTPRequestHead, for endpoint: ServeEndpoint) {
        guard endpoint.methods.contains(head.method.rawValue) else {
            return answer(.wrongMethod(for: endpoint))
        }
        switch endpoint {
        case .pair:
            phase = .collecting([])
            timer.start(.body, shared.limits.smallBody)
            if expectsContinue { writeContinue() }
        case .hub: answer(shared.hub)
        case .device: answer(device())
        case .verify: answer(verified(head))
        }
    }

    private func pass(_ head: HTTPRequestHead) {
        guard head.method != .TRACE else { return answer(.methodNotAllowed) }
        guard let pin else { return answer(.noCertificate) }
        switch shared.devices.access(of: pin, at: Date()) {
        case .unreadable: return answer(.unreadable)
        case .unknown: return answer(.stranger)
        case .refused(_, let verdict): return answer(.refused(verdict))
        case .approved(let device):
            hasBeenApproved = true
            watchExpiry(of: device)
            guard let upstream = shared.upstream else { return answer(.noUpstream) }
            let body = BodyFraming(request: head.headers)
            if case .length(let count) = body, count > shared.limits.bodyByteCount {
                return answer(.tooLarge(shared.limits.bodyByteCount))
            }
            let exchange = GatewayExchange(
                self, request: head, from: described(device), body: body, authority: upstream.authority)
            phase = .proxying(exchange)
            if body != .none { timer.start(.body, shared.limits.body) }
            exchange.start()
        }
    }

    /// What is written of a device into headers, made once for many requests.
    private func described(_ device: ApprovedDevice) -> ServeDevice {
        if let last = lastDevice, last.device == device { return last }
        let described = ServeDevice(device)
        lastDevice = described
        return described
    }

    /// Looks again when the approval expires, which changes no file; and in an hour, since the clock may be set.
    private func watchExpiry(of device: ApprovedDevice) {
        guard let expires = device.expires else { return timer.clear(.expiry) }
        let seconds = min(3600, max(0, expires.timeIntervalSinceNow))
        timer.start(.expiry, .milliseconds(Int64(seconds * 1000) + 1))
    }

    private func device() -> ServeReply {
        guard let pin else { return .noCertificate }
        switch shared.devices.access(of: pin, at: Date()) {
        case .unreadable: return .unreadable
        case .unknown: return .stranger
        case .approved(let device): return ServeReply(device, verdict: .approved)
        case .refused(let device, let verdict): return ServeReply(device, verdict: verdict)
        }
    }

    private func verified(_ head: HTTPRequestHead) -> ServeReply {
        let isFromProxy = shared.isTrustedProxy(source)
        guard let pin = ServeVerify.pin(head.headers, own: pin, isFromTrustedProxy: isFromProxy) else {
            return .notVerified
        }
        switch shared.devices.access(of: pin, at: Date()) {
        case .unreadable: return .unreadable
        case .unknown, .refused: return .notVerified
        case .approved(let device):
            let device = described(device)
            return ServeReply(.noContent, json: []).with(GatewayHeaders.device, device.fingerprint)
                .with(GatewayHeaders.name, device.encodedName)
        }
    }

    private func take(_ bytes: ByteBuffer) {
        switch phase {
        case .refusing(let reply, let left):
            guard bytes.readableBytes <= left else { return refuse(reply) }
            phase = .refusing(reply, left: left - bytes.readableBytes)
        case .collecting(var body):
            phase = .waiting  // so that the array is not copied
            let room = PairRequest.maximumByteCount + 1 - body.count
            body.append(contentsOf: bytes.readableBytesView.prefix(room))
            // One byte too many is enough to be refused; the rest of a large body is not waited for.
            guard body.count <= PairRequest.maximumByteCount else { return pair(body) }
            phase = .collecting(body)
        case .proxying(let exchange):
            timer.start(.body, shared.limits.body)
            exchange.clientBody(bytes)
        default: break
        }
    }

    private func takeEnd(_ trailers: HTTPHeaders?) {
        requestHasEnded = true
        switch phase {
        case .refusing(let reply, _): respond(reply)
        case .collecting(let body): pair(body)
        case .proxying(let exchange):
            timer.start(.upstream, shared.limits.upstream)
            exchange.clientEnd(trailers)
        default: break
        }
    }

    private func pair(_ body: [UInt8]) {
        phase = .answering
        timer.stop()
        let (pairing, pin, source) = (shared.pairing, pin, source)
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let answer = await pairing.answer(body, devicePin: pin, source: source)
            eventLoop.execute { connection.value.finishPairing(answer) }
        }
    }

    private func finishPairing(_ answer: PairingAnswer) {
        if let event = answer.event {
            if answer.status < 300 {
                shared.log.info("\(source): \(event)")
            } else {
                shared.log.warning(.pairing, event)
            }
        }
        guard case .answering = phase else { return }
        let reply = ServeReply(HTTPResponseStatus(statusCode: answer.status), json: answer.body)
        if requestHasEnded { respond(reply) } else { refuse(reply) }
    }

    private var expectsContinue: Bool {
        request.version == .http1_1 && request.headers.first(name: "expect")?.lowercased() == "100-continue"
    }

    private func writeContinue() {
        write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
        flush()
    }

    // MARK: Answers

    /// Answers when the request has been read to its end, if that is near; else at once.
    func answer(_ reply: ServeReply) {
        let body = BodyFraming(request: request.headers)
        let isNear =
            switch body {
            case .length(let count): count <= ServeConnection.discardedByteCount
            default: true
            }
        guard isNear, !expectsContinue || body == .none else { return refuse(reply) }
        phase = .refusing(reply, left: ServeConnection.discardedByteCount)
        if requestHasEnded { return respond(reply) }
        timer.start(.body, shared.limits.smallBody)
    }

    /// Answers at once, reads no more requests, and closes.
    func refuse(_ reply: ServeReply) {
        switch phase {
        case .lingering, .closed, .tunnel: return
        case .proxying(let exchange):
            phase = .waiting
            exchange.cancel()
            guard !exchange.responseHasStarted else { return close() }
        default: break
        }
        keepsAlive = false
        respond(reply)
    }

    private func respond(_ reply: ServeReply) {
        if let word = reply.word {
            let what = hasRequest ? "\(request.method.rawValue) \(request.uri.prefix(200))" : "a request"
            shared.log.warning(
                .refusal(Int(reply.status.code)),
                "\(source): \(what) was answered with \(reply.status.code): \(word)")
        }
        var headers = HTTPHeaders(reply.headers)
        if reply.status != .noContent {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(reply.body.readableBytes))
        }
        headers.add(name: "Cache-Control", value: "no-store")
        writeHead(HTTPResponseHead(version: .http1_1, status: reply.status, headers: headers))
        if reply.body.readableBytes > 0, !hasRequest || request.method != .HEAD {
            write(.body(.byteBuffer(reply.body)))
        }
        write(.end(nil))
        finish()
    }

    /// Writes the head of a final response, and says in it whether the connection stays.
    func writeHead(_ head: HTTPResponseHead) {
        var head = head
        if !keepsAlive {
            head.headers.add(name: "Connection", value: "close")
        } else if request.version == .http1_0 {
            head.headers.add(name: "Connection", value: "keep-alive")
        }
        write(.head(head))
    }

    func write(_ part: HTTPServerResponsePart) { context?.write(wrapOutboundOut(part), promise: nil) }
    func flush() { context?.flush() }

    /// The response will end with the connection.
    func closeAfterResponse() { keepsAlive = false }

    /// The response is written: waits for the next request, or closes.
    func finish() {
        hasRequest = false
        if keepsAlive, requestHasEnded {
            phase = .waiting
            flush()
            timer.start(.idle, shared.limits.idle)
            framing.startNext()
            if loop.isDraining, case .waiting = phase { close() }
            return
        }
        phase = .lingering
        let mayCloseAtOnce = requestHasEnded
        // A connection that is closed with bytes unread is reset, and the answer lost with it: so a client that
        // still sends gets the time to read the answer first.
        timer.start(.linger, mayCloseAtOnce ? shared.limits.stall : .seconds(2))
        framing.discard()
        framing.whenWritten { [weak self] in
            if mayCloseAtOnce { self?.close() }
        }
    }

    // MARK: The end

    /// Closes at once. TLS waits a while for the client's own goodbye; nothing that comes meanwhile counts.
    func close() {
        framing.discard()
        end()
        context?.close(promise: nil)
    }

    /// Closes, after what is written has gone out.
    func drain() {
        switch phase {
        case .waiting where framing.isInsideHead != true, .tunnel: close()
        default: keepsAlive = false
        }
    }

    /// Closes the connection of a device that came in and may no longer.
    func closeUnlessStillApproved() {
        guard hasBeenApproved, let pin else { return }
        if case .approved(let device) = shared.devices.access(of: pin, at: Date()) {
            return watchExpiry(of: device)
        }
        shared.log.notice("closed a connection of \(pin.fingerprint) from \(source): no longer approved")
        close()
    }

    /// Part of a head has come, or none.
    func noteHead(isPartial: Bool) {
        guard case .waiting = phase, isPartial, !timer.isRunning(.head) else { return }
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
            shared.noteUpstream(fault: "no response in time")
            refuse(.upstreamTimeout)
        case .body where framing.isHeld == true:
            timer.start(.body, shared.limits.body)  // it is the upstream that is slow
        case .head, .body:
            shared.log.warning(.slow, "closed a connection from \(source): its request took too long")
            refuse(.timeout)
        }
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

extension ServeReply {
    /// What a device is told of itself.
    fileprivate init(_ device: ApprovedDevice, verdict: DeviceVerdict) {
        self =
            DeviceDescription(device, verdict: verdict).map { ServeReply(.ok, json: $0.serialized) }
            ?? .stranger
    }
}
