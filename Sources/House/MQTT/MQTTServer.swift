import FoundationEssentials
import GatewayRules
import Home
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// An MQTT broker that has joined the house: the things that announce themselves there.
final class MQTTServer: JoinedHouse {
    /// From one try to the next: doubled up to the second one.
    private static let pauses: (Int32, Int32) = (250, 10_000)
    /// After a name and password that it does not take.
    private static let refusedPause: Int32 = 600_000
    /// The most orders that wait for their thing.
    private static let maximumOrders = 256
    /// The most refusals that the log tells of, in one conversation.
    private static let maximumRefusals = 20

    private typealias Outcome = Result<Void, ServerError>

    private struct Waiting {
        let thing: String
        let activator: String
        let awaited: JSONValue?
        let continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var model = MQTTModel()
        var link: MQTTLink?
        var waiting: [Int: Waiting] = [:]
        var lastNumber = 0
        var pause = MQTTServer.pauses.0
        var refusals = 0
        /// Why it does not answer; nil: it does.
        var fault: String? = "not yet asked"
        var since: Date?
    }

    private let server: JoinedServer
    private let log: ServeLog
    private let changed: @Sendable () -> Void
    private let stands: @Sendable (Bool) -> Void
    private let state = Mutex(State())

    init(
        _ server: JoinedServer, log: ServeLog, changed: @escaping @Sendable () -> Void,
        stands: @escaping @Sendable (_ isUp: Bool) -> Void
    ) {
        (self.server, self.log, self.changed, self.stands) = (server, log, changed, stands)
    }

    func start() {
        // The thread lives on while it ends: it has no part in this one's life.
        let listener = MQTTLink.Listener(
            connected: { [weak self] in self?.begin() ?? [] },
            took: { [weak self] in self?.take($0, $1) ?? [] },
            reached: { [weak self] in self?.reached($0) ?? [] },
            ended: { [weak self] in self?.end($0, isRefused: $1) ?? 0 })
        let link = MQTTLink(server, listener)
        state.withLock { $0.link = link }
        if link == nil { log.error("cannot start the thread that speaks with \(JoinedKind.mqtt.title)") }
    }

    func stop() async {
        let (link, waiting) = state.withLock { state in
            defer { (state.link, state.waiting) = (nil, [:]) }
            return (state.link, Array(state.waiting.values))
        }
        link?.stop()
        for one in waiting { one.continuation.resume(returning: .failure(MQTTServer.away)) }
    }

    // MARK: What is known

    func look(knowing ids: [String]) async -> ServerLook {
        state.withLock { state in
            if let fault = MQTTServer.words(state) { return .away(fault, hasAnswered: false) }
            return .things(state.model.devices, unanswered: state.model.unanswered)
        }
    }

    private static let away = ServerError.away("the MQTT broker does not answer")

    private static func words(_ state: State) -> String? {
        guard let fault = state.fault else { return nil }
        guard let since = state.since else { return "the MQTT broker does not answer: \(fault)" }
        return "the MQTT broker has not answered since \(LocalTime(since).text(seenAt: Date())): \(fault)"
    }

    func hints(for thing: String) -> ThingHints? { state.withLock { $0.model.hints(thing) } }

    func thing(_ id: String) -> JoinedThing {
        state.withLock { state in
            if let thing = state.model.thing(id)?.thing { return .device(thing.device) }
            return state.fault == nil ? .absent : .unknown
        }
    }

    func orders(as sender: DeviceFields?) -> any OrderedHouse { Orders(server: self) }

    private struct Orders: OrderedHouse {
        let server: MQTTServer
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

    /// Returns once the thing has told its state again.
    private func set(_ activator: String, of id: String, to wanted: JSONValue) async throws(ServerError) {
        let (thing, fault, link, isFull) = state.withLock { state in
            (
                state.model.thing(id), MQTTServer.words(state), state.link,
                state.waiting.count >= MQTTServer.maximumOrders
            )
        }
        guard fault == nil, let link else { throw fault.map(ServerError.away) ?? MQTTServer.away }
        guard let thing else { throw .noThing("device") }
        let order = try MQTTOrder(thing, activator, to: wanted)
        guard thing.thing?.isUnavailable == false else {
            throw .refused(
                status: 500, exception: nil, details: [:],
                message: "\(thing.configuration.name) is away from the MQTT broker")
        }
        guard !isFull else {
            throw .gateway(status: 503, word: "upstream_busy", message: "the MQTT broker is busy")
        }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let alarm = Task { [weak self] in
            guard (try? await Task.sleep(for: AnswerTimes.upstream)) != nil else { return }
            self?.finish(
                number,
                .failure(
                    .gateway(
                        status: 504, word: "upstream_timeout",
                        message: "the appliance has not told that it has done it")))
        }
        defer { alarm.cancel() }
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            state.withLock {
                $0.waiting[number] = Waiting(
                    thing: id, activator: activator, awaited: order.awaited, continuation: continuation)
            }
            link.wish(order.messages.map(MQTTLink.Wish.publish))
        }
        try outcome.get()
    }

    private func finish(_ number: Int, _ outcome: Outcome) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.continuation.resume(returning: outcome)
    }

    // MARK: The conversation, on the link's thread

    /// The marks of a conversation: what the broker keeps has been told.
    private enum Mark: Int { case announced, told }

    private func begin() -> [MQTTLink.Wish] {
        let known = state.withLock { state in
            state.refusals = 0
            return state.model.begin()
        }
        // Subscribed anew, what is kept at the topics is told again.
        return (known + MQTTModel.announcements).map { .subscribe($0) } + [.mark(Mark.announced.rawValue)]
    }

    private func reached(_ mark: Int) -> [MQTTLink.Wish] {
        switch Mark(rawValue: mark) {
        case .announced?:
            let step = state.withLock { $0.model.end() }
            let greeting = MQTTOrder.Message(topic: MQTTModel.greeting, payload: Array("online".utf8))
            return step.unsubscribe.map { .unsubscribe($0) } + [
                .publish(greeting), .mark(Mark.told.rawValue),
            ]
        case .told?:
            noteAnswer()
            return []
        case nil: return []
        }
    }

    private func take(_ topic: String, _ payload: [UInt8]) -> [MQTTLink.Wish] {
        let (step, done, tells) = state.withLock { state in
            let step = state.model.take(topic, payload)
            var done: [Waiting] = []
            if !step.told.isEmpty {
                let numbers = state.waiting.filter { MQTTServer.isDone($0.value, step.told, state.model) }
                    .keys
                for number in numbers {
                    if let one = state.waiting.removeValue(forKey: number) { done.append(one) }
                }
            }
            let tells = step.refused != nil && state.refusals < MQTTServer.maximumRefusals
            if tells { state.refusals += 1 }
            return (step, done, tells)
        }
        for one in done { one.continuation.resume(returning: .success(())) }
        if tells, let refused = step.refused {
            log.warning(.upstream, "\(shortened(refused.topic)) stays outside: \(refused.why.words)")
        }
        if step.isChange { changed() }
        return step.unsubscribe.map { .unsubscribe($0) } + step.subscribe.map { .subscribe($0) }
    }

    private static func isDone(_ order: Waiting, _ told: [String], _ model: MQTTModel) -> Bool {
        guard told.contains(order.thing) else { return false }
        guard let awaited = order.awaited else { return true }
        let activators = model.thing(order.thing)?.thing?.device.activators
        return activators?.first { $0.id == order.activator }?.state == awaited
    }

    private func noteAnswer() {
        let news = state.withLock { state -> String? in
            (state.fault, state.since, state.pause) = (nil, nil, MQTTServer.pauses.0)
            let left = state.model.leftOut
            return "\(state.model.count) appliances"
                + (left > 0 ? "; \(left) more are too many, and left out" : "")
        }
        log.notice("\(JoinedKind.mqtt.title) at \(server.url.text) answers: \(news ?? "")")
        stands(true)
        changed()
    }

    /// The conversation is over.
    ///
    /// - Returns: the pause before the next one.
    private func end(_ words: String, isRefused: Bool) -> Int32 {
        let (waiting, isNew, pause) = state.withLock { state in
            let isNew = state.fault != words
            if state.fault == nil { state.since = Date() }
            state.fault = words
            defer { (state.waiting, state.pause) = ([:], min(state.pause * 2, MQTTServer.pauses.1)) }
            return (Array(state.waiting.values), isNew, state.pause)
        }
        for one in waiting { one.continuation.resume(returning: .failure(MQTTServer.away)) }
        if isNew {
            log.warning(.upstream, "\(JoinedKind.mqtt.title) at \(server.url.text) does not answer: \(words)")
            stands(false)
            changed()
        }
        return isRefused ? MQTTServer.refusedPause : pause
    }
}
