/// A client's connection as a value: it parses what the client sends, is told what else happens, and says
/// what to do. It processes one request at a time and has no connection, no clock and no byte of a body.
///
///     waiting → (deciding →) discarding | collecting → answering → (streaming →) waiting | lingering
///             → (deciding →) forwarding → (tunnel) | waiting | lingering
///     all → closed
///
/// Each request has one answer, in the order of the requests. After an answer that says so, or whose request
/// has not ended, no other request is read.
package struct ClientMachine: Sendable {
    package enum Phase: Equatable, Sendable {
        /// Waiting for a request's head, or for what is decided about it.
        case waiting
        /// A guest's request waits until it is known what the appliance is; its body is not read meanwhile.
        case deciding
        /// The rest of the request is thrown away, at most `room` bytes; then it is answered.
        case discarding(room: Int)
        /// The body of a request that the hub answers itself is collected, at most `room` bytes more.
        /// `mayRevoke` if the request may take its own device's access away.
        case collecting(room: Int, mayRevoke: Bool)
        /// The answer is being made.
        case answering
        /// The answer is a stream of events.
        case streaming
        /// The exchange with the upstream is under way (``ExchangeMachine``).
        case forwarding
        /// The connection carries another protocol.
        case tunnel
        /// The last answer is written; closes once it has been sent or the client closes.
        case lingering
        case closed
    }

    package enum Action: Equatable, Sendable {
        case nothing
        /// Keep so many bytes of this part of the body.
        case keep(Int)
        /// Keep so many bytes, and make the answer; then `answerIsMade`.
        case carryOut(Int)
        /// Give the part, or the end, to the exchange.
        case forward
        /// Write the answer; then `answered`.
        case respond
        /// Write the stream; then `answered`.
        case stream
        /// Read the next request: at once if the client reads its answers, else `holdNext`.
        case readNext
        /// Throw away what comes, and close: once all is sent, or in a while if the client still sends.
        /// Closing with unread bytes resets the connection, and the answer would be lost.
        case linger(closesAtOnce: Bool)
        /// Close at once.
        case close
    }

    /// Which of the client's bytes are wanted.
    package enum Reading: Sendable {
        case any, none
        /// As long as the client takes its answers.
        case whileWritable
        /// What the exchange or the tunnel takes.
        case asPassed
    }

    /// The maximum size of a head from an unapproved client in bytes: it needs no cookies.
    private static let strangerHeadByteCount = 8_192

    private let isTrustedProxy: Bool
    package internal(set) var phase = Phase.waiting
    var framing: RequestFraming
    /// The current request; nil between an answer and the next head.
    package internal(set) var request: RequestHead?
    /// True once its device had access.
    package internal(set) var isApproved = false
    var keepsAlive = true
    /// True while the answer is made to a request that may revoke its own device: it is sent all the same.
    var isRevoking = false
    /// True while the next request waits until the client has read answers.
    package internal(set) var isHeldByAnswers = false

    package init(isTrustedProxy: Bool) {
        self.isTrustedProxy = isTrustedProxy
        framing = RequestFraming(limit: ClientMachine.headByteCount(isKnown: isTrustedProxy))
    }

    /// True for an approved device and a trusted proxy.
    package var isKnown: Bool { isApproved || isTrustedProxy }

    static func headByteCount(isKnown: Bool) -> Int {
        isKnown ? RequestFraming.maximumHeadByteCount : strangerHeadByteCount
    }

    /// The value of `Connection` in the answer to the current request; nil to omit it.
    package var connectionOption: String? {
        if !keepsAlive { return "close" }
        return request?.isHTTP10 == true ? "keep-alive" : nil
    }

    /// The request that the upstream is answering, that has become another protocol, or whose answer is a
    /// stream.
    package var passing: RequestHead? {
        switch phase {
        case .forwarding, .tunnel, .streaming: request
        case .waiting, .deciding, .discarding, .collecting, .answering, .lingering, .closed: nil
        }
    }

    // MARK: The client's bytes

    /// True if no byte is read as a request any more.
    package var isOver: Bool { phase == .lingering || phase == .closed }

    /// True if the next part of a request may be taken.
    package var mayParse: Bool { phase != .deciding && phase != .tunnel && !isOver && !framing.isComplete }

    /// True if part of a head has arrived.
    package func isInsideHead(hasPending: Bool) -> Bool {
        framing.isInHead && (!framing.isAtStart || hasPending)
    }

    /// - Parameter hasPending: true if bytes wait that could not be processed yet.
    package func reading(hasPending: Bool) -> Reading {
        switch phase {
        case .tunnel: .asPassed
        case .lingering, .closed: .any
        // One read ahead, between a request and its answer, and only for devices: it avoids deregistering and
        // registering the socket with the selector for every request.
        case _ where framing.isComplete: !hasPending && isApproved ? .any : .none
        case .forwarding: .asPassed
        case .deciding: .none
        case .waiting, .discarding, .collecting, .answering, .streaming: .whileWritable
        }
    }

    /// The next part of the request; see ``RequestFraming/next(_:)``.
    package mutating func next(
        _ bytes: UnsafeRawBufferPointer
    ) throws(FramingError) -> (count: Int, part: RequestFraming.Part?) {
        try framing.next(bytes)
    }

    /// A head has been read; it is decided next what becomes of the request.
    ///
    /// - Returns: false if no request may begin.
    package mutating func begin(_ head: RequestHead, isDraining: Bool) -> Bool {
        guard phase == .waiting, request == nil else { return false }
        request = head
        keepsAlive = head.keepsAlive && !isDraining
        return true
    }

    package mutating func body(_ count: Int) -> Action {
        switch phase {
        case .discarding(let room):
            guard count <= room else { return refuse(answerHasStarted: false) }
            phase = .discarding(room: room - count)
            return .nothing
        case .collecting(let room, let mayRevoke):
            // One byte too many is enough to refuse the request; the rest is not awaited.
            guard count <= room else { return make(keeping: room + 1, mayRevoke: mayRevoke) }
            phase = .collecting(room: room - count, mayRevoke: mayRevoke)
            return .keep(count)
        case .forwarding: return .forward
        case .waiting, .deciding, .answering, .streaming, .tunnel, .lingering, .closed: return .nothing
        }
    }

    package mutating func end() -> Action {
        switch phase {
        case .discarding:
            phase = .answering
            return .respond
        case .collecting(_, let mayRevoke): return make(keeping: 0, mayRevoke: mayRevoke)
        case .forwarding: return .forward
        case .waiting, .deciding, .answering, .streaming, .tunnel, .lingering, .closed: return .nothing
        }
    }

    private mutating func make(keeping count: Int, mayRevoke: Bool) -> Action {
        phase = .answering
        isRevoking = mayRevoke
        return .carryOut(count)
    }

    // MARK: What is decided about a request

    package mutating func ask() { move(to: .deciding) }

    /// - Returns: false if nothing is to be decided any more.
    package mutating func isAsked() -> Bool {
        guard phase == .deciding else { return false }
        phase = .waiting
        return true
    }

    package mutating func discard(_ count: Int) { move(to: .discarding(room: count)) }

    /// - Parameter mayRevoke: true if the request may take its own device's access away.
    package mutating func collect(_ count: Int, mayRevoke: Bool) {
        move(to: .collecting(room: count, mayRevoke: mayRevoke))
    }

    package mutating func forward() { move(to: .forwarding) }

    /// What is decided about a head is decided once.
    private mutating func move(to next: Phase) { if phase == .waiting, request != nil { phase = next } }
}
