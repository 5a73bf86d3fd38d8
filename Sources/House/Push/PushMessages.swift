import Crypto
import FoundationEssentials
import Household
import HubService
import Identity
import JSON
import Pairing
import Synchronization

/// Tells browsers of messages while their page is closed, as long as the owner has switched that on. What has
/// not reached its service when the house ends is not told later: the page has all messages.
final class PushMessages: Sendable {
    /// The most messages that wait for one browser. With more, the oldest that is no alarm is left out.
    private static let maximumWaiting = 32
    /// A push service sees the length.
    private static let padding = 512
    /// The most bytes of a message, before it is encrypted.
    private static let maximumByteCount = 3000

    /// Who may be told, and by which settings.
    struct Standing: Sendable {
        var isOn: Bool
        var hub: String
        var home: [PushEndpoint.HomeHost]
        /// The fingerprints of the devices that have access now; nil while nobody can say.
        var devices: Set<String>?
    }

    private struct State {
        var waiting: [String: [Message]] = [:]
        var tasks: [String: Task<Void, Never>] = [:]
        var isClosed = false
    }

    let store: PushStore
    /// Made for the first message.
    private let client = Mutex<PushClient?>(nil)
    private let standing: @Sendable () -> Standing
    private let log: ServeLog
    private let clock: @Sendable () -> Date
    private let state = Mutex(State())
    private let messages: AsyncStream<[Message]>
    private let arrival: AsyncStream<[Message]>.Continuation
    private let taking = Mutex<Task<Void, Never>?>(nil)

    init(
        _ database: HouseholdDatabase, log: ServeLog, clock: @escaping @Sendable () -> Date,
        standing: @escaping @Sendable () -> Standing
    ) {
        store = PushStore(database: database) { standing().home }
        (self.log, self.clock, self.standing) = (log, clock, standing)
        (messages, arrival) = AsyncStream.makeStream(
            of: [Message].self, bufferingPolicy: .bufferingNewest(64))
    }

    var isOn: Bool { standing().isOn }
    var home: [PushEndpoint.HomeHost] { standing().home }

    func start() {
        let task = Task { [self] in
            for await some in messages { await distribute(some) }
        }
        taking.withLock { $0 = task }
    }

    /// Messages are on disk.
    func wake(_ messages: [Message]) {
        let calling = messages.filter { !$0.draft.isQuiet }
        if !calling.isEmpty, isOn { arrival.yield(calling) }
    }

    /// Who may not come in any more is told nothing, and forgotten.
    func devicesChanged(_ devices: [ApprovedDevice]?) {
        guard let devices else { return }
        let known = Set(devices.filter { $0.status == .approved }.map(\.fingerprint.description))
        Task { [store] in
            // What fails is done when they change again; meanwhile they are told nothing all the same.
            guard let all = try? await store.all() else { return }
            for device in all.keys where !known.contains(device) { try? await store.forget(device) }
        }
    }

    func stop() async {
        arrival.finish()
        let running = state.withLock { state in
            state.isClosed = true
            state.waiting = [:]
            return Array(state.tasks.values)
        }
        let task = taking.withLock { $0.take() }
        for each in running + [task].compactMap(\.self) { each.cancel() }
        for each in running + [task].compactMap(\.self) { await each.value }
        await client.withLock { $0.take() }?.stop()
    }

    private func distribute(_ messages: [Message]) async {
        guard let devices = standing().devices else { return }
        let all: [String: PushSubscription]
        do {
            all = try await store.all()
        } catch {
            return log.warning(.fault, "no browser is told of a message: \(describing(error))")
        }
        for (device, subscription) in all where devices.contains(device) {
            let meant = messages.filter {
                subscription.kinds.contains($0.kind) && $0.draft.author != device
            }
            if !meant.isEmpty { enqueue(meant, for: device) }
        }
    }

    private func enqueue(_ messages: [Message], for device: String) {
        state.withLock { state in
            guard !state.isClosed else { return }
            var waiting = state.waiting[device, default: []] + messages
            while waiting.count > PushMessages.maximumWaiting {
                waiting.remove(at: waiting.firstIndex { $0.kind != .alarm } ?? 0)
            }
            state.waiting[device] = waiting
            guard state.tasks[device] == nil else { return }
            state.tasks[device] = Task { [self] in
                while let message = next(for: device) { await deliver(message, to: device) }
            }
        }
    }

    private func next(for device: String) -> Message? {
        state.withLock { state in
            guard var waiting = state.waiting[device], !waiting.isEmpty, !Task.isCancelled else {
                state.waiting[device] = nil
                state.tasks[device] = nil
                return nil
            }
            defer { state.waiting[device] = waiting }
            return waiting.removeFirst()
        }
    }

    private func deliver(_ message: Message, to device: String) async {
        for tries in 1...PushVerdict.maximumTries {
            // All of it may have changed since it was tried last.
            let standing = standing()
            guard standing.isOn, standing.devices?.contains(device) == true,
                let subscription = await subscription(of: device, for: message),
                subscription.kinds.contains(message.kind)
            else { return }
            switch await send(message, to: subscription, standing, tries) {
            case .taken: return
            case .over:
                log.info("\(subscription.endpoint.host) knows the browser of \(device) no more")
                try? await store.forget(device, subscription)
                return
            case .lost:
                log.warning(
                    .fault, "message \(message.id) did not reach \(device) by \(subscription.endpoint.host)")
                return
            case .again(let seconds):
                guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            }
        }
    }

    private func subscription(of device: String, for message: Message) async -> PushSubscription? {
        do {
            return try await store.subscription(of: device)
        } catch {
            log.warning(.fault, "message \(message.id) is not sent: \(describing(error))")
            return nil
        }
    }

    private func send(
        _ message: Message, to subscription: PushSubscription, _ standing: Standing, _ tries: Int
    ) async -> PushVerdict {
        let endpoint = subscription.endpoint
        do {
            let client = try client.withLock { made in
                let client = try made ?? PushClient()
                made = client
                return client
            }
            let now = Int64(clock().timeIntervalSince1970)
            let authorization = try await store.key().authorization(for: endpoint, now: now)
            let answer = try await client.post(
                endpoint, home: standing.home, PushMessages.fields(message, authorization),
                body: try PushMessages.sealed(message, hub: standing.hub, for: subscription))
            let verdict = PushVerdict(status: answer.status, retryAfter: answer.retryAfter, tries: tries)
            if verdict == .lost {
                log.warning(.fault, "the push service \(endpoint.host) answers with \(answer.status)")
            }
            return verdict
        } catch let fault as PushClient.Fault {
            log.warning(.fault, "the push service \(endpoint.host) gets no message: \(fault)")
            return fault.isFinal ? .lost : PushVerdict(status: nil, retryAfter: nil, tries: tries)
        } catch {
            log.warning(.fault, "message \(message.id) cannot be sent: \(describing(error))")
            return .lost
        }
    }

    private static func fields(_ message: Message, _ authorization: String) -> [(String, String)] {
        let isAlarm = message.kind == .alarm
        return [
            ("Authorization", authorization), ("Content-Encoding", "aes128gcm"),
            ("Content-Type", "application/octet-stream"), ("TTL", isAlarm ? "14400" : "3600"),
            ("Urgency", isAlarm ? "high" : "normal"),
        ]
    }

    private static func sealed(
        _ message: Message, hub: String, for subscription: PushSubscription
    ) throws -> [UInt8] {
        var text: [UInt8] = []
        for length in [message.text.count, 200] {
            text = []
            JSONValue.object([
                "hub": .string(hub), "id": .integer(message.id), "kind": .string(message.kind.rawValue),
                "text": .string(String(message.text.prefix(length))),
            ]).write(to: &text)
            if text.count <= maximumByteCount { break }
        }
        var random = SystemRandomNumberGenerator()
        let salt = (0..<PushCipher.saltByteCount).map { _ in
            UInt8.random(in: .min ... .max, using: &random)
        }
        return try PushCipher.seal(
            text, padded: (text.count / padding + 1) * padding, for: subscription.key,
            auth: subscription.auth, salt: salt, sender: P256.KeyAgreement.PrivateKey())
    }
}
