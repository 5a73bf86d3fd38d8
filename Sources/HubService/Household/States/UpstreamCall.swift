import GatewayRules
import NIOCore

/// One request of the hub itself, and its answer; used only on its event loop.
final class UpstreamCall: UpstreamAnswerReceiver {
    struct Request: Sendable {
        let method: String
        let target: String
        let json: [UInt8]?
        let time: TimeAmount
        /// The device for which it is sent; nil: the hub itself.
        let sender: DeviceFields?

        /// True if it may be sent again after a reused connection has closed.
        var isRepeatable: Bool { method == "GET" && json == nil }
    }

    private let request: Request
    private let queue: UpstreamCallQueue
    private let done: (Result<UpstreamReply, UpstreamCallError>) -> Void
    private var connection: UpstreamConnection?
    private var deadline: Scheduled<Void>?
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
    }

    func start() {
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
            case .failure(let error): fail(.unreachable("\(error)"))
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
    }

    /// Ends the request without an answer.
    func fail(_ error: UpstreamCallError) {
        guard !isOver else { return }
        switch error {
        case .unreachable, .timeout: queue.link.note(fault: error.description)
        // A TLS handshake that fails ends like this.
        case .brokeOff where !isReused && status == nil: queue.link.note(fault: error.description)
        default: break
        }
        connection?.abandon()
        finish(.failure(error))
    }

    private func finish(_ result: Result<UpstreamReply, UpstreamCallError>) {
        isOver = true
        deadline?.cancel()
        connection = nil
        done(result)
    }

    // MARK: The upstream's side

    var mayReadUpstream: Bool { true }

    func upstreamHead(_ response: ResponseHead) {
        guard !isOver, !response.isInformational else { return }
        queue.link.habits.noteAnswer(response, isReused: isReused)
        status = response.status
        // The system may be reached again, though the answer is not complete yet.
        queue.link.note(fault: nil)
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
