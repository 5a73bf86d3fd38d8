import GatewayRules
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing
import Synchronization

/// Requests of the house to the server behind the hub: the gate sends them, in the queue that devices'
/// requests wait in, too.
final class GateCalls: Sendable {
    /// The most requests at a time: a scene switches its appliances together, and each is a connection.
    private static let maximumAtOnce = 16
    private static let maximumWaiting = 2_000
    /// With the time in the queue.
    private static let time = Duration.seconds(300)
    private static let maximumByteCount = 4 << 20

    private struct State {
        var running = 0
        var waiting: [(ticket: Ticket, continuation: CheckedContinuation<Bool, Never>)] = []
    }
    private final class Ticket: Sendable {}

    private let client: LocalClient
    private let state = Mutex(State())

    init(_ client: LocalClient) { self.client = client }

    /// Sends one request, and returns the upstream's answer, whatever its status.
    ///
    /// - Parameters:
    ///   - target: a path with its query, percent-encoded.
    ///   - json: the body; nil: none.
    ///   - time: for the connection and the answer, once its turn has come.
    ///   - sender: the device that asked for it; nil: the hub itself.
    func call(
        _ method: String, _ target: String, json: [UInt8]? = nil,
        within time: Duration = AnswerTimes.upstream, as sender: DeviceFields? = nil
    ) async throws(UpstreamCallError) -> UpstreamReply {
        var fields = HTTPHeaders()
        if let sender {
            fields.add(name: DeviceFields.fingerprintName, value: sender.fingerprint)
            fields.add(name: DeviceFields.nameName, value: sender.encodedName)
            fields.add(name: DeviceFields.roleName, value: sender.role.rawValue)
        }
        fields.add(name: HouseFields.time, value: "\(Int(time.inSeconds * 1000))")
        return try await inTurn(method, target, fields, json ?? [])
    }

    /// Asks for a picture, in the same queue.
    func picture(_ target: String, within time: Duration) async throws(UpstreamCallError) -> UpstreamReply {
        let fields = HTTPHeaders([
            (HouseFields.time, "\(Int(time.inSeconds * 1000))"), ("Accept", HouseFields.pictures),
        ])
        return try await inTurn("GET", target, fields, [])
    }

    /// Reads what nobody has asked for just now; people come first.
    func poll(_ target: String) async throws(UpstreamCallError) -> UpstreamReply {
        try await ask("GET", target, HTTPHeaders([(HouseFields.lane, "poll")]), [])
    }

    private func inTurn(
        _ method: String, _ target: String, _ fields: HTTPHeaders, _ body: [UInt8]
    ) async throws(UpstreamCallError) -> UpstreamReply {
        guard await begin() else { throw Task.isCancelled ? .cancelled : .tooMany }
        defer { end() }
        return try await ask(method, target, fields, body)
    }

    private func ask(
        _ method: String, _ target: String, _ fields: HTTPHeaders, _ body: [UInt8]
    ) async throws(UpstreamCallError) -> UpstreamReply {
        do {
            let reply = try await client.open(
                HTTPMethod(rawValue: method), target, fields, body: body, within: GateCalls.time)
            if let words = reply.head.headers.first(name: HouseFields.error) {
                throw UpstreamCallError(JSONValue(parsing: Array(words.utf8)))
            }
            return UpstreamReply(
                status: Int(reply.head.status.code),
                body: try await reply.whole(maximum: GateCalls.maximumByteCount))
        } catch let error as UpstreamCallError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : .relayed("the gate of the hub does not answer")
        }
    }

    private func begin() async -> Bool {
        let ticket = Ticket()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let verdict: Bool? = state.withLock { state in
                    if Task.isCancelled { return false }
                    if state.running < GateCalls.maximumAtOnce {
                        state.running += 1
                        return true
                    }
                    guard state.waiting.count < GateCalls.maximumWaiting else { return false }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let verdict { continuation.resume(returning: verdict) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.waiting.firstIndex { $0.ticket === ticket }.map { state.waiting.remove(at: $0) }
            }
            waiting?.continuation.resume(returning: false)
        }
    }

    private func end() {
        let next = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return CheckedContinuation<Bool, Never>?.none
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
