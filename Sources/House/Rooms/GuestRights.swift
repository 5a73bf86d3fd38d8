import GatewayRules
import Home
import Household
import HubService
import Identity
import JSON
import Synchronization

/// Which appliances guests may set: all but those that are asked about first (``ApplianceKind``), unless
/// their people have allowed it.
///
/// What an appliance is comes from the last list of the server behind the hub; of one that is not on it, the
/// server is asked once. The threat is a guest who opens a door. So whatever cannot be told is refused: a
/// server that does not answer, one whose answer about the appliance cannot be read, a file `rooms` with a
/// fault. A server that knows no such appliance answers for itself: hubpair may stand in front of any.
final class GuestRights: Sendable {
    /// More than a house has; beyond them nothing is remembered.
    private static let maximumCount = 10_000

    private struct State {
        var devices: [String: ControlledDevice] = [:]
        /// Nil: the file cannot be read.
        var kinds: ApplianceKinds?
        /// Counts what makes answers that are under way old.
        var generation = 0
    }

    /// What the server says of an appliance.
    private enum Finding {
        case appliance(ControlledDevice)
        case none
        case unknown
    }

    private let calls: GateCalls
    private let servers: HouseServers
    private let rooms: HouseholdStore<Rooms>
    private let log: ServeLog
    private let state = Mutex(State())

    init(
        _ calls: GateCalls, _ servers: HouseServers, _ rooms: HouseholdStore<Rooms>, log: ServeLog
    ) {
        (self.calls, self.servers, self.rooms, self.log) = (calls, servers, rooms, log)
    }

    /// Whether guests may set the appliance; nil if the server has to be asked first.
    func verdict(on id: String) -> GuestVerdict? {
        state.withLock { state in
            guard let kinds = state.kinds else { return .unknown }
            return state.devices[id].map { kinds.allowGuests(at: $0) ? .allowed : .guarded }
        }
    }

    /// The same, after the server was asked.
    func ask(about id: String) async -> GuestVerdict {
        let finding = await find(id)
        guard let kinds = state.withLock(\.kinds) else { return .unknown }
        return switch finding {
        case .appliance(let device): kinds.allowGuests(at: device) ? .allowed : .guarded
        case .none: .allowed
        case .unknown: .unknown
        }
    }

    /// Whether guests may bring about this state of a scene.
    func verdict(on wanted: HubScene.State) async -> GuestVerdict {
        let finding = await find(wanted.device)
        guard let kinds = state.withLock(\.kinds) else { return .unknown }
        switch finding {
        case .none: return .allowed
        case .unknown: return .unknown
        case .appliance(let device):
            if kinds.allowGuests(at: device) { return .allowed }
            let asks = kinds.applied(to: device).asksFirst(wanted.activator, wanted.state)
            return asks ? .guarded : .allowed
        }
    }

    private func find(_ id: String) async -> Finding {
        let (known, generation) = state.withLock { ($0.devices[id], $0.generation) }
        if let known { return .appliance(known) }
        switch servers.joinedThing(id) {
        case .device(let device): return .appliance(device)
        case .absent: return .none
        case .unknown: return .unknown
        case nil: break
        }
        let reply: UpstreamReply
        do throws(UpstreamCallError) {
            reply = try await calls.call("GET", ControlRequest.device(id).target)
        } catch {
            // Without a server there is no house: a proxy may ask about another one.
            return error == .noUpstream ? .none : .unknown
        }
        // Only these say that there is none. A server that does not let the hub look (401), sends it
        // elsewhere or has no time for it may still do what a guest tells it.
        guard reply.isSuccess else { return [404, 410].contains(reply.status) ? .none : .unknown }
        guard case .object(let members) = JSONValue(parsing: reply.body),
            members["deviceId"] != nil || members["activators"] != nil
        else { return .none }
        guard let device = try? JSONReader.read(ControlledDevice.self, from: reply.body) else {
            return .unknown
        }
        state.withLock { state in
            guard state.generation == generation, state.devices.count < GuestRights.maximumCount else {
                return
            }
            state.devices[id] = device
        }
        return .appliance(device)
    }

    /// Takes the server's list.
    ///
    /// - Parameter unanswered: the ids of those that are on it, and did not answer.
    func take(_ devices: [ControlledDevice], besides unanswered: Set<String>) {
        state.withLock { state in
            let kept = state.devices.filter { unanswered.contains($0.key) }
            state.devices = Dictionary(
                devices.prefix(GuestRights.maximumCount).map { ($0.id, $0) },
                uniquingKeysWith: { one, _ in one }
            ).merging(kept) { new, _ in new }
            state.generation += 1
        }
    }

    /// Forgets what the appliances are: one of them may be renamed or replaced.
    func forget() {
        state.withLock { state in
            state.devices = [:]
            state.generation += 1
        }
    }

    /// Reads what people have said of their appliances.
    func filesChanged() async {
        do {
            let kinds = ApplianceKinds(try await rooms.read().kinds)
            state.withLock { $0.kinds = kinds }
        } catch {
            log.warning(.fault, "guests set nothing until the rooms can be read: \(describing(error))")
            state.withLock { $0.kinds = nil }
        }
    }
}
