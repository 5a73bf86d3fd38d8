import GatewayRules
import Home
import HubService
import Identity
import JSON
import Synchronization

/// The server behind the hub, as the house that it is: appliances that can be read and ordered.
final class UpstreamHouse: OrderedHouse {
    private let calls: GateCalls
    private let sender: DeviceFields?
    private let lastPace = Mutex(Duration.zero)

    /// - Parameter sender: the device for which it is asked and ordered; nil: the hub itself.
    init(_ calls: GateCalls, as sender: DeviceFields? = nil) {
        (self.calls, self.sender) = (calls, sender)
    }

    var pace: Duration { lastPace.withLock { $0 } }

    /// Every appliance, in the server's order.
    func devices() async throws -> [ControlledDevice] { try await read(.devices) }

    func activator(_ id: String, of device: String) async throws -> Activator {
        try check(id, of: device)
        return try await read(.activator(id, of: device))
    }

    /// Other ids are those of old files. Whatever they are encoded as, some server may decode it to the path
    /// of something else.
    private func check(_ activator: String, of device: String) throws {
        guard PathID.isOne(activator.utf8), PathID.isOne(device.utf8) else { throw UnusableID() }
    }

    func set(_ activator: String, of device: String, to state: JSONValue) async throws {
        try check(activator, of: device)
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
        let reply = try await calls.call(request.method, request.target, json: request.json, as: sender)
        lastPace.withLock { $0 = .now - start }
        guard reply.isSuccess else {
            throw ServerError(status: reply.status, contentType: nil, body: reply.body)
        }
        return reply.body
    }
}

/// An appliance's or an activator's id that does not go into a path.
struct UnusableID: UserError {
    var description: String { "its id cannot stand in a path, so nothing is sent" }
    var kind: UserErrorKind { .data }
    var hint: String? { "save the scene again without it" }
}
