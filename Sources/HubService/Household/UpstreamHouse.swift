import Home
import JSON
import Synchronization

/// The server behind the hub, as the house that it is: appliances that can be read and ordered.
final class UpstreamHouse: OrderedHouse {
    /// A server holds its answer back while an appliance hangs; the sender of an order has a deadline.
    private static let orderTime = Duration.seconds(35)

    private let calls: UpstreamCalls
    private let lastPace = Mutex(Duration.zero)

    init(_ calls: UpstreamCalls) { self.calls = calls }

    var pace: Duration { lastPace.withLock { $0 } }

    /// Every appliance, in the server's order.
    func devices() async throws -> [ControlledDevice] { try await read(.devices) }

    func activator(_ id: String, of device: String) async throws -> Activator {
        try await read(.activator(id, of: device))
    }

    func set(_ activator: String, of device: String, to state: JSONValue) async throws {
        _ = try await answer(to: .set(activator, of: device, to: state))
    }

    private func read<Value: JSONReadable & Sendable>(_ request: ControlRequest) async throws -> Value {
        do {
            return try JSONReader.read(Value.self, from: try await answer(to: request))
        } catch let fault as JSONFault {
            throw ServerError.unreadable(fault.description)
        }
    }

    private func answer(to request: ControlRequest) async throws -> [UInt8] {
        let start = ContinuousClock.now
        let reply = try await calls.call(
            request.method, request.target, json: request.json, within: UpstreamHouse.orderTime)
        lastPace.withLock { $0 = .now - start }
        guard reply.isSuccess else {
            throw ServerError(status: reply.status, contentType: nil, body: reply.body)
        }
        return reply.body
    }
}
