import GatewayRules
import NIOCore
import Synchronization

/// Requests of the hub itself to the upstream: what the household asks and orders.
///
/// They go over connections of their own, which carry no device's own requests, and identify themselves with
/// the device that they are made for, else with the hub's fingerprint, name and the role `owner`.
/// Requests beyond `maximumAtOnce` wait in order.
final class UpstreamCalls: Sendable {
    /// The maximum number of concurrent requests: a scene switches its appliances together, and the upstream
    /// is a small computer.
    static let maximumAtOnce = 16
    /// The maximum number of waiting requests: those of one scene at its limit, and some.
    static let maximumWaiting = 2_000
    /// The maximum size of an answer's body in bytes: an upstream gone wrong must not fill the memory.
    static let maximumBodyByteCount = 4 << 20

    private let eventLoop: any EventLoop
    private let state: NIOLoopBound<UpstreamCallQueue>

    /// - Parameters:
    ///   - sender: identifies the hub to the upstream.
    ///   - eventLoop: runs the connections.
    init(_ link: UpstreamLink, as sender: DeviceFields, on eventLoop: any EventLoop) async throws {
        self.eventLoop = eventLoop
        state = try await eventLoop.submit {
            NIOLoopBound(UpstreamCallQueue(link, sender: sender, on: eventLoop), eventLoop: eventLoop)
        }.get()
    }

    /// Sends one request, and returns the upstream's answer, whatever its status.
    ///
    /// A GET whose reused connection has closed is sent again; nothing else is sent twice.
    ///
    /// - Parameters:
    ///   - target: a path with its query, percent-encoded.
    ///   - json: the body; nil: none.
    ///   - time: for the connection and the answer, from the moment when the request no longer waits for
    ///     others.
    ///   - sender: the device that asked the hub for it; nil: the hub itself.
    func call(
        _ method: String, _ target: String, json: [UInt8]? = nil,
        within time: Duration = AnswerTimes.upstream, as sender: DeviceFields? = nil,
        accepts: String = UpstreamCall.json, authorization: String? = nil
    ) async throws(UpstreamCallError) -> UpstreamReply {
        try await call(
            UpstreamCall.Request(
                method: method, target: target, json: json, time: TimeAmount(time), sender: sender,
                authorization: authorization,
                lane: .person(sender.map { .device(fingerprint: $0.fingerprint) } ?? .hub), accepts: accepts))
    }

    /// Reads what nobody has asked for just now; people come first.
    ///
    /// - Parameter isProbe: true to send it although the upstream has not answered others.
    func poll(_ target: String, isProbe: Bool = false) async throws(UpstreamCallError) -> UpstreamReply {
        try await call(
            UpstreamCall.Request(
                method: "GET", target: target, json: nil, time: TimeAmount(AnswerTimes.poll), lane: .poll,
                isProbe: isProbe))
    }

    private func call(_ request: UpstreamCall.Request) async throws(UpstreamCallError) -> UpstreamReply {
        let ticket = UpstreamCallTicket()
        let (state, eventLoop) = (state, eventLoop)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                eventLoop.execute {
                    state.value.start(request, ticket) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            ticket.isCancelled.store(true, ordering: .releasing)
            eventLoop.execute { state.value.cancel(ticket) }
        }
        return try result.get()
    }

    /// Gives up all requests and closes the connections; later requests fail.
    func stop() async {
        let state = state
        try? await eventLoop.submit { state.value.stop() }.get()
    }
}

/// Identifies a request from the task that waits for it. A cancellation may arrive before the request.
final class UpstreamCallTicket: Sendable {
    let isCancelled = Atomic<Bool>(false)
}

/// The hub's requests that wait or are in progress, and its idle connections; used only on its event loop.
final class UpstreamCallQueue {
    /// How many idle connections are kept, and for how long.
    private static let maximumIdle = 4
    private static let idleTime = TimeAmount.seconds(30)

    let eventLoop: any EventLoop
    let link: UpstreamLink
    private let sender: DeviceFields
    private var idle: [UpstreamConnection] = []
    private var waiting: [(ticket: UpstreamCallTicket, call: UpstreamCall)] = []
    private var running: [ObjectIdentifier: UpstreamCall] = [:]
    private(set) var hasStopped = false
    private var isSweeping = false

    init(_ link: UpstreamLink, sender: DeviceFields, on eventLoop: any EventLoop) {
        (self.link, self.sender, self.eventLoop) = (link, sender, eventLoop)
    }

    func start(
        _ request: UpstreamCall.Request, _ ticket: UpstreamCallTicket,
        _ done: @escaping (Result<UpstreamReply, UpstreamCallError>) -> Void
    ) {
        guard !ticket.isCancelled.load(ordering: .acquiring), !hasStopped else {
            return done(.failure(.cancelled))
        }
        guard link.upstream != nil else { return done(.failure(.noUpstream)) }
        guard waiting.count < UpstreamCalls.maximumWaiting else { return done(.failure(.tooMany)) }
        let call = UpstreamCall(request, in: self) { [weak self] result in
            self?.running[ObjectIdentifier(ticket)] = nil
            done(result)
            self?.startNext()
        }
        if request.isProbe {
            // Those before it may wait for what it finds out.
            running[ObjectIdentifier(ticket)] = call
            return call.start()
        }
        waiting.append((ticket, call))
        startNext()
    }

    func cancel(_ ticket: UpstreamCallTicket) {
        if let call = running[ObjectIdentifier(ticket)] { return call.fail(.cancelled) }
        guard let index = waiting.firstIndex(where: { $0.ticket === ticket }) else { return }
        waiting.remove(at: index).call.fail(.cancelled)
    }

    func stop() {
        hasStopped = true
        let all = waiting.map(\.call) + running.values
        waiting = []
        for call in all { call.fail(.cancelled) }
        for connection in idle { connection.close() }
        idle = []
    }

    private func startNext() {
        while running.count < UpstreamCalls.maximumAtOnce, !waiting.isEmpty {
            let (ticket, call) = waiting.removeFirst()
            running[ObjectIdentifier(ticket)] = call
            call.start()
        }
    }

    /// The head of a request, with its empty line.
    func head(_ request: UpstreamCall.Request, closes: Bool) -> [UInt8] {
        var text = "\(request.method) \(request.target) HTTP/1.1\r\n"
        text += "Host: \(link.upstream?.authority ?? "")\r\nAccept: \(request.accepts)\r\n"
        if let json = request.json {
            text += "Content-Type: application/json\r\nContent-Length: \(json.count)\r\n"
        }
        if let authorization = request.authorization { text += "Authorization: \(authorization)\r\n" }
        if closes { text += "Connection: close\r\n" }
        return Array(text.utf8) + (request.sender ?? sender).lines + Array("\r\n".utf8)
    }

    /// An idle connection on which the request may be sent; nil if there is none.
    func takeIdle(for request: UpstreamCall.Request) -> UpstreamConnection? {
        idle.removeAll { !$0.isActive }
        guard request.isRepeatable || link.habits.isTrusted else { return nil }
        let index = idle.lastIndex { request.isRepeatable || link.habits.isFresh($0.idleSince) }
        return index.map { idle.remove(at: $0) }
    }

    func put(_ connection: UpstreamConnection) {
        guard !hasStopped, connection.isActive, idle.count < UpstreamCallQueue.maximumIdle else {
            return connection.close()
        }
        connection.rest()
        idle.append(connection)
        sweepLater()
    }

    private func sweepLater() {
        guard !isSweeping, !idle.isEmpty else { return }
        isSweeping = true
        eventLoop.assumeIsolated().scheduleTask(in: UpstreamCallQueue.idleTime) { [weak self] in
            guard let self else { return }
            isSweeping = false
            let limit = NIODeadline.now() - UpstreamCallQueue.idleTime
            for connection in idle where connection.idleSince <= limit { connection.close() }
            idle.removeAll { !$0.isActive }
            sweepLater()
        }
    }
}
