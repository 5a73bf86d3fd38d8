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

    private enum Stage: Equatable, Sendable {
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

    private enum Delivery: Equatable, Sendable {
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

    /// Which deadline holds for the client's next step or the upstream's.
    package enum Deadline: Sendable {
        /// The client's, until its request is complete.
        case request
        /// The upstream's, as long as the request has its turn.
        case answer
        /// None: the queue has its own, and an answer that has begun may take any time.
        case none
    }

    private let request: RequestHead
    private let isExclusive: Bool
    private let limit: Int
    private var stage: Stage
    private var body: BodyWriter
    private var bodyByteCount = 0
    /// The number of body bytes at the previous check of the client's pace.
    private var seenByteCount = 0
    /// The end of the request, once it has come.
    private var end: FieldBlock?
    private var answer = BodyWriter(.none)
    /// True if the connection to the upstream may carry another request.
    private var keepsUpstream = true

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

    package var deadline: Deadline { end == nil ? .request : hasTurn ? .answer : .none }

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

// What the queue and the upstream do.
extension ExchangeMachine {
    /// - Parameters:
    ///   - readsBodies: true if a connection may be used again after a body.
    ///   - isTrusted: true if what must not be repeated may use a connection of the last moment.
    package mutating func turnCame(readsBodies: Bool, isTrusted: Bool) -> Action {
        guard stage == .queued else { return .nothing }
        stage = .reaching
        keepsUpstream = request.upgrade == nil && (!request.body.hasBytes || readsBodies)
        guard keepsUpstream, request.isRepeatable || isTrusted else { return .connect }
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

    private mutating func fail(_ fault: Fault) -> Action {
        if answerHasStarted { return abort() }
        let wasSent =
            switch stage {
            case .asking, .answering: true
            case .gathering, .queued, .reaching, .over: false
            }
        stage = .over
        return .fail(fault, wasSent: wasSent)
    }

    private mutating func abort() -> Action {
        stage = .over
        return .abort
    }
}
