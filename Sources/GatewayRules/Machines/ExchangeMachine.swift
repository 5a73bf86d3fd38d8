/// One request to the upstream and its answer, as a value: it is told what happens and says what to do. It
/// has no connection and no clock, and holds no byte of a body; who carries out its actions keeps those.
///
///     gathering → queued → reaching → asking → answering → over
///                             ↑          │
///                             └──────────┘ a reused connection has ended, and the request may be repeated
///
/// The upstream may close a reused connection at any moment. So only a repeatable request uses any idle
/// connection. Any other request uses one only if it was in use a moment ago, and the upstream is known to
/// keep connections and to read bodies (``BodyReadingServer``); otherwise it gets a connection of its own.
/// With a body, an upstream that is not known to read it is told that no other request follows.
///
/// The request waits for its turn. Where requests must not overlap, no client can hold the only place: the
/// body is collected before the turn, the answer is collected and given on as a whole, and both have a limit.
/// Otherwise the place is given back with the head of the answer; so is that of an event stream and of
/// another protocol, which may last for ever.
package struct ExchangeMachine: Sendable {
    /// The most bytes of a body that is waited for, since many clients send it directly after the head.
    package static let gatheredByteCount = 16_384
    /// The most bytes that are collected of a request, and of an answer, where requests must not overlap. A
    /// stock server takes less than a kilobyte, and lists 1,000 appliances with 300. A larger request is
    /// refused, and a larger answer must be read by its client within the time for the answer.
    package static let maximumHeldRequest = 64 << 10
    package static let maximumHeldAnswer = 512 << 10

    enum Phase: Equatable, Sendable {
        /// The body is collected before the request asks for a turn; `isTimed` once the time for that runs.
        case gathering(isTimed: Bool)
        case queued
        /// It is its turn; there is no connection yet.
        case reaching
        /// The request is sent, or as much of it as has come.
        case asking(isReused: Bool)
        /// The head of the answer has come.
        case answering(Delivery)
        case over
    }

    enum Delivery: Equatable, Sendable {
        /// The client gets it as a whole; so many bytes have been collected.
        case held(Int)
        /// It was too large to be held. The turn lasts until its end.
        case released
        /// The turn was given back with the head.
        case passed
    }

    /// What to do. Nothing else is done until the next event.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Tell the client to send the body.
        case askForBody
        /// Keep this part of the body until the request is sent.
        case keep
        /// Wait a moment for the rest of the body; then `gatheringEnded`.
        case waitForBody
        /// Keep the part of the body, if one has come, and ask for a turn; then `turnCame`.
        case enterQueue
        /// Use an idle connection, of the last moment if `isFresh`; without one open one. Then `connected`.
        case reuse(isFresh: Bool)
        /// Open a connection; then `connected`.
        case connect
        /// Send the head, what was kept, framed by `frame`, and the bytes of `frameEnd`.
        case send(closes: Bool)
        /// Send this part of the body.
        case write(before: String, after: String)
        case writeEnd([UInt8])
        /// Give an informational answer on.
        case inform
        /// Give the head of the answer on, or hold it back. Who does not hold it back gives the turn back. If
        /// `closes`, the client's connection ends after the answer.
        case begin(BodyFraming, isHeld: Bool, closes: Bool)
        /// Give the head of the answer that switches protocols on, and the turn back.
        case beginSwitch
        /// Hold this part of the answer back.
        case hold(before: String, after: String)
        /// Give on what was held back, then this part.
        case release(before: String, after: String)
        case deliver(before: String, after: String)
        /// Give on what was held back and these bytes. Keep the upstream's connection for another request, or
        /// close it.
        case finish([UInt8], reuses: Bool)
        /// Join the two connections.
        case join
        /// Leave the upstream, and answer the client with this instead.
        ///
        /// - Parameter wasSent: true if the upstream may have carried the request out.
        case fail(Fault, wasSent: Bool)
        /// Leave the upstream, and close the client's connection at once: after a part of an answer only that
        /// tells the client that it is incomplete.
        case abort
        /// The client is gone, or has another answer: close the upstream's connection.
        case abandon
        /// The same; read the answer to its end and keep the turn until then (`LateAnswer`).
        case readOn
    }

    package enum Fault: Equatable, Sendable {
        /// The body is larger than this.
        case tooLarge(Int)
        /// The upstream broke off, or its answer cannot be parsed.
        case malformed(FramingError?)
    }

    let request: RequestHead
    let isExclusive: Bool
    private let limit: Int
    var stage: Phase
    var body: BodyWriter
    private var bodyByteCount = 0
    /// The number of body bytes at the previous check of the client's pace.
    private var seenByteCount = 0
    /// The end of the request, once it has come.
    var end: FieldBlock?
    var answer = BodyWriter(.none)
    /// True if the connection to the upstream may carry another request.
    var keepsUpstream = true

    /// - Parameters:
    ///   - isExclusive: true if it must not overlap with another.
    ///   - limit: the maximum size of the body in bytes.
    package init(_ request: RequestHead, isExclusive: Bool, limit: Int) {
        (self.request, self.isExclusive, self.limit) = (request, isExclusive, limit)
        body = BodyWriter(request.body)
        let gathers =
            if isExclusive {
                request.body.hasBytes
            } else if case .length(1...ExchangeMachine.gatheredByteCount) = request.body {
                !request.expectsContinue
            } else {
                false
            }
        stage = gathers ? .gathering(isTimed: false) : .queued
    }

    package var isOver: Bool { stage == .over }

    /// True if the client may have got a part of the answer.
    package var answerHasStarted: Bool {
        switch stage {
        case .answering(.released), .answering(.passed): true
        case .gathering, .queued, .reaching, .asking, .answering(.held), .over: false
        }
    }

    /// True if an answer is still to come on a connection that has carried another request.
    package var isUnansweredAfterReuse: Bool { stage == .asking(isReused: true) }

    private var hasTurn: Bool {
        switch stage {
        case .reaching, .asking, .answering(.held), .answering(.released): true
        case .gathering, .queued, .answering(.passed), .over: false
        }
    }

    /// True if the upstream's deadline holds; false if none does: the queue has its own, and an answer that
    /// has begun may take any time. Nil until the request is complete, since the client's holds.
    package var answerIsDue: Bool? { end.map { _ in hasTurn } }

    /// True if further bytes from the client can be passed on.
    package func mayReadClient(isUpstreamWritable: Bool) -> Bool {
        switch stage {
        case .gathering: true
        case .queued, .reaching, .over: false
        case .asking, .answering: isUpstreamWritable
        }
    }

    /// True if further bytes from the upstream can be passed on.
    package func mayReadUpstream(isClientWritable: Bool) -> Bool {
        if case .answering(.held) = stage { true } else { isClientWritable }
    }

    // MARK: The client

    package mutating func start() -> Action {
        if stage == .queued { return .enterQueue }
        return isExclusive && request.expectsContinue ? .askForBody : .nothing
    }

    /// - Parameter isKnown: true if it is known how many requests the upstream takes at a time.
    package mutating func clientBody(_ count: Int, isKnown: @autoclosure () -> Bool) -> Action {
        if stage == .over { return .nothing }
        bodyByteCount += count
        guard bodyByteCount <= limit else { return fail(.tooLarge(limit)) }
        switch stage {
        case .gathering where isExclusive && bodyByteCount > ExchangeMachine.maximumHeldRequest:
            if isKnown() { return fail(.tooLarge(ExchangeMachine.maximumHeldRequest)) }
            stage = .queued
            return .enterQueue
        case .gathering, .queued, .reaching: return .keep
        case .asking, .answering:
            // A failure is unreachable with a single parser of requests. If it ever happens, the upstream
            // must not read on.
            guard let (before, after) = frame(count) else { return abort() }
            return .write(before: before, after: after)
        case .over: return .nothing
        }
    }

    package mutating func clientEnd(_ trailers: FieldBlock) -> Action {
        end = trailers
        switch stage {
        case .gathering:
            stage = .queued
            return .enterQueue
        case .queued, .reaching, .over: return .nothing
        case .asking, .answering: return frameEnd().map { .writeEnd($0) } ?? abort()
        }
    }

    /// What had arrived from the client has been handed on.
    package mutating func clientReadComplete() -> Action {
        guard stage == .gathering(isTimed: false), !isExclusive else { return .nothing }
        stage = .gathering(isTimed: true)
        return .waitForBody
    }

    package mutating func gatheringEnded() -> Action {
        guard stage == .gathering(isTimed: true) else { return .nothing }
        stage = .queued
        return .enterQueue
    }

    /// True if the client has sent so many bytes of the body since the previous call.
    package mutating func clientKeepsPace(_ count: Int) -> Bool {
        defer { seenByteCount = bodyByteCount }
        return bodyByteCount - seenByteCount >= count
    }

    /// The client is gone, or gets another answer.
    package mutating func cancel() -> Action {
        defer { stage = .over }
        return switch stage {
        case .gathering, .queued, .reaching, .over: .nothing
        case .answering(.passed): .abandon
        case .asking, .answering: isExclusive && end != nil ? .readOn : .abandon
        }
    }
}
