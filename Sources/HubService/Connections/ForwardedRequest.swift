import GatewayRules
import NIOCore
import Pairing

/// Carries out what ``ExchangeMachine`` decides for one request to the upstream and its answer. Both are
/// streamed, with backpressure in both directions.
final class ForwardedRequest: UpstreamAnswerReceiver {
    /// The client cancels this request before it is freed, so it exists until `isOver`; after that it must
    /// not be used.
    private unowned let client: ServeConnection
    /// How long to wait for the rest of a short body.
    private static let gatheringTime = TimeAmount.milliseconds(2)

    private let loop: ServeLoop
    private let link: UpstreamLink
    private let pool: GatewayPool
    /// The service that it is for; nil: the server behind the hub.
    private let service: ServedService?
    /// The gate's own for the browser.
    private let cookie: String?
    private let request: RequestHead
    private let device: DescribedDevice
    private var machine: ExchangeMachine
    private var upstream: UpstreamConnection?
    /// Its place at the upstream, or before that in the queue.
    private var turn: UpstreamTurn?
    private var sent = NIODeadline.distantPast
    /// When a reused connection was last used.
    private var lastUsed = NIODeadline.distantPast
    /// What has come of the body and is not sent yet.
    private var kept: [ByteBuffer] = []
    /// The answer as far as it has come, if the client gets it as a whole.
    private var held: ByteBuffer?
    private var noted: NotedRequest?

    /// - Parameters:
    ///   - link: leads to the upstream.
    ///   - service: the one that it is for; nil: the server behind the hub.
    ///   - cookie: the value of a `Set-Cookie` of the gate's own.
    init(
        _ client: ServeConnection, on loop: ServeLoop, to link: UpstreamLink, of service: ServedService?,
        request: RequestHead, from device: DescribedDevice, cookie: String?
    ) {
        (self.client, self.loop, self.link, self.service) = (client, loop, link, service)
        (self.request, self.device, self.cookie) = (request, device, cookie)
        pool = loop.pool(of: service)
        machine = ExchangeMachine(
            request, isExclusive: link.turns.isExclusive,
            limit: service?.maximumBody ?? loop.shared.limits.bodyByteCount)
        // What a service does is no affair of the household's.
        noted = service == nil ? NotedRequest(request) : nil
    }

    // MARK: The client's side

    func start() { carryOut(machine.start()) }

    var mayReadClient: Bool { machine.mayReadClient(isUpstreamWritable: upstream?.isWritable ?? false) }
    var answerHasStarted: Bool { machine.answerHasStarted }
    var clientKeepsPace: Bool { machine.clientKeepsPace(loop.shared.limits.bodyPaceByteCount) }

    func clientBody(_ bytes: ByteBuffer) {
        if !machine.isOver { noted?.take(bytes.readableBytesView) }
        carryOut(machine.clientBody(bytes.readableBytes, isKnown: link.isKnown), bytes)
    }

    func clientEnd(_ trailers: FieldBlock) {
        let action = machine.clientEnd(trailers)
        setDeadline()
        carryOut(action)
    }

    func clientReadComplete() {
        upstream?.flush()
        carryOut(machine.clientReadComplete())
    }

    func clientWritabilityChanged() { if client.isWritable { upstream?.resumeReading() } }

    /// The upstream has not answered in time, unless the client does not read.
    func noteTimeout() { if !machine.answerHasStarted || client.isWritable { link.noteTimeout() } }

    /// Called when the client is gone or gets another answer.
    func cancel() {
        carryOut(machine.cancel())
        leave()
    }

    private func setDeadline() {
        guard let isDue = machine.answerIsDue else { return }
        // A service may let a long poll wait for as long as it likes; whoever does not want to wait leaves.
        if isDue, service == nil {
            client.timer.start(.upstream, loop.shared.limits.upstream)
        } else {
            client.timer.stop()
        }
    }

    // MARK: The upstream's side

    var mayReadUpstream: Bool { machine.mayReadUpstream(isClientWritable: client.isWritable) }

    func upstreamHead(_ response: ResponseHead) {
        let action = machine.answerHead(response)
        switch action {
        case .begin, .beginSwitch:
            link.habits.noteAnswer(response, isReused: isReused)
            guard service == nil else { break }
            noted?.tell(loop.shared.orders, status: response.status, by: device.device)
            if request.mayChangeStates, response.status < 400 { link.noteOrder() }
            if RequestKind(request) == .changing { loop.shared.news.noteChange() }
        default: break
        }
        switch action {
        case .inform: write(response, framing: .none, connection: nil)
        case .beginSwitch:
            giveTurnBack()
            write(response, framing: .none, connection: "Upgrade", upgrade: request.upgrade ?? "websocket")
        case .begin(let framing, let isHeld, let closes):
            if isHeld { held = ByteBuffer() } else { giveTurnBack() }
            if closes { client.machine.closeAfterAnswer() }
            write(response, framing: framing, connection: client.machine.connectionOption)
        default: carryOut(action)
        }
    }

    private var isReused: Bool { lastUsed != .distantPast }

    /// The answer has begun; the deadline of a request that is not complete still applies.
    private func giveTurnBack() {
        link.noteAnswer()
        turn = nil
        setDeadline()
    }

    private func write(
        _ response: ResponseHead, framing: BodyFraming, connection: String?, upgrade: String? = nil
    ) {
        let standing = service?.standing
        if !response.isInformational || upgrade != nil {
            client.noteAnswer(response.status, by: standing?.answerer ?? .upstream)
        }
        let head =
            standing.map { standing in
                response.passedOn(
                    from: standing.rule, to: request.fields.onlyValue(.host), framing: framing,
                    connection: connection, upgrade: upgrade,
                    cookie: response.isInformational ? nil : cookie)
            }
            ?? response.forwarded(
                framing: framing, connection: connection, upgrade: upgrade, toBrowser: request.isOfBrowser)
        if held?.writeBytes(head) == nil { client.output.write(head) }
    }

    func upstreamBody(_ bytes: ByteBuffer) { carryOut(machine.answerBody(bytes.readableBytes), bytes) }
    func upstreamReadComplete() { if !machine.isOver { client.output.flush() } }
    func upstreamWritabilityChanged() { client.framing.resumeReading() }
    func upstreamHasSwitched() { carryOut(machine.answerSwitched()) }

    /// - Parameter leavesUsable: true if the answer allows another request on the connection.
    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool) {
        carryOut(machine.answerEnd(trailers, leavesUsable: leavesUsable))
    }

    /// The upstream's connection has ended or failed before the answer was complete.
    func upstreamClosed() {
        if machine.isUnansweredAfterReuse { link.habits.noteEnd(lastUsed: lastUsed) }
        upstream = nil
        carryOut(machine.upstreamEnded(nil))
    }

    /// The upstream's answer cannot be parsed.
    func upstreamFailed(_ fault: FramingError) {
        upstream = nil
        carryOut(machine.upstreamEnded(fault))
    }
}

// The actions.
extension ForwardedRequest {
    /// - Parameter bytes: the part of the body that has just come, from either side.
    private func carryOut(_ action: ExchangeMachine.Action, _ bytes: ByteBuffer? = nil) {
        switch action {
        case .nothing, .send, .inform, .begin, .beginSwitch: break  // those of one event, carried out there
        case .askForBody:
            client.output.write("HTTP/1.1 100 Continue\r\n\r\n")
            client.output.flush()
        case .keep: if let bytes { kept.append(bytes) }
        case .waitForBody:
            loop.eventLoop.assumeIsolated().scheduleTask(in: ForwardedRequest.gatheringTime) { [weak self] in
                guard let self else { return }
                carryOut(machine.gatheringEnded())
            }
        case .enterQueue:
            if let bytes { kept.append(bytes) }
            enterQueue()
        case .reuse(let isFresh): reuse(isFresh: isFresh)
        case .connect: connect()
        case .write(let before, let after):
            if !before.isEmpty { upstream?.write(ByteBuffer(string: before)) }
            if let bytes { upstream?.write(bytes) }
            if !after.isEmpty { upstream?.write(ByteBuffer(string: after)) }
        case .writeEnd(let end):
            if !end.isEmpty { upstream?.write(ByteBuffer(bytes: end)) }
            upstream?.flush()
        case .hold(let before, let after):
            held?.writeString(before)
            if var bytes { held?.writeBuffer(&bytes) }
            held?.writeString(after)
        case .release(let before, let after):
            release()
            deliver(before, bytes, after)
            client.output.flush()
        case .deliver(let before, let after): deliver(before, bytes, after)
        case .finish(let end, let reuses): finish(end, reuses: reuses)
        case .join:
            guard let upstream else { return client.close() }
            self.upstream = nil
            client.join(upstream)
        case .fail(let fault, let wasSent):
            if wasSent { noted?.tell(loop.shared.orders, status: nil, by: device.device) }
            leave()
            client.refuse(ServeReply(fault))
        case .abort:
            leave()
            client.close()
        case .abandon: noted?.tell(loop.shared.orders, status: nil, by: device.device)
        case .readOn:
            noted?.tell(loop.shared.orders, status: nil, by: device.device)
            guard let upstream, let turn else { return }
            _ = LateAnswer(on: upstream, turn, since: sent, link, loop.eventLoop)
            self.upstream = nil
        }
    }

    private func enterQueue() {
        let entry = link.turns.enter(
            .person(.device(fingerprint: device.fields.fingerprint)), on: loop.eventLoop,
            within: AnswerTimes.turn
        ) { [weak self] refusal in
            guard let self, !machine.isOver else { return }
            if let refusal { client.refuse(ServeReply(refusal)) } else { begin() }
        }
        switch entry {
        case .refused(let refusal): client.refuse(ServeReply(refusal))
        case .waits(let turn): self.turn = turn
        case .begins(let turn):
            self.turn = turn
            begin()
        }
    }

    /// Its turn has come.
    private func begin() {
        let habits = link.habits
        let action = machine.turnCame(readsBodies: habits.readsBodies, isTrusted: habits.isTrusted)
        setDeadline()
        carryOut(action)
    }

    private func reuse(isFresh: Bool) {
        guard let pooled = pool.take(for: device.device.pin, isFresh: isFresh) else { return connect() }
        lastUsed = pooled.idleSince
        // Deferred, so that pending events of the connection, above all its end, are handled first.
        loop.eventLoop.assumeIsolated().execute { [self] in
            if pooled.isActive || machine.isOver { attach(pooled) } else { connect() }
        }
    }

    private func connect() {
        lastUsed = .distantPast
        link.connect(on: loop.eventLoop) { [self] result in
            switch result {
            case .success(let connection): attach(connection)
            case .failure(let error):
                guard !machine.isOver else { return }
                link.note(
                    fault: UpstreamLink.words(for: error), isToldAtOnce: UpstreamLink.isToldAtOnce(error))
                client.refuse(.upstreamDown)
            }
        }
    }

    private func attach(_ connection: UpstreamConnection) {
        guard case .send(let closes) = machine.connected(isReused: isReused) else {
            return connection.close()
        }
        upstream = connection
        sent = .now()
        connection.begin(self, method: request.method, upgrades: request.upgrade != nil)
        // Head and body are written together: a server that answers before it has read the body closes the
        // connection, some without announcing it.
        var bytes = ByteBuffer(bytes: head(closes: closes))
        for var part in kept {
            guard let (before, after) = machine.frame(part.readableBytes) else { return client.close() }
            bytes.writeString(before)
            bytes.writeBuffer(&part)
            bytes.writeString(after)
        }
        guard let end = machine.frameEnd() else { return client.close() }
        bytes.writeBytes(end)
        connection.write(bytes)
        // A request that is repeated has no body.
        kept = []
        connection.flush()
        client.framing.resumeReading()
    }

    private func head(closes: Bool) -> [UInt8] {
        guard let standing = service?.standing else {
            return request.forwarded(
                for: device.fields.lines, authority: link.upstream?.authority ?? "", closes: closes)
        }
        return request.passedOn(
            to: standing.rule, for: device.fields.lines, of: client.source.description, closes: closes)
    }

    private func deliver(_ before: String, _ bytes: ByteBuffer?, _ after: String) {
        if !before.isEmpty { client.output.write(before) }
        if let bytes { client.output.write(bytes) }
        if !after.isEmpty { client.output.write(after) }
    }

    private func release() {
        guard let bytes = held else { return }
        held = nil
        client.output.write(bytes)
    }

    private func finish(_ end: [UInt8], reuses: Bool) {
        if reuses, let connection = upstream {
            pool.put(connection, for: device.device.pin)
            upstream = nil
        }
        // Where the turn lasted until now, this is the answer.
        if turn != nil { link.noteAnswer() }
        leave()
        release()
        client.output.write(end)
        client.finish()
    }

    /// Gives back what it has of the upstream.
    private func leave() {
        upstream?.abandon()
        upstream = nil
        turn = nil
    }
}
