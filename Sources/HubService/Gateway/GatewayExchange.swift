import GatewayRules
import NIOCore
import Pairing

/// One request on its way to the upstream, and its answer back: both stream, and neither side is read faster
/// than the other takes it.
///
/// A connection to the upstream that has been used may be closed by it at any moment. So only a request that
/// may be sent twice goes over any of them. Every other one goes over one that was in use a moment ago, if
/// the upstream is known to keep connections and to read bodies (``UpstreamHabits``), and its body could not
/// be read as a request (``PlainBody``); else it gets a connection of its own. After a body that could, the
/// upstream is told that no other request follows.
final class GatewayExchange: UpstreamAnswerReceiver {
    /// It cancels this exchange before it is freed, so it exists until `isOver`; after that it must not be
    /// touched.
    private unowned let client: any GatewayClient
    /// How long the rest of a short body is waited for: many clients send it right behind the head.
    private static let gatheringTime = TimeAmount.milliseconds(2)

    private let loop: ServeLoop
    private let request: RequestHead
    private let device: DescribedDevice
    private let authority: String
    private var body: BodyWriter
    private var upstream: UpstreamConnection?
    private var isReused = false
    /// When the used connection was used before.
    private var lastUsed = NIODeadline.distantPast
    private var isOver = false
    /// The body, or its beginning, while it cannot be passed on yet: a short one waits until it is whole, of
    /// any other as much as one read brings.
    private var early: [ByteBuffer] = []
    private var earlyEnd: FieldBlock?
    private var isGathering: Bool
    private var isWaiting = false
    private var bodyByteCount = 0
    /// What had come of the body when the client's pace was last looked at.
    private var seenByteCount = 0
    private var requestHasEnded = false
    private var answer = BodyWriter(.none)
    private(set) var responseHasStarted = false
    /// True if the upstream may get another request on the connection.
    private var keepsUpstream = true
    /// The status that a used connection has answered with, if that is in doubt.
    private var doubtedStatus: Int?

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
        isGathering =
            if case .length(1...PlainBody.maximumByteCount) = request.body {
                !request.expectsContinue && loop.shared.upstreamHabits.mayKeepAfterBody
            } else {
                false
            }
    }

    /// Takes a connection that is open, or opens one; a request with a short body waits for that first.
    func start() {
        if !isGathering { reach(holdsPlainBody: !request.body.hasBytes) }
    }

    private func reach(holdsPlainBody: Bool) {
        keepsUpstream = holdsPlainBody && request.upgrade == nil
        let pool = loop.pool
        let isRepeatable = request.isRepeatable
        guard keepsUpstream, isRepeatable || shared.upstreamHabits.isTrusted,
            let pooled = pool.take(for: device.device.pin, isFresh: !isRepeatable)
        else { return connect() }
        isReused = true
        lastUsed = pooled.idleSince
        // What the event loop has already heard of the connection, its end above all, comes first.
        loop.eventLoop.assumeIsolated().execute { [self] in
            guard !isOver else { return pooled.close() }
            guard pooled.isActive else { return connect() }
            attach(pooled)
        }
    }

    private func connect() {
        isReused = false
        loop.pool.connect { [self] result in
            switch result {
            case .success(let connection):
                shared.noteUpstream(fault: nil)
                guard !isOver else { return connection.close() }
                attach(connection)
            case .failure(let error):
                guard !isOver else { return }
                shared.noteUpstream(fault: "\(error)")
                fail(.upstreamDown)
            }
        }
    }

    private func attach(_ connection: UpstreamConnection) {
        upstream = connection
        connection.begin(self, request)
        body = BodyWriter(request.body)
        let head = request.forwarded(
            for: device.fields.lines, authority: authority, closes: !keepsUpstream)
        // In one piece: a server that answers before it has read the body closes the connection, some without
        // saying so.
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
        // A request that may be sent again has no body; its end is kept for that.
        early = []
        connection.flush()
        client.resumeReading()
    }

    private var shared: ServerContext { loop.shared }

    // MARK: The client's side

    /// True if what the client sends next can be passed on.
    var mayReadClient: Bool { isGathering || upstream?.isWritable ?? false }

    func clientBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        bodyByteCount += bytes.readableBytes
        guard bodyByteCount <= shared.limits.bodyByteCount else {
            return client.refuse(ServeReply(.tooLarge(limit: shared.limits.bodyByteCount)))
        }
        if upstream == nil { early.append(bytes) } else { _ = pass(bytes) }
    }

    /// True if the client has sent enough of the body since it was asked last.
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
        var body = PlainBody()
        for bytes in early { bytes.withUnsafeReadableBytes { body.take($0) } }
        reach(holdsPlainBody: body.isPlain)
    }

    func clientReadComplete() {
        upstream?.flush()
        guard isGathering, !isWaiting else { return }
        isWaiting = true
        loop.eventLoop.assumeIsolated().scheduleTask(in: GatewayExchange.gatheringTime) {
            [weak self] in
            guard let self, !isOver, isGathering else { return }
            isGathering = false
            reach(holdsPlainBody: false)
        }
    }

    func clientWritabilityChanged() {
        if client.isWritable { upstream?.resumeReading() }
    }

    /// Writes bytes of the body; false if the head has not announced them, and all is over.
    private func pass(_ bytes: ByteBuffer) -> Bool {
        guard let upstream else { return false }
        guard let (before, after) = body.piece(bytes.readableBytes) else {
            // Not possible while one reader cuts requests; if it ever is, the upstream must not read on.
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

    /// The client is gone, or is answered otherwise.
    func cancel() {
        guard !isOver else { return }
        isOver = true
        upstream?.abandon()
        upstream = nil
    }

    // MARK: The upstream's side

    /// True if what the upstream sends next can be passed on.
    var mayReadUpstream: Bool { client.isWritable }

    func upstreamHead(_ response: ResponseHead) {
        guard !isOver else { return }
        if response.isInformational {
            // 100 (Continue) and its like; HTTP/1.0 knows none.
            if !request.isHTTP10 { client.write(response.forwarded(framing: .none, connection: nil)) }
            return
        }
        if isInDoubt(response) { return askAgain(response.status) }
        shared.upstreamHabits.noteAnswer(
            response, doubted: doubtedStatus, followsBody: isReused && upstream?.followsBody == true,
            isReused: isReused)
        responseHasStarted = true
        // The rest of the request must go on coming.
        if requestHasEnded { client.stopTimer() }
        if response.status == 101 {
            client.write(
                response.forwarded(
                    framing: .none, connection: "Upgrade", upgrade: request.upgrade ?? "websocket"))
            return
        }
        let (announced, written) = response.framing(forHTTP10: request.isHTTP10)
        answer = BodyWriter(written)
        // The client cannot find the end of the answer otherwise, or the rest of its request may never be
        // read.
        if written == .untilClose || !requestHasEnded { client.closeAfterAnswer() }
        client.write(response.forwarded(framing: announced, connection: client.connectionOption))
    }

    func upstreamBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        guard let (before, after) = answer.piece(bytes.readableBytes) else { return fail(.upstreamMalformed) }
        if !before.isEmpty { client.write(before) }
        client.write(bytes)
        if !after.isEmpty { client.write(after) }
    }

    func upstreamReadComplete() { if !isOver { client.flush() } }

    func upstreamWritabilityChanged() { client.resumeReading() }

    /// - Parameter leavesUsable: another request may be sent on the connection, as far as the answer goes.
    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool) {
        guard !isOver, let upstream else { return }
        isOver = true
        self.upstream = nil
        if leavesUsable, requestHasEnded, keepsUpstream {
            loop.pool.put(upstream, for: device.device.pin)
        } else {
            upstream.close()
        }
        guard let end = answer.end(trailers) else { return client.close() }
        client.write(end)
        client.finish()
    }

    /// The upstream's connection is another protocol's from here on.
    func upstreamHasSwitched() {
        guard !isOver, let upstream else { return }
        isOver = true
        self.upstream = nil
        client.join(upstream)
    }

    /// The upstream's connection has ended, or failed, before the end of the answer.
    func upstreamClosed() {
        guard !isOver else { return }
        upstream = nil
        if isReused, !responseHasStarted {
            shared.upstreamHabits.noteEnd(lastUsed: lastUsed)
            // It was closed while it lay in the pool.
            if request.isRepeatable { return connect() }
        }
        fail(.upstreamMalformed)
    }

    /// The upstream's answer cannot be cut.
    func upstreamFailed(_ fault: FramingError) {
        guard !isOver else { return }
        upstream = nil
        fail(.upstreamMalformed(fault))
    }

    private func fail(_ reply: ServeReply) {
        // Once an answer has begun, only a connection that breaks off tells the client that it is not whole.
        client.refuse(reply)
    }

    /// True if the answer may be to bytes that the upstream has left unread of the request before.
    private func isInDoubt(_ response: ResponseHead) -> Bool {
        isReused && request.isRepeatable && upstream?.followsBody == true
            && !shared.upstreamHabits.readsBodies && UpstreamHabits.isDoubtful(response.status)
    }

    private func askAgain(_ status: Int) {
        doubtedStatus = status
        upstream?.abandon()
        upstream = nil
        connect()
    }
}
