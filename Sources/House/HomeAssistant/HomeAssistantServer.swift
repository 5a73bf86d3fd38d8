import FoundationEssentials
import GatewayRules
import Home
import HubService
import Identity
import JSON
import NIOCore
import Pairing
import Synchronization

/// A Home Assistant that has joined the house: a conversation with it by WebSocket, which begins again
/// whenever it ends.
final class HomeAssistantServer: JoinedHouse {
    private static let path = "/api/websocket"
    /// From one try to the next: doubled up to the second one.
    private static let pauses = (Duration.milliseconds(250), Duration.seconds(10))
    /// A conversation that lasted so long was a good one, and the next try is soon.
    private static let goodTime = Duration.seconds(10)
    /// After a token that it does not take: each try is a failed login there, of which its people are told,
    /// and for which it may ban the hub.
    private static let refusedPause = Duration.seconds(600)
    /// How often it is asked whether it lives, and how long it may be silent.
    private static let beat = Duration.seconds(25)
    private static let silence = Duration.seconds(75)
    /// How long all there is may take to come at the beginning.
    private static let telling = Duration.seconds(60)
    /// The most orders that wait for an answer.
    private static let maximumOrders = 256

    private typealias Outcome = Result<Void, ServerError>

    private struct State {
        var model = HomeAssistantModel()
        var writer: WebSocketLink.Writer?
        var waiting: [Int: CheckedContinuation<Outcome, Never>] = [:]
        /// How many orders are being written: to one that does not read, for ever.
        var sending = 0
        var lastHeard = ContinuousClock.now
        var began = ContinuousClock.now
        /// Why it does not answer; nil: it does.
        var fault: String? = "not yet asked"
        var since: Date?
        var wasThere = false
    }

    private let server: JoinedServer
    private let group: any EventLoopGroup
    private let log: ServeLog
    private let changed: @Sendable () -> Void
    private let stands: @Sendable (Bool) -> Void
    private let state = Mutex(State())
    private let talking = Mutex<Task<Void, Never>?>(nil)

    init(
        _ server: JoinedServer, on group: any EventLoopGroup, log: ServeLog,
        changed: @escaping @Sendable () -> Void, stands: @escaping @Sendable (_ isUp: Bool) -> Void
    ) {
        (self.server, self.group, self.log) = (server, group, log)
        (self.changed, self.stands) = (changed, stands)
    }

    func start() {
        let server = { @Sendable [weak self] in self }
        talking.withLock { $0 = Task { await HomeAssistantServer.talk(server) } }
    }

    func stop() async {
        let task = talking.withLock { $0.take() }
        task?.cancel()
        await task?.value
    }

    // MARK: What is known

    func look(knowing ids: [String]) async -> ServerLook {
        state.withLock { state in
            if let fault = HomeAssistantServer.words(state) { return .away(fault, hasAnswered: false) }
            return .things(state.model.devices, unanswered: state.model.unanswered)
        }
    }

    private static func words(_ state: State) -> String? {
        guard let fault = state.fault else { return nil }
        let title = JoinedKind.homeAssistant.title
        guard let since = state.since else { return "\(title) does not answer: \(fault)" }
        return "\(title) has not answered since \(LocalTime(since).text(seenAt: Date())): \(fault)"
    }

    func hints(for thing: String) -> ThingHints? { state.withLock { $0.model.hints(thing) } }

    func thing(_ id: String) -> JoinedThing {
        state.withLock { state in
            if let thing = state.model.thing(id) { return .device(thing.device) }
            return state.fault == nil ? .absent : .unknown
        }
    }

    func orders(as sender: DeviceFields?) -> any OrderedHouse { Orders(server: self) }

    private struct Orders: OrderedHouse {
        let server: HomeAssistantServer
        var pace: Duration { .zero }

        func set(_ activator: String, of device: String, to state: JSONValue) async throws {
            try await server.set(activator, of: device, to: state)
        }

        func activator(_ id: String, of device: String) async throws -> Activator {
            guard case .device(let thing) = server.thing(device),
                let activator = thing.activators.first(where: { $0.id == id })
            else { throw ServerError.noThing("activator") }
            return activator
        }
    }

    // MARK: Orders

    private func set(_ activator: String, of id: String, to wanted: JSONValue) async throws(ServerError) {
        let (thing, fault, writer, isFull) = state.withLock { state in
            (
                state.model.thing(id), HomeAssistantServer.words(state), state.writer,
                max(state.waiting.count, state.sending) >= HomeAssistantServer.maximumOrders
            )
        }
        guard fault == nil, let writer else { throw .away(fault ?? "Home Assistant does not answer") }
        guard let thing else { throw .noThing("device") }
        let order = try HomeAssistantOrder(thing, activator, to: wanted)
        guard !thing.isUnavailable else {
            throw .refused(
                status: 500, exception: nil, details: [:],
                message: "Home Assistant cannot reach \(thing.entityID)")
        }
        guard !isFull else {
            throw .gateway(status: 503, word: "upstream_busy", message: "Home Assistant is busy")
        }
        let number = state.withLock { $0.model.nextID() }
        let alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: AnswerTimes.upstream)) != nil else { return }
            self?.finish(
                number,
                .failure(
                    .gateway(
                        status: 504, word: "upstream_timeout",
                        message: "Home Assistant took too long to answer")))
        }
        defer { alarm.cancel() }
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            state.withLock { state in
                state.waiting[number] = continuation
                state.sending += 1
            }
            Task { [self] in
                do {
                    try await writer.send(Array(order.message(id: number).text.utf8))
                } catch {
                    finish(number, .failure(.away("Home Assistant does not answer")))
                }
                state.withLock { $0.sending -= 1 }
            }
        }
        try outcome.get()
    }

    private func finish(_ number: Int, _ outcome: Outcome) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(returning: outcome)
    }

    // MARK: The conversation

    /// - Parameter server: nil once nobody has it any more.
    private static func talk(_ server: @Sendable () -> HomeAssistantServer?) async {
        var pause = pauses.0
        while !Task.isCancelled {
            guard let one = server() else { return }
            let start = ContinuousClock.now
            let end = await one.converse()
            let wasReady = one.end(end.description)
            if Task.isCancelled { return }
            if wasReady, ContinuousClock.now - start > goodTime { pause = pauses.0 }
            try? await Task.sleep(for: end.isLasting ? refusedPause : pause)
            pause = min(pause * 2, pauses.1)
        }
    }

    /// - Returns: why it is over.
    private func converse() async -> WebSocketLink.Fault {
        state.withLock { state in
            state.model.begin()
            (state.lastHeard, state.began) = (.now, .now)
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { [self] in
                    try await WebSocketLink.run(server.url, HomeAssistantServer.path, on: group) {
                        [self] writer in
                        state.withLock { $0.writer = writer }
                    } took: { [self] bytes in
                        try await take(bytes)
                    }
                }
                tasks.addTask { [self] in try await noticeSilence() }
                tasks.addTask { [self] in try await ping() }
                try await tasks.next()
                tasks.cancelAll()
            }
            return .closed
        } catch let fault as WebSocketLink.Fault {
            return fault
        } catch let fault as JSONFault {
            return WebSocketLink.Fault("its words cannot be understood: \(fault.description)")
        } catch {
            return WebSocketLink.Fault(Upstream.words(for: error))
        }
    }

    private func noticeSilence() async throws {
        while true {
            try await Task.sleep(for: HomeAssistantServer.beat)
            let isSilent = state.withLock { state in
                let now = ContinuousClock.now
                let isLate = state.fault != nil && now - state.began > HomeAssistantServer.telling
                return isLate || now - state.lastHeard > HomeAssistantServer.silence
            }
            guard !isSilent else { throw WebSocketLink.Fault("it has fallen silent") }
        }
    }

    /// Apart from ``noticeSilence()``: one that does not read lets nobody write.
    private func ping() async throws {
        while true {
            try await Task.sleep(for: HomeAssistantServer.beat)
            let (writer, message) = state.withLock { state in
                // Before it has told all it may know no such message.
                guard state.fault == nil else { return (WebSocketLink.Writer?.none, JSONValue.null) }
                let id = JSONValue.integer(Int64(state.model.nextID()))
                return (state.writer, JSONValue.object(["id": id, "type": .string("ping")]))
            }
            try await writer?.send(Array(message.text.utf8))
        }
    }

    private func take(_ bytes: [UInt8]) async throws {
        let message = try JSONReader.read(HomeAssistantMessage.self, from: bytes)
        let (step, writer) = state.withLock { state in
            state.lastHeard = .now
            return (state.model.take(message), state.writer)
        }
        switch step {
        case .none: break
        case .authenticate:
            let token = JSONValue.object([
                "type": .string("auth"), "access_token": .string(server.token),
            ])
            try await writer?.send(Array(token.text.utf8))
        case .ask: break
        case .answered(let id, let failure):
            finish(
                id,
                failure.map { .failure(.cannot("Home Assistant refuses: \(shortened($0))")) }
                    ?? .success(()))
        case .changed:
            noteAnswer()
            changed()
        case .fail(let words, let isLasting): throw WebSocketLink.Fault(words, isLasting: isLasting)
        }
        let questions = state.withLock { $0.model.nextQuestions() }
        for question in questions { try await writer?.send(Array(question.text.utf8)) }
    }

    private func noteAnswer() {
        let news = state.withLock { state -> String? in
            guard state.fault != nil, state.model.isReady else { return nil }
            (state.fault, state.since, state.wasThere) = (nil, nil, true)
            let count = state.model.devices.count + state.model.unanswered.count
            let left = state.model.leftOut
            return "\(count) appliances" + (left > 0 ? "; \(left) more are too many, and left out" : "")
        }
        guard let news else { return }
        let version = state.withLock(\.model.version).map { " \(shortened($0))" } ?? ""
        log.notice("Home Assistant\(version) at \(server.url.text) answers: \(news)")
        stands(true)
    }

    /// The conversation is over.
    ///
    /// - Returns: true if it had come so far that all was told.
    private func end(_ words: String) -> Bool {
        let (waiting, isNew, wasReady) = state.withLock { state in
            let wasReady = state.fault == nil
            let isNew = state.fault != words
            state.fault = words
            if wasReady { state.since = Date() }
            state.writer = nil
            defer { state.waiting = [:] }
            return (Array(state.waiting.values), isNew, wasReady)
        }
        for one in waiting { one.resume(returning: .failure(.away("Home Assistant does not answer"))) }
        if isNew, !Task.isCancelled {
            log.warning(.upstream, "Home Assistant at \(server.url.text) does not answer: \(words)")
            stands(false)
        }
        if wasReady || isNew { changed() }
        return wasReady
    }
}
