// Answers, and the end.
extension ClientMachine {
    /// The hub has made its answer.
    package mutating func answerIsMade(closes: Bool, isStream: Bool) -> Action {
        guard phase == .answering else { return .nothing }
        if keepsAlive || isStream { isRevoking = false }
        if !requestHasEnded || closes || (isStream && request?.isHTTP10 == true) { keepsAlive = false }
        guard isStream else { return .respond }
        phase = .streaming
        return .stream
    }

    /// The request gets an answer at once, no other one is read, and the connection closes.
    ///
    /// - Parameter answerHasStarted: true if the client may have got a part of the upstream's answer.
    package mutating func refuse(answerHasStarted: Bool) -> Action {
        switch phase {
        case .tunnel, .lingering, .closed: return .nothing
        case .forwarding where answerHasStarted: return .close
        case .streaming: return .close
        case .waiting, .deciding, .discarding, .collecting, .answering, .forwarding:
            keepsAlive = false
            phase = .answering
            return .respond
        }
    }

    /// The connection closes after the current answer.
    package mutating func closeAfterAnswer() { keepsAlive = false }

    /// The whole answer has been written.
    package mutating func answered() -> Action {
        switch phase {
        case .waiting, .deciding, .discarding, .collecting, .tunnel, .lingering, .closed: return .nothing
        case .answering, .streaming, .forwarding: break
        }
        request = nil
        guard keepsAlive, requestHasEnded else { return linger() }
        phase = .waiting
        return .readNext
    }

    package mutating func holdNext() { isHeldByAnswers = true }

    /// - Returns: true if the bytes that follow are read as the next request.
    package mutating func startNext() -> Bool {
        isHeldByAnswers = false
        guard phase == .waiting, request == nil, framing.isComplete else { return false }
        framing = RequestFraming(limit: ClientMachine.headByteCount(isKnown: isKnown))
        return true
    }

    package mutating func join() { if phase == .forwarding { phase = .tunnel } }

    /// False from the head of a request on, until its last byte has been read.
    private var requestHasEnded: Bool { framing.isInHead || framing.isComplete }

    private mutating func linger() -> Action {
        phase = .lingering
        return .linger(closesAtOnce: requestHasEnded)
    }

    // MARK: The device and the end

    package mutating func approve() { isApproved = true }

    /// Its device has lost its access.
    package mutating func accessIsLost() -> Action {
        guard isApproved else { return .nothing }
        guard isRevoking else { return .close }
        // It closes after the answer.
        keepsAlive = false
        return .nothing
    }

    /// It gives way to a newer connection of the same device, between two requests.
    package mutating func retire() -> Action {
        phase == .waiting && request == nil ? linger() : .nothing
    }

    /// The hub ends: requests that have begun are answered.
    package mutating func drain(hasPending: Bool) -> Action {
        switch phase {
        case .waiting where !isInsideHead(hasPending: hasPending), .tunnel, .streaming: return .close
        case .waiting, .deciding, .discarding, .collecting, .answering, .forwarding, .lingering, .closed:
            keepsAlive = false
            return .nothing
        }
    }

    /// - Returns: false if it was closed before.
    package mutating func close() -> Bool {
        defer { phase = .closed }
        return phase != .closed
    }
}
