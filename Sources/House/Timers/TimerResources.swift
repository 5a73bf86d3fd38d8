import FoundationEssentials
import GatewayRules
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// The timers: `GET timers`, `PUT timers/DEVICE/ACTIVATOR`, `DELETE timers/DEVICE/ACTIVATOR`.
///
/// Who may switch an appliance may do so later. A guest's timer is looked at now and when it runs, and guests
/// take away their own alone.
struct TimerResources: HubResources {
    let store: TimerStore
    let run: RunTimers
    let guests: GuestRights
    let answers: HouseholdAnswers

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        await answers.answer(request, about: "the timers") {
            switch (request.resource.pattern, request.method) {
            case (.timer, "PUT"): return try await put(request)
            case (.timer, _): return try await remove(request)
            default:
                let now = run.now()
                let timers = try await store.all()
                return .object(["timers": .array(timers.map { $0.json(at: now) })])
            }
        }
    }

    private func put(_ request: ResourceRequest) async throws -> ResourceAnswer {
        let segments = request.resource.segments
        let timer = try HouseTimer(
            device: segments.first ?? "", activator: segments.last ?? "", body: request.body,
            by: request.device.fingerprint.description, name: request.device.name.description, now: run.now())
        let role = request.device.knownRole
        if !RoleTable.allows(role, Capability.open) {
            switch await guests.ask(about: timer.device) {
            case .allowed: break
            case .guarded:
                return .refused(
                    .forbidden, "not_allowed",
                    "guests do not set what keeps people, water or thieves out, later neither")
            case .unknown:
                return .refused(
                    .serviceUnavailable, "unavailable", RequestRefusal.unknownAppliance.message)
            }
            let before = try await found(segments)
            if let before, before.by != timer.by { return TimerResources.notTheirs }
        }
        guard try await store.put(timer) else {
            return .refused(
                .conflict, "too_many", "there are \(HouseTimer.maximumCount) timers already")
        }
        run.look()
        return .json(timer.json(at: run.now()))
    }

    private func remove(_ request: ResourceRequest) async throws -> ResourceAnswer {
        guard let timer = try await found(request.resource.segments) else {
            return .refused(.notFound, "not_found", "it has no timer")
        }
        let isTheirs = timer.by == request.device.fingerprint.description
        guard isTheirs || RoleTable.allows(request.device.knownRole, Capability.arrange) else {
            return TimerResources.notTheirs
        }
        try await store.remove(timer)
        return .done
    }

    private static let notTheirs = ResourceAnswer.refused(
        .forbidden, "not_allowed", "guests change their own timers alone")

    private func found(_ segments: [String]) async throws -> HouseTimer? {
        try await store.all().first { [$0.device, $0.activator] == segments }
    }
}
