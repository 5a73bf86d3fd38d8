import GatewayRules
import NIOCore
import Pairing

/// One request to the upstream and its answer. Both are streamed, with backpressure in both directions.
///
/// The upstream may close a reused connection at any moment. So only a repeatable request uses any idle
/// connection. Any other request uses one only if it was in use a moment ago, and the upstream is known to
/// keep connections and to read bodies (``UpstreamHabits``); otherwise it gets a connection of its own. With
/// a body, an upstream that is not known to read it is told that no other request follows.
///
/// The request waits for its turn (``UpstreamTurns``). Where requests must not overlap, no client can hold
/// the only place: the body is collected before the turn, the answer is collected and given on as a whole,
/// and both have a limit. Otherwise the place is given back with the head of the answer; so is that of an
/// event stream and of another protocol, which may last for ever.
final class ForwardedRequest: UpstreamAnswerReceiver {
    /// The client cancels this request before it is freed, so it exists until `isOver`; after that it must
    /// not be used.
    private unowned let client: any GatewayClient
    /// How long to wait for the rest of a short body: many clients send it directly after the head.
    private static let gatheringTime = TimeAmount.milliseconds(2)
    /// The maximum number of bytes of a body that is waited for.
    private static let gatheredByteCount = 16_384
    /// The most bytes that are collected of a request, and of an answer, where requests must not overlap. A
    /// stock server takes less than a kilobyte, and lists 1,000 appliances with 300. A larger request is
    /// refused, and a larger answer must be read by its client within the time for the answer.
    private static let maximumHeldRequest = 64 << 10
    private static let maximumHeldAnswer = 512 << 10

    private let loop: ServeLoop
    private let request: RequestHead
    private let device: DescribedDevice
    private let authority: String
    private var body: BodyWriter
    private var upstream: UpstreamConnection?
    /// True if it must not overlap with another.
    private let isExclusive: Bool
    /// Its place at the upstream, or before that in the queue.
    private var turn: UpstreamTurn?
    private(set) var hasTurn = false
    private var sent = NIODeadline.distantPast
    private var isReused = false
    /// When a reused connection was last used.
    private var lastUsed = NIODeadline.distantPast
    private var isOver = false
    /// The part of the body that cannot be passed on yet: a short body is collected completely, of any other
    /// one read.
    private var early: [ByteBuffer] = []
    private var earlyEnd: FieldBlock?
    private var isGathering: Bool
    private var isWaiting = false
    private var bodyByteCount = 0
    /// The number of body bytes at the previous pace check.
    private var seenByteCount = 0
    private var requestHasEnded = false
    private var answer = BodyWriter(.none)
    private var answerHasBegun = false
    /// The answer as far as it has come, if the client gets it as a whole.
    private var held: ByteBuffer?
    /// True if the client may have got a part of the answer.
    private(set) var responseHasStarted = false
    /// True if the connection to the upstream may carry another request.
    private var keepsUpstream = true
    private var noted: NotedRequest?

    init(
        _ client: some GatewayClient, on loop: ServeLoop, request: RequestHead, from device: DescribedDevice,
        authority: String
    ) {
        self.client = client
        self.loop = loop
        self.request = request
        self.device = device
        self.authority = authority
        body = BodyWriter(request.body)
        noted = NotedRequest(request)
        isExclusive = loop.shared.link.turns.isExclusive
        isGathering =
            if isExclusive {
                request.body.hasBytes
            } else if case .length(1...ForwardedRequest.gatheredByteCount) = request.body {
                !request.expectsContinue
            } else {
                false
            }
    }

    /// Uses an idle connection or opens one; with a short body, once it has been collected.
    func start() {
        if isExclusive, isGathering, request.expectsContinue {
            client.write("HTTP/1.1 100 Continue\r\n\r\n")
            client.flush()
        }
        if !isGathering { reach() }
    }

    /// Asks for its turn.
    private func reach() {
        let entry = shared.link.turns.enter(
            .person(.device(fingerprint: device.fields.fingerprint)), on: loop.eventLoop,
            within: AnswerTimes.turn
        ) { [weak self] refusal in
            guard let self, !isOver else { return }
            if let refusal { fail(ServeReply(refusal)) } else { begin() }
        }
        switch entry {
        case .refused(let refusal): fail(ServeReply(refusal))
        case .waits(let turn): self.turn = turn
        case .begins(let turn):
            self.turn = turn
            begin()
        }
    }

    /// Its turn has come.
    private func begin() {
        hasTurn = true
        if requestHasEnded { client.startAnswerTimer() }
        keepsUpstream =
            request.upgrade == nil && (!request.body.hasBytes || shared.upstreamHabits.readsBodies)
        let pool = loop.pool
        let isRepeatable = request.isRepeatable
        guard keepsUpstream, isRepeatable || shared.upstreamHabits.isTrusted,
            let pooled = pool.take(for: device.device.pin, isFresh: !isRepeatable)
        else { return connect() }
        isReused = true
        lastUsed = pooled.idleSince
        // Deferred, so that pending events of the connection, above all its end, are handled first.
        loop.eventLoop.assumeIsolated().execute { [self] in
            guard !isOver else { return pooled.close() }
            guard pooled.isActive else { return connect() }
            attach(pooled)
        }
    }

    private func connect() {
        isReused = false
        shared.link.connect(on: loop.eventLoop) { [self] result in
            switch result {
            case .success(let connection):
                guard !isOver else { return connection.close() }
                attach(connection)
            case .failure(let error):
                guard !isOver else { return }
                shared.link.note(
                    fault: UpstreamLink.words(for: error), isToldAtOnce: UpstreamLink.isToldAtOnce(error))
                fail(.upstreamDown)
            }
        }
    }

    private func attach(_ connection: UpstreamConnection) {
        upstream = connection
        sent = .now()
        connection.begin(self, method: request.method, upgrades: request.upgrade != nil)
        body = BodyWriter(request.body)
        let head = request.forwarded(
            for: device.fields.lines, authority: authority, closes: !keepsUpstream)
        // Head and body are written together: a server that answers before it has read the body closes the
        // connection, some without announcing it.
        var bytes = ByteBuffer(bytes: head)
        for var piece in early {
            guard let (before, after) = body.piece(piece.readableBytes) else { return client.close() }
            bytes.writeString(before)
            bytes.writeBuffer(&piece)
            bytes.writeString(after)
        }
        if let earlyEnd {
            guard let end = body.end(earlyEnd) else { return client.close() }
            bytes.writeBytes(end)
        }
        connection.write(bytes)
        // A repeatable request has no body; its end is kept for the repetition.
        early = []
        connection.flush()
        client.resumeReading()
    }

    private var shared: ServerContext { loop.shared }

    // MARK: The client's side

    /// True if further bytes from the client can be passed on.
    var mayReadClient: Bool { isGathering || upstream?.isWritable ?? false }

    func clientBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        bodyByteCount += bytes.readableBytes
        guard bodyByteCount <= shared.limits.bodyByteCount else {
            return client.refuse(ServeReply(.tooLarge(limit: shared.limits.bodyByteCount)))
        }
        noted?.take(bytes.readableBytesView)
        if isExclusive, isGathering, bodyByteCount > ForwardedRequest.maximumHeldRequest {
            guard !shared.link.isKnown else {
                return client.refuse(ServeReply(.tooLarge(limit: ForwardedRequest.maximumHeldRequest)))
            }
            early.append(bytes)
            isGathering = false
            return reach()
        }
        if upstream == nil { early.append(bytes) } else { _ = pass(bytes) }
    }

    /// True if the client, and not the upstream, takes its time.
    var isHeldUpByClient: Bool { responseHasStarted && !client.isWritable }

    /// True if the client has sent enough of the body since the previous call.
    func clientKeepsPace() -> Bool {
        defer { seenByteCount = bodyByteCount }
        return bodyByteCount - seenByteCount >= shared.limits.bodyPaceByteCount
    }

    func clientEnd(_ trailers: FieldBlock) {
        requestHasEnded = true
        guard !isOver else { return }
        guard upstream == nil else {
            passEnd(trailers)
            upstream?.flush()
            return
        }
        earlyEnd = trailers
        guard isGathering else { return }
        isGathering = false
        reach()
    }

    func clientReadComplete() {
        upstream?.flush()
        guard isGathering, !isWaiting, !isExclusive else { return }
        isWaiting = true
        loop.eventLoop.assumeIsolated().scheduleTask(in: ForwardedRequest.gatheringTime) {
            [weak self] in
            guard let self, !isOver, isGathering else { return }
            isGathering = false
            reach()
        }
    }

    func clientWritabilityChanged() {
        if client.isWritable { upstream?.resumeReading() }
    }

    /// Forwards bytes of the body; returns false after closing if the head does not announce them.
    private func pass(_ bytes: ByteBuffer) -> Bool {
        guard let upstream else { return false }
        guard let (before, after) = body.piece(bytes.readableBytes) else {
            // Unreachable with a single request parser. If it ever happens, the upstream must not read on.
            client.close()
            return false
        }
        if !before.isEmpty { upstream.write(ByteBuffer(string: before)) }
        upstream.write(bytes)
        if !after.isEmpty { upstream.write(ByteBuffer(string: after)) }
        return true
    }

    private func passEnd(_ trailers: FieldBlock) {
        guard let end = body.end(trailers) else { return client.close() }
        if !end.isEmpty { upstream?.write(ByteBuffer(bytes: end)) }
    }

    /// Called when the client is gone or gets another answer.
    func cancel() {
        guard !isOver else { return }
        isOver = true
        if upstream != nil { noted?.tell(shared.orders, status: nil, by: device.device) }
        if isExclusive, requestHasEnded, let upstream, let turn {
            _ = LateAnswer(on: upstream, turn, since: sent, shared.link, loop.eventLoop)
        } else {
            upstream?.abandon()
        }
        upstream = nil
        turn = nil
    }

    // MARK: The upstream's side

    /// True if further bytes from the upstream can be passed on.
    var mayReadUpstream: Bool { client.isWritable || held != nil }

    func upstreamHead(_ response: ResponseHead) {
        guard !isOver else { return }
        if response.isInformational {
            // Informational responses such as 100 (Continue), which HTTP/1.0 does not define.
            // The client of a collected request has been told to go on.
            if !request.isHTTP10, !isExclusive { write(response, framing: .none, connection: nil) }
            return
        }
        shared.upstreamHabits.noteAnswer(response, isReused: isReused)
        answerHasBegun = true
        noted?.tell(shared.orders, status: response.status, by: device.device)
        if request.mayChangeStates, response.status < 400 { shared.link.noteOrder() }
        if RequestKind(request) == .changing { shared.guests.forget() }
        let mayLast = response.status == 101 || response.isEventStream
        if isExclusive, !mayLast {
            held = ByteBuffer()
        } else {
            shared.link.noteAnswer()
            responseHasStarted = true
            turn = nil
            // Until the request is complete, its deadline still applies.
            if requestHasEnded { client.stopTimer() }
        }
        if response.status == 101 {
            return write(
                response, framing: .none, connection: "Upgrade", upgrade: request.upgrade ?? "websocket")
        }
        let (announced, written) = response.framing(forHTTP10: request.isHTTP10)
        answer = BodyWriter(written)
        // Otherwise the client could not find the end of the answer, or the rest of its request might never
        // be read.
        if written == .untilClose || !requestHasEnded { client.closeAfterAnswer() }
        write(response, framing: announced, connection: client.connectionOption)
    }

    private func write(
        _ response: ResponseHead, framing: BodyFraming, connection: String?, upgrade: String? = nil
    ) {
        let head = response.forwarded(
            framing: framing, connection: connection, upgrade: upgrade, toBrowser: request.isOfBrowser)
        deliver(ByteBuffer(bytes: head))
    }

    /// Gives a part of the answer to the client, or holds it back.
    private func deliver(_ bytes: ByteBuffer) {
        guard held != nil else { return client.write(bytes) }
        var bytes = bytes
        held?.writeBuffer(&bytes)
        guard held?.readableBytes ?? 0 > ForwardedRequest.maximumHeldAnswer else { return }
        release()
        client.flush()
    }

    private func release() {
        guard let bytes = held else { return }
        held = nil
        responseHasStarted = true
        client.write(bytes)
    }

    func upstreamBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        guard let (before, after) = answer.piece(bytes.readableBytes) else { return fail(.upstreamMalformed) }
        if !before.isEmpty { deliver(ByteBuffer(string: before)) }
        deliver(bytes)
        if !after.isEmpty { deliver(ByteBuffer(string: after)) }
    }

    func upstreamReadComplete() { if !isOver { client.flush() } }

    func upstreamWritabilityChanged() { client.resumeReading() }

    /// - Parameter leavesUsable: true if the answer allows another request on the connection.
    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool) {
        guard !isOver, let upstream else { return }
        isOver = true
        self.upstream = nil
        if leavesUsable, requestHasEnded, keepsUpstream {
            loop.pool.put(upstream, for: device.device.pin)
        } else {
            upstream.close()
        }
        turn = nil
        guard let end = answer.end(trailers) else { return client.close() }
        if isExclusive { shared.link.noteAnswer() }
        release()
        client.write(end)
        client.finish()
    }

    /// The upstream's connection carries another protocol from here on.
    func upstreamHasSwitched() {
        guard !isOver, let upstream else { return }
        isOver = true
        self.upstream = nil
        turn = nil
        client.join(upstream)
    }

    /// The upstream's connection has ended or failed before the answer was complete.
    func upstreamClosed() {
        guard !isOver else { return }
        upstream = nil
        if isReused, !answerHasBegun {
            shared.upstreamHabits.noteEnd(lastUsed: lastUsed)
            // The upstream has closed the idle connection.
            if request.isRepeatable { return connect() }
        }
        noted?.tell(shared.orders, status: nil, by: device.device)
        fail(.upstreamMalformed)
    }

    /// The upstream's answer cannot be parsed.
    func upstreamFailed(_ fault: FramingError) {
        guard !isOver else { return }
        upstream = nil
        // What is no answer at all may be late bytes behind the previous one.
        if fault == .badStatusLine, isReused, !answerHasBegun, request.isRepeatable { return connect() }
        fail(.upstreamMalformed(fault))
    }

    private func fail(_ reply: ServeReply) {
        // After a partial answer, only an aborted connection tells the client that it is incomplete.
        client.refuse(reply)
    }
}
