import GatewayRules

// What the hub does, and the client's wire.
extension GateWorld {
    func begin(_ head: RequestHead) {
        guard client.begin(head, isDraining: isDraining) else {
            return check(false, "a request comes while another is answered")
        }
        check(!isClosed && !isLingering && !mustEnd, "a request begins after the last")
        check(!answerIsOpen && answerCount == requestCount, "a request begins before the last is answered")
        requestCount += 1
        decide(head)
    }

    private func decide(_ head: RequestHead) {
        switch choose(9) {
        case 0:
            bodyRoom = 3
            client.discard(bodyRoom)
            replyWaits = true
        case 1:
            bodyRoom = 4
            mayRevoke = choose(2) == 0
            client.collect(bodyRoom, mayRevoke: mayRevoke)
        case 2 where choose(8) == 0: refuse()
        case 3: client.ask()
        default:
            client.forward()
            upstream.begin(head, requestCount, limit: GateWorld.bodyLimit)
            carryOutExchange(upstream.exchange?.start() ?? .nothing)
        }
    }

    func hubMoves() {
        if client.phase == .streaming { return choose(4) == 0 ? endAnswer() : () }
        if let head = client.request, client.isAsked() {
            decide(head)
            feed()
        } else if hubWorks {
            (hubWorks, mayRevoke) = (false, false)
            carryOut(client.answerIsMade(closes: choose(16) == 0, isStream: choose(4) == 0))
        }
    }

    func disturb() {
        switch choose(16) {
        case 0: refuse()
        case 1: close()
        case 2:
            isDraining = true
            carryOut(client.drain(hasPending: !pending.isEmpty))
        case 3:
            check(!answerIsOpen || client.phase != .waiting, "it rests in an answer")
            carryOut(client.retire())
        case 4 where client.isApproved:
            let action = client.accessIsLost()
            check(action == .close || isLingering || isClosed || mayRevoke, "a revoked device stays")
            mustEnd = true
            carryOut(action)
        case 5: client.approve()
        default: break
        }
    }

    /// The deadline of a request passes, or what the client sends is no request.
    func refuse() {
        let started = upstream.exchange?.answerHasStarted ?? false
        let action = client.refuse(answerHasStarted: started)
        if action == .respond {
            if client.request == nil { requestCount += 1 }
            cancelExchange()
            hubWorks = false
            replyWaits = true
        }
        carryOut(action)
        check(isLingering || isClosed || client.phase == .tunnel, "it goes on after a refusal")
    }

    func carryOut(_ action: ClientMachine.Action, _ count: Int = 0) {
        switch action {
        case .nothing: break
        case .keep(let kept):
            bodyRoom -= kept
            check(kept <= count && bodyRoom >= 0, "too much is kept")
        case .carryOut(let kept):
            check(kept <= max(count, bodyRoom + 1), "too much is kept")
            hubWorks = true
        case .forward:
            carryOutExchange(upstream.exchange?.clientBody(count, isKnown: choose(2) == 0) ?? .nothing, count)
        case .respond:
            check(replyWaits || client.phase == .answering, "nothing to answer")
            replyWaits = false
            beginAnswer()
            endAnswer()
        case .stream: beginAnswer()
        case .readNext:
            if !isWritable { return client.holdNext() }
            check(client.startNext(), "the next request is not read")
            feed()
        case .linger:
            check(!isLingering && !isClosed, "it lingers twice")
            isLingering = true
        case .close: close()
        }
    }

    // MARK: The client's wire

    func beginAnswer() {
        check(!isClosed && !isLingering, "an answer after the last")
        check(!answerIsOpen && answerCount == requestCount - 1, "an answer without its request")
        answerCount = requestCount
        answerIsOpen = true
        answerSaysClose = client.connectionOption == "close"
    }

    /// A part of an answer.
    func write() { check(answerIsOpen && !isClosed, "bytes outside of an answer") }

    func endAnswer() {
        check(answerIsOpen && !isClosed, "an answer ends twice")
        answerIsOpen = false
        let action = client.answered()
        check(!answerSaysClose || action != .readNext, "it goes on after it has said that it closes")
        check(action == .readNext || isLinger(action), "neither the next request nor the end follows")
        carryOut(action)
    }

    private func isLinger(_ action: ClientMachine.Action) -> Bool {
        if case .linger = action { true } else { false }
    }

    func close() {
        guard client.close() else { return }
        isClosed = true
        cancelExchange()
    }

    func cancelExchange() {
        carryOutExchange(upstream.exchange?.cancel() ?? .nothing)
        check(upstream.exchange?.isOver != false, "an exchange goes on without its client")
        upstream.leave()
    }
}
