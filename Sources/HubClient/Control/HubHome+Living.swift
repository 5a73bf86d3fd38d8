import FoundationEssentials
import GatewayRules
package import Home
import Household
import Identity
import JSON

/// An appliance that does not answer its server, as the hub knew it last.
package struct LastKnownAppliance: Sendable {
    package let device: ControlledDevice
    /// How many seconds ago the hub saw it so. If the hub has restarted since: how long ago one of its states
    /// changed last.
    package let age: Int?
    /// False if the hub has its states alone: its name is its id then.
    package let isNamed: Bool

    /// The same under another name.
    package func named(_ name: String) -> LastKnownAppliance {
        LastKnownAppliance(
            device: ControlledDevice(
                id: device.id, name: name, type: device.type, activators: device.activators, extra: [:]),
            age: age, isNamed: true)
    }
}

/// The appliances of a hub whose server cannot list them because one is dead.
package struct LivingAppliances: Sendable {
    package let devices: [ControlledDevice]
    /// Those that the server does not get an answer from.
    package let dead: [LastKnownAppliance]
}

extension HubHome {
    /// The most appliances that are asked for by themselves.
    private static let maximumAsked = 1_000

    /// Every appliance that answers, asked for one by one; the hub's last known states name them.
    ///
    /// - Parameter error: why the list failed, thrown if nothing more is known: at a stock hub, or if nobody
    ///   answers.
    package func living(insteadOf error: ServerError) async throws -> LivingAppliances {
        guard let known = try? await lastKnown(), !known.isEmpty else { throw error }
        let ids = known.map(\.device.id)
        var found: [String: ControlledDevice] = [:]
        var dead: Set<String> = []
        try await withThrowingTaskGroup(of: (String, ControlledDevice?).self) { group in
            var next = 0
            func ask() {
                guard next < ids.count else { return }
                let id = ids[next]
                next += 1
                group.addTask {
                    do {
                        return (id, try await self.device(id))
                    } catch let error as ServerError where error.isFailureOfServer {
                        return (id, nil)
                    } catch let error as ServerError where error.kind == .notFound {
                        // It was removed since its state was seen.
                        return ("", nil)
                    }
                }
            }
            for _ in 0..<HubHome.maximumConnections { ask() }
            while let (id, device) = try await group.next() {
                if let device { found[id] = device } else if !id.isEmpty { dead.insert(id) }
                ask()
            }
        }
        guard !found.isEmpty else { throw error }
        return LivingAppliances(
            devices: ids.compactMap { found[$0] }, dead: known.filter { dead.contains($0.device.id) })
    }

    /// Every appliance in the hub's last known states. Those that its server does not answer for come with
    /// all that the hub knew of them, the others with their states alone.
    package func lastKnown() async throws -> [LastKnownAppliance] {
        let target = HubResource.root + ResourcePattern.states.rawValue
        let body = try await answer(to: HubRequest(method: "GET", target: target))
        guard case .object(let members) = JSONValue(parsing: body),
            case .array(let states) = members["states"]
        else { return [] }
        var found: [LastKnownAppliance] = []
        var seen: Set<String> = []
        if case .array(let silent)? = members["silent"] {
            for value in silent.prefix(HubHome.maximumAsked) {
                var bytes: [UInt8] = []
                JSONValue.array([value]).write(to: &bytes)
                guard let device = ControlledDevice.list(parsing: bytes)?.first,
                    seen.insert(device.id).inserted
                else { continue }
                let age: Int? = if case .integer(let age)? = device.extra["age"] { Int(age) } else { nil }
                found.append(LastKnownAppliance(device: device, age: age, isNamed: true))
            }
        }
        return found + HubHome.appliances(states, besides: seen, now: HubHome.now(members))
    }

    /// The time by the hub's clock, as its answer tells it.
    private static func now(_ members: [String: JSONValue]) -> Double? {
        guard let time = members["time"]?.asString.flatMap(Date.init(hubTime:)),
            case .integer(let age)? = members["age"]
        else { return nil }
        return time.timeIntervalSince1970 + Double(age)
    }

    private static func appliances(
        _ states: [JSONValue], besides seen: Set<String>, now: Double?
    ) -> [LastKnownAppliance] {
        var ids: [String] = []
        var changes: [String: [StateChange]] = [:]
        for change in states.compactMap(HouseStates.change) where !seen.contains(change.device) {
            if changes[change.device] == nil { ids.append(change.device) }
            changes[change.device, default: []].append(change)
        }
        return ids.prefix(maximumAsked - min(maximumAsked, seen.count)).map { id in
            let all = changes[id] ?? []
            // On or off says more than a level, and which one is the main one is not known.
            let sorted = all.filter { $0.isSwitch } + all.filter { !$0.isSwitch }
            let activators = sorted.enumerated().map { rank, change in
                Activator(
                    id: change.activator, rank: rank, name: change.activator,
                    kind: change.isSwitch ? .bool : .float, state: change.state, extra: [:])
            }
            let last = all.map(\.time.timeIntervalSince1970).max()
            let age = now.flatMap { now in last.map { Int(max(0, min(now - $0, 1e9))) } }
            return LastKnownAppliance(
                device: ControlledDevice(
                    id: id, name: id, type: "does not answer", activators: activators, extra: [:]),
                age: age, isNamed: false)
        }
    }
}

extension StateChange {
    fileprivate var isSwitch: Bool { if case .boolean = state { true } else { false } }
}
