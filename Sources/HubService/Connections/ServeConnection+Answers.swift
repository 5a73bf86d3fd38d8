import GatewayRules
import NIOCore
import NIOHTTP1

// Carries out the machine's actions, and writes answers.
extension ServeConnection {
    var exchange: ForwardedRequest? { if case .exchange(let exchange) = work { exchange } else { nil } }

    /// - Parameter bytes: the part of the body that has just come.
    func carryOut(_ action: ClientMachine.Action, _ bytes: ByteBuffer? = nil) {
        switch action {
        case .nothing, .stream: break  // a stream starts where its events are
        case .keep(let count): keep(count, of: bytes)
        case .carryOut(let count):
            keep(count, of: bytes)
            carryOutTask()
        case .forward: if let bytes { exchange?.clientBody(bytes) }
        case .respond: if case .reply(let reply) = work { respond(reply) }
        case .readNext:
            timer.start(.idle, idleTime)
            rest.rest()
            readNext()
        case .linger(let closesAtOnce): linger(closesAtOnce: closesAtOnce)
        case .close: close()
        }
    }

    /// Answers after reading the rest of the request, or at once.
    func send(_ reply: ServeReply, after rest: RequestRouter.RestOfRequest) {
        guard rest == .discarded else { return refuse(reply) }
        machine.discard(RequestRouter.discardedByteCount)
        work = .reply(reply)
        timer.start(.body, shared.limits.smallBody)
    }

    /// Answers at once, reads no further request, and closes.
    func refuse(_ reply: ServeReply) {
        let action = machine.refuse(answerHasStarted: exchange?.answerHasStarted ?? false)
        if action == .respond {
            exchange?.cancel()
            work = .reply(reply)
        }
        carryOut(action)
    }

    private func respond(_ reply: ServeReply) {
        let request = machine.request
        noteAnswer(Int(reply.status.code), by: .hub)
        if let word = reply.word {
            shared.metrics.noteRefusal(word)
            // Without the query, which may contain secrets.
            let what = request.map { "\($0.method) \($0.path.prefix(200))" } ?? "a request"
            shared.log.warning(
                .refusal(Int(reply.status.code)),
                "\(source): \(what) was answered with \(reply.status.code): \(word)")
            // Not of an approved device with too many connections, which is no stranger.
            if !machine.isApproved, word != ServeReply.tooManyConnections.word,
                [401, 403, 429].contains(reply.status.code)
            {
                shared.news.noteRefusal(from: "\(source)")
            }
        }
        output.write(
            reply.serialized(connection: machine.connectionOption, withBody: request?.method != "HEAD"))
        if let hold = reply.hold { keep(hold) }
        finish()
    }

    /// Called after the whole answer: waits for the next request, or closes.
    func finish() {
        work = .none
        carryOut(machine.answered())
    }

    /// Closes between two requests, after the answers, for a newer connection of the same device.
    func retire() { carryOut(machine.retire()) }

    private func linger(closesAtOnce: Bool) {
        timer.start(.linger, closesAtOnce ? shared.limits.stall : shared.limits.linger)
        framing.discard()
        output.handOn()
        framing.whenWritten { [weak self] in
            if closesAtOnce { self?.close() }
        }
    }

    /// Processes the next request if the client reads its answers.
    ///
    /// Otherwise a client that sends requests and never reads would make the hub hold every answer: no
    /// request is read while more than the channel's high-water mark waits to be sent.
    private func readNext() {
        if output.isFull || !framing.isFeedingRequests { output.flush() }
        guard isWritable else { return machine.holdNext() }
        if loop.isDraining {
            output.flush()
            return close()
        }
        startNext()
    }

    func startNext() { if machine.startNext() { framing.goOn() } }
}

// What only a forwarded request and a stream of events need.
extension ServeConnection {
    /// Keeps `hold` until everything that is written so far has been sent.
    func keep(_ hold: AnswerHold) {
        output.handOn()
        framing.whenWritten { withExtendedLifetime(hold) {} }
    }

    /// Joins the two connections after a protocol switch.
    func join(_ upstream: UpstreamConnection) {
        let tunnel = GatewayTunnel(framing, upstream)
        machine.join()
        work = .tunnel(tunnel)
        output.flush()
        try? context?.channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        timer.stop()
        tunnel.open()
    }
}
