import GatewayRules
import NIOCore

/// One request of the hub itself, and its answer; used only on its event loop.
final class UpstreamCall: UpstreamAnswerReceiver {
    static let json = "application/json"

    struct Request: Sendable {
        let method: String
        let target: String
        let json: [UInt8]?
        let time: TimeAmount
        /// The device for which it is sent; nil: the hub itself.
        var sender: DeviceFields?
        /// The value of a field `Authorization`.
        var authorization: String?
        var lane = UpstreamQueue<UpstreamTurns.Sender>.Lane.person(.hub)
        /// True if it finds out whether the upstream answers: then it is sent although others had no answer.
        var isProbe = false
        /// What it takes for an answer (RFC 9110 § 12.5.1).
        var accepts = UpstreamCall.json

        /// True if it may be sent again after a reused connection has closed.
        var isRepeatable: Bool { method == "GET" && json == nil }
    }

    private let request: Request
    private let queue: UpstreamCallQueue
    private let done: (Result<UpstreamReply, UpstreamCallError>) -> Void
    private var connection: UpstreamConnection?
    private var deadline: Scheduled<Void>?
    /// Its place at the upstream, or before that in the queue.
    private var turn: UpstreamTurn?
    private var sent: NIODeadline?
    private let isExclusive: Bool
    private var isReused = false
    private var lastUsed = NIODeadline.distantPast
    private var keepsConnection = true
    private var isOver = false
    private var status: Int?
    private var body: [UInt8] = []

    init(
        _ request: Request, in queue: UpstreamCallQueue,
        _ done: @escaping (Result<UpstreamReply, UpstreamCallError>) -> Void
    ) {
        (self.request, self.queue, self.done) = (request, queue, done)
        isExclusive = queue.link.turns.isExclusive
    }

    var isProbe: Bool { request.isProbe }

    func start() {
        let entry = queue.link.turns.enter(
            request.lane, on: queue.eventLoop, within: nil, isProbe: isProbe
        ) { [weak self] refusal in
            guard let self, !isOver else { return }
            if let refusal { fail(.refused(refusal)) } else { begin() }
        }
        switch entry {
        case .refused(let refusal): fail(.refused(refusal))
        case .waits(let turn): self.turn = turn
        case .begins(let turn):
            self.turn = turn
            begin()
        }
    }

    /// Its turn has come.
    private func begin() {
        deadline = queue.eventLoop.assumeIsolated().scheduleTask(in: request.time) { [weak self] in
            self?.fail(.timeout)
        }
        guard let idle = queue.takeIdle(for: request) else { return connect() }
        isReused = true
        lastUsed = idle.idleSince
        // Deferred, so that pending events of the connection, above all its end, are handled first.
        queue.eventLoop.assumeIsolated().execute { [self] in
            guard !isOver else { return idle.close() }
            guard idle.isActive else { return connect() }
            send(on: idle)
        }
    }

    private func connect() {
        isReused = false
        queue.link.connect(on: queue.eventLoop) { [self] result in
            switch result {
            case .success(let connection):
                guard !isOver else { return connection.close() }
                send(on: connection)
            case .failure(let error):
                let isToldAtOnce = UpstreamLink.isToldAtOnce(error)
                fail(.unreachable(UpstreamLink.words(for: error), isToldAtOnce: isToldAtOnce))
            }
        }
    }

    private func send(on connection: UpstreamConnection) {
        self.connection = connection
        // A body that the upstream leaves unread would be taken for the next request (UpstreamHabits).
        keepsConnection = request.json == nil || queue.link.habits.readsBodies
        connection.begin(self, method: request.method)
        var bytes = ByteBuffer(bytes: queue.head(request, closes: !keepsConnection))
        if let json = request.json { bytes.writeBytes(json) }
        connection.write(bytes)
        connection.flush()
        sent = .now()
    }

    /// Ends the request without an answer.
    func fail(_ error: UpstreamCallError) {
        guard !isOver else { return }
        switch error {
        case .unreachable(_, let isToldAtOnce):
            queue.link.note(fault: error.description, isToldAtOnce: isToldAtOnce)
        // The list of appliances is what everybody asks for; an order may wait for its appliance.
        case .timeout where request.lane == .poll: queue.link.note(fault: error.description)
        case .timeout: queue.link.noteTimeout()
        // A TLS handshake that fails ends like this.
        case .brokeOff where !isReused && status == nil:
            queue.link.note(fault: error.description, isToldAtOnce: true)
        default: break
        }
        if isExclusive, let sent, let connection, let turn, !queue.hasStopped {
            _ = LateAnswer(on: connection, turn, since: sent, queue.link, queue.eventLoop)
        } else {
            connection?.abandon()
        }
        finish(.failure(error))
    }

    private func finish(_ result: Result<UpstreamReply, UpstreamCallError>) {
        isOver = true
        deadline?.cancel()
        connection = nil
        turn = nil
        done(result)
    }

    // MARK: The upstream's side

    var mayReadUpstream: Bool { true }

    func upstreamHead(_ response: ResponseHead) {
        guard !isOver, !response.isInformational else { return }
        queue.link.habits.noteAnswer(response, isReused: isReused)
        status = response.status
    }

    func upstreamBody(_ bytes: ByteBuffer) {
        guard !isOver else { return }
        guard bytes.readableBytes <= UpstreamCalls.maximumBodyByteCount - body.count else {
            return fail(.tooLarge)
        }
        body.append(contentsOf: bytes.readableBytesView)
    }

    func upstreamReadComplete() {}
    func upstreamWritabilityChanged() {}

    func upstreamEnd(_ trailers: FieldBlock, leavesUsable: Bool) {
        guard !isOver, let connection, let status else { return }
        if request.method != "GET", status < 400 { queue.link.noteOrder() }
        queue.link.noteAnswer()
        if leavesUsable, keepsConnection { queue.put(connection) } else { connection.close() }
        finish(.success(UpstreamReply(status: status, body: body)))
    }

    func upstreamHasSwitched() { fail(.malformed(.unexpectedSwitch)) }

    func upstreamClosed() {
        guard !isOver else { return }
        connection = nil
        if isReused, status == nil {
            queue.link.habits.noteEnd(lastUsed: lastUsed)
            if request.isRepeatable { return connect() }
        }
        fail(.brokeOff)
    }

    func upstreamFailed(_ fault: FramingError) {
        guard !isOver else { return }
        connection = nil
        fail(.malformed(fault))
    }
}
