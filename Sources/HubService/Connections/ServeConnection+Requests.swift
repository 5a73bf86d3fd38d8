import GatewayRules
import NIOCore
import NIOHTTP1
import Pairing
import Synchronization

// Carries out the router's decision for a request.
extension ServeConnection {
    func take(_ head: RequestHead) {
        guard case .waiting = phase, rest.begin() else { return }
        request = head
        requestHasEnded = false
        keepsAlive = head.keepsAlive && !loop.isDraining
        timer.stop()
        act(on: head, guests: shared.guests.verdict)
    }

    private func act(on head: RequestHead, guests: (String) -> GuestVerdict?) {
        let action = shared.router.action(for: head, from: client, guests: guests) {
            access(of: $0)
        }
        switch action {
        case .ask(let appliance): ask(about: appliance, for: head)
        case .pair(let asksForBody): collect(for: .pair, asksForBody: asksForBody)
        case .serve(let resource, let device, let asksForBody):
            guard enter(device) else { return refuse(.tooManyConnections) }
            collect(for: .serve(ResourceRequest(resource, head, from: device)), asksForBody: asksForBody)
        case .answer(let answer, let rest, let device):
            if let device, !enter(device) { return refuse(.tooManyConnections) }
            send(reply(answer, to: head), rest)
        case .forward(let device):
            guard enter(device) else { return refuse(.tooManyConnections) }
            forward(head, from: device)
        }
    }

    /// Finds out whether guests may set an appliance. Nothing of the request goes on until that is known.
    private func ask(about appliance: String, for head: RequestHead) {
        phase = .deciding
        let guests = shared.guests
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task {
            let verdict = await guests.ask(about: appliance)
            eventLoop.execute { connection.value.decide(head, verdict) }
        }
    }

    private func decide(_ head: RequestHead, _ verdict: GuestVerdict) {
        guard case .deciding = phase else { return }
        phase = .waiting
        // The device's role and approval are looked up again: they may have changed meanwhile.
        act(on: head) { _ in verdict }
        framing.goOn()
    }

    private func reply(_ answer: RequestRouter.Answer, to head: RequestHead) -> ServeReply {
        switch answer {
        case .hub: shared.hub
        case .device(let device, let verdict): ServeReply(device, verdict: verdict)
        case .verified(let device): ServeReply(verified: described(device).fields)
        case .pairingTooLarge(let count):
            ServeReply(.payloadTooLarge, json: PairRefusal(PairMessageError.tooLarge(count)).serialized)
        case .page(let file): ServeReply(file, to: head)
        case .refusal(let refusal):
            StrangerPage(refusal, hub: shared.page, to: head).map { ServeReply(refusal, page: $0) }
                ?? ServeReply(refusal)
        }
    }

    /// Collects the body of a request that the hub answers itself.
    private func collect(for task: HubTask, asksForBody: Bool) {
        phase = .collecting([], task)
        timer.start(.body, shared.limits.smallBody)
        if asksForBody {
            output.write("HTTP/1.1 100 Continue\r\n\r\n")
            output.flush()
        }
    }

    private func forward(_ head: RequestHead, from device: ApprovedDevice) {
        // Unreachable: the router forwards only if there is an upstream.
        guard let upstream = shared.upstream else { return close() }
        let forwarded = ForwardedRequest(
            self, on: loop, to: shared.link, through: loop.pool, request: head, from: described(device),
            authority: upstream.authority)
        phase = .proxying(forwarded)
        if head.body.hasBytes { timer.start(.body, shared.limits.body) }
        forwarded.start()
    }

    /// Counts the connection as the device's own; it is closed when the device loses access.
    ///
    /// - Returns: false if the device has too many connections in use.
    @discardableResult
    func enter(_ device: ApprovedDevice) -> Bool {
        watchExpiry(of: device)
        if client.isTrustedProxy { shared.seen.note(device.pin, from: source) }
        guard !hasBeenApproved, let channel = context?.channel else { return hasBeenApproved }
        let (limits, rest) = (shared.limits, rest)
        let approval = shared.connections.withLock {
            $0.approve(ConnectionKey(channel: channel), as: device.pin, limits: limits) { rest.leave() }
        }
        switch approval {
        case .counted: break
        case .countedFor(let other): ConnectionLimiter.retire(other.channel)
        case .refused:
            shared.log.warning(
                .limit,
                "\(device.fingerprint) from \(source) has \(limits.connectionsPerSource) connections in use "
                    + "already")
            return false
        }
        hasBeenApproved = true
        try? channel.syncOptions?.setOption(.writeBufferWaterMark, value: ServeConnection.deviceWaterMark)
        noteDevice()
        return true
    }

    /// The header fields that identify a device, cached across requests.
    private func described(_ device: ApprovedDevice) -> DescribedDevice {
        if let last = lastDevice, last.device == device { return last }
        let described = DescribedDevice(device)
        lastDevice = described
        return described
    }

    /// Checks the approval again when it expires, because no file changes then; after at most an hour,
    /// because the clock may be changed.
    func watchExpiry(of device: ApprovedDevice) {
        guard let left = shared.devices.secondsLeft(of: device) else { return timer.clear(.expiry) }
        let seconds = min(3600, max(0, left))
        timer.start(.expiry, .milliseconds(Int64(seconds * 1000) + 1))
    }

    func take(_ bytes: ByteBuffer) {
        switch phase {
        case .refusing(let reply, let left):
            guard bytes.readableBytes <= left else { return refuse(reply) }
            phase = .refusing(reply, left: left - bytes.readableBytes)
        case .collecting(var body, let task):
            phase = .waiting  // so that the array is not copied
            let room = task.maximumByteCount + 1 - body.count
            body.append(contentsOf: bytes.readableBytesView.prefix(room))
            // One byte too many is enough to refuse the request; the rest is not awaited.
            guard body.count <= task.maximumByteCount else { return carryOut(task, body) }
            phase = .collecting(body, task)
        case .proxying(let forwarded): forwarded.clientBody(bytes)
        default: break
        }
    }

    func takeEnd(_ trailers: FieldBlock) {
        requestHasEnded = true
        switch phase {
        case .refusing(let reply, _): respond(reply)
        case .collecting(let body, let task): carryOut(task, body)
        case .proxying(let forwarded): forwarded.clientEnd(trailers)
        default: break
        }
    }

    private func carryOut(_ task: HubTask, _ body: [UInt8]) {
        switch task {
        case .pair: pair(body)
        case .serve(let request): serve(request, body)
        }
    }

    private func serve(_ request: ResourceRequest, _ body: [UInt8]) {
        guard body.count <= HubResource.maximumBodyByteCount else {
            return refuse(ServeReply(.tooLarge(limit: HubResource.maximumBodyByteCount)))
        }
        var request = request
        request.body = body
        phase = .answering
        isRevoking = request.mayRevoke
        timer.stop()
        let resources = shared.resources
        let connection = NIOLoopBound(self, eventLoop: loop.eventLoop)
        let eventLoop = loop.eventLoop
        Task { [request] in
            let answer = await resources.answer(request)
            eventLoop.execute { connection.value.finishServing(answer, to: request.device.pin) }
        }
    }

    private func finishServing(_ answer: ResourceAnswer, to device: Pin) {
        guard case .answering = phase else { return }
        // The device may have lost its approval or its role while the answer was being made.
        closeUnlessStillApproved()
        guard case .answering = phase else { return }
        if keepsAlive { isRevoking = false }
        switch answer {
        case .reply(let reply): if requestHasEnded, !reply.closes { respond(reply) } else { refuse(reply) }
        case .events(let events):
            let desk = shared.desk
            let stream = ServeStream(
                events, to: self, on: loop.eventLoop, isChunked: request?.isHTTP10 != true
            ) { desk.hold($0, for: device) }
            if request?.isHTTP10 == true { keepsAlive = false }
            phase = .streaming(stream)
            stream.start()
        }
    }

    private func pair(_ body: [UInt8]) {
        phase = .answering
        timer.stop()
        let (pairing, pin, source) = (shared.pairing, client.pin, source)
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
                shared.log.warning(answer.status < 500 ? .pairing : .fault, event)
            }
        }
        guard case .answering = phase else { return }
        let reply = ServeReply(HTTPResponseStatus(statusCode: answer.status), json: answer.body)
        if requestHasEnded { respond(reply) } else { refuse(reply) }
    }

    // MARK: Answers

    /// Answers after reading the rest of the request, or at once.
    private func send(_ reply: ServeReply, _ rest: RequestRouter.RestOfRequest) {
        guard rest == .discarded else { return refuse(reply) }
        phase = .refusing(reply, left: RequestRouter.discardedByteCount)
        if requestHasEnded { return respond(reply) }
        timer.start(.body, shared.limits.smallBody)
    }

    /// Answers at once, reads no further request, and closes.
    func refuse(_ reply: ServeReply) {
        switch phase {
        case .lingering, .closed, .tunnel: return
        case .proxying(let forwarded):
            guard !forwarded.answerHasStarted else { return close() }
            phase = .waiting
            forwarded.cancel()
        default: break
        }
        keepsAlive = false
        respond(reply)
    }

    private func respond(_ reply: ServeReply) {
        if let word = reply.word {
            // Without the query, which may contain secrets.
            let what = request.map { "\($0.method) \($0.path.prefix(200))" } ?? "a request"
            shared.log.warning(
                .refusal(Int(reply.status.code)),
                "\(source): \(what) was answered with \(reply.status.code): \(word)")
            // Not of an approved device with too many connections, which is no stranger.
            if !hasBeenApproved, word != ServeReply.tooManyConnections.word,
                [401, 403, 429].contains(reply.status.code)
            {
                shared.alerts.noteRefusal(from: "\(source)")
            }
        }
        output.write(reply.serialized(connection: connectionOption, withBody: request?.method != "HEAD"))
        if let hold = reply.hold { keep(hold) }
        finish()
    }

    /// The value of `Connection` in the answer to the current request; nil to omit it.
    var connectionOption: String? {
        if !keepsAlive { return "close" }
        return request?.isHTTP10 == true ? "keep-alive" : nil
    }

    /// Called after the response: waits for the next request, or closes.
    func finish() {
        request = nil
        if keepsAlive, requestHasEnded {
            phase = .waiting
            timer.start(.idle, idleTime)
            rest.rest()
            startNext()
            return
        }
        linger()
    }

    /// Closes between two requests, after the answers, for a newer connection of the same device.
    func retire() {
        guard case .waiting = phase else { return }
        linger()
    }

    private func linger() {
        phase = .lingering
        let mayCloseAtOnce = requestHasEnded
        // Closing a connection with unread bytes resets it, and the answer is lost. So a client that still
        // sends gets time to read the answer.
        timer.start(.linger, mayCloseAtOnce ? shared.limits.stall : .seconds(2))
        framing.discard()
        output.handOn()
        framing.whenWritten { [weak self] in
            if mayCloseAtOnce { self?.close() }
        }
    }

    /// Processes the next request if the client reads its answers.
    ///
    /// Otherwise a client that sends requests and never reads would make the hub hold every answer: no
    /// request is read while more than the channel's high-water mark waits to be sent.
    private func startNext() {
        if output.isFull || !framing.isFeedingRequests { output.flush() }
        guard isWritable else {
            isHeldByAnswers = true
            return
        }
        if loop.isDraining {
            output.flush()
            return close()
        }
        framing.startNext()
    }
}

// The functions that a forwarded request and a stream of events need.
extension ServeConnection: StreamClient {
    func write(_ bytes: [UInt8]) { output.write(bytes) }
    func write(_ text: String) { output.write(text) }
    func write(_ bytes: ByteBuffer) { output.write(bytes) }
    func flush() { output.flush() }
    func keep(_ hold: AnswerHold) {
        output.handOn()
        framing.whenWritten { withExtendedLifetime(hold) {} }
    }
    func resumeReading() { framing.resumeReading() }
    func startAnswerTimer() { timer.start(.upstream, shared.limits.upstream) }
    func stopTimer() { timer.stop() }
    func closeAfterAnswer() { keepsAlive = false }

    func join(_ upstream: UpstreamConnection) {
        let tunnel = GatewayTunnel(framing, upstream)
        phase = .tunnel(tunnel)
        output.flush()
        try? context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        timer.stop()
        tunnel.open()
    }
}
