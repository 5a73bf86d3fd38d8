// What the queue and the upstream do.
extension ExchangeMachine {
    /// - Parameters:
    ///   - readsBodies: true if a connection may be used again after a body.
    ///   - isTrusted: true if what must not be repeated may use a connection of the last moment.
    package mutating func turnCame(
        readsBodies: @autoclosure () -> Bool, isTrusted: @autoclosure () -> Bool
    ) -> Action {
        guard stage == .queued else { return .nothing }
        stage = .reaching
        keepsUpstream = request.upgrade == nil && (!request.body.hasBytes || readsBodies())
        guard keepsUpstream, request.isRepeatable || isTrusted() else { return .connect }
        return .reuse(isFresh: !request.isRepeatable)
    }

    /// There is a connection. Unless the action is `send`, nobody needs it any more.
    package mutating func connected(isReused: Bool) -> Action {
        guard stage == .reaching else { return .nothing }
        stage = .asking(isReused: isReused)
        body = BodyWriter(request.body)
        return .send(closes: !keepsUpstream)
    }

    /// What to send before and after so many bytes of the body; nil if the head does not announce them.
    package mutating func frame(_ count: Int) -> (before: String, after: String)? { body.piece(count) }

    /// What to send after the body, nothing if its end has not come; nil if announced bytes are missing.
    package mutating func frameEnd() -> [UInt8]? { end.map { body.end($0) } ?? [] }

    package mutating func answerHead(_ response: ResponseHead) -> Action {
        guard case .asking = stage else { return .nothing }
        if response.isInformational {
            // HTTP/1.0 does not define them. The client of a collected request has been told to go on.
            return request.isHTTP10 || isExclusive ? .nothing : .inform
        }
        let isHeld = isExclusive && response.status != 101 && !response.isEventStream
        stage = .answering(isHeld ? .held(0) : .passed)
        if response.status == 101 { return .beginSwitch }
        let (announced, written) = response.framing(forHTTP10: request.isHTTP10)
        answer = BodyWriter(written)
        // Otherwise the client could not find the end of the answer, or the rest of its request might never
        // be read.
        return .begin(announced, isHeld: isHeld, closes: written == .untilClose || end == nil)
    }

    package mutating func answerBody(_ count: Int) -> Action {
        guard case .answering(let delivery) = stage else { return .nothing }
        guard let (before, after) = answer.piece(count) else { return fail(.malformed(nil)) }
        guard case .held(let held) = delivery else { return .deliver(before: before, after: after) }
        let sum = held + before.utf8.count + count + after.utf8.count
        guard sum <= ExchangeMachine.maximumHeldAnswer else {
            stage = .answering(.released)
            return .release(before: before, after: after)
        }
        stage = .answering(.held(sum))
        return .hold(before: before, after: after)
    }

    /// - Parameter leavesUsable: true if the answer allows another request on the connection.
    package mutating func answerEnd(_ trailers: FieldBlock, leavesUsable: Bool) -> Action {
        guard case .answering = stage else { return .nothing }
        guard let bytes = answer.end(trailers) else { return abort() }
        stage = .over
        return .finish(bytes, reuses: leavesUsable && end != nil && keepsUpstream)
    }

    /// The upstream's connection carries another protocol from here on.
    package mutating func answerSwitched() -> Action {
        guard stage == .answering(.passed) else { return .nothing }
        stage = .over
        return .join
    }

    /// The upstream's connection has ended before the answer was complete.
    ///
    /// - Parameter fault: why the answer cannot be parsed; nil if the connection just ended.
    package mutating func upstreamEnded(_ fault: FramingError?) -> Action {
        switch stage {
        case .gathering, .queued, .reaching, .over: return .nothing
        // The upstream has closed the idle connection; or what is no answer at all is late bytes behind the
        // previous one.
        case .asking(isReused: true) where request.isRepeatable && (fault == nil || fault == .badStatusLine):
            stage = .reaching
            return .connect
        case .asking, .answering: return fail(.malformed(fault))
        }
    }

    mutating func fail(_ fault: Fault) -> Action {
        if answerHasStarted { return abort() }
        let wasSent =
            switch stage {
            case .asking, .answering: true
            case .gathering, .queued, .reaching, .over: false
            }
        stage = .over
        return .fail(fault, wasSent: wasSent)
    }

    mutating func abort() -> Action {
        stage = .over
        return .abort
    }
}
