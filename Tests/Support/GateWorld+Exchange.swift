import GatewayRules

// The exchange's actions.
extension GateWorld {
    /// - Parameter count: the bytes of the part of the body that has just come.
    func carryOutExchange(_ action: ExchangeMachine.Action, _ count: Int = 0) {
        let isExclusive = upstream.isExclusive
        switch action {
        case .nothing: break
        case .send: check(false, "a request is sent without a connection")
        case .askForBody: check(isExclusive && upstream.head?.expectsContinue == true, "nobody waits")
        case .keep: keep(count)
        case .waitForBody: check(!isExclusive, "nobody holds the only place")
        case .enterQueue:
            if count > 0 { keep(count) }
            check(!upstream.isQueued && !(upstream.hasTurn && upstream.late == nil), "it waits twice")
            upstream.isQueued = true
            if choose(2) == 0 { turnMoves(isRefused: false) }
        case .reuse(let isFresh):
            check(isFresh == (upstream.head?.isRepeatable == false), "a request may be lost")
            check(upstream.hasTurn, "it connects before its turn")
            if choose(3) > 0, let connection = upstream.idle.popLast() {
                attach(connection, isReused: true)
            } else {
                upstream.isReaching = true
            }
        case .connect:
            check(upstream.hasTurn && !upstream.isReaching, "it connects before its turn")
            upstream.isReaching = true
        case .write(let before, let after):
            upstream.bodyCount += count
            writeBody(count, before, after)
        case .writeEnd(let end): endBody(end)
        case .inform:
            check(!answerIsOpen && upstream.head?.isHTTP10 == false, "an informational answer too late")
        case .begin(let framing, let isHeld, let closes):
            check(!isHeld || isExclusive, "an answer is held back")
            check(closes || upstream.active?.requestHasEnded == true, "a request may never end")
            check(closes || framing != .untilClose, "an answer has no end")
            if closes { client.closeAfterAnswer() }
            if isHeld { upstream.heldCount = 0 } else { upstream.hasTurn = false }
            beginUpstreamAnswer()
        case .beginSwitch:
            check(upstream.head?.upgrade != nil, "nobody asked for another protocol")
            upstream.hasTurn = false
            beginUpstreamAnswer()
        case .hold(let before, let after):
            upstream.heldCount = (upstream.heldCount ?? 0) + before.utf8.count + count + after.utf8.count
            check((upstream.heldCount ?? 0) <= ExchangeMachine.maximumHeldAnswer, "too much is held back")
        case .release:
            release()
            write()
        case .deliver:
            check(upstream.heldCount == nil, "a part comes before those that are held back")
            write()
        case .finish(_, let reuses):
            guard let connection = upstream.active else { return check(false, "an answer from nowhere") }
            check(!reuses || connection.isUsable && connection.requestHasEnded, "it is not usable")
            connection.carries = nil
            if reuses, upstream.idle.count < 4 { upstream.idle.append(connection) }
            release()
            upstream.leave()
            endAnswer()
        case .join:
            check(upstream.head?.upgrade != nil && answerIsOpen, "nobody asked for another protocol")
            upstream.leave()
            client.join()
        case .fail(_, let wasSent):
            check(wasSent == (upstream.sendCount > 0), "the journal is told wrongly")
            upstream.leave()
            refuse()
        case .abort:
            check(answerIsOpen, "an answer would be possible")
            upstream.leave()
            close()
        case .abandon: upstream.active = nil
        case .readOn:
            check(isExclusive && upstream.active?.requestHasEnded == true, "nothing to read")
            (upstream.late, upstream.active) = (upstream.active, nil)
        }
    }

    private func keep(_ count: Int) {
        upstream.kept.append(count)
        upstream.bodyCount += count
        let most =
            upstream.isExclusive ? ExchangeMachine.maximumHeldRequest : ExchangeMachine.gatheredByteCount
        let sum = upstream.kept.reduce(0, +)
        check(sum <= most + GateWorld.maximumWaiting, "too much of a request is kept")
    }

    private func beginUpstreamAnswer() {
        check(!upstream.answerHasBegun, "an answer begins twice")
        upstream.answerHasBegun = true
        if upstream.heldCount == nil { beginAnswer() }
    }

    private func release() {
        guard upstream.heldCount != nil else { return }
        upstream.heldCount = nil
        beginAnswer()
    }
}
