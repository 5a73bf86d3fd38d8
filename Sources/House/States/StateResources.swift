import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing

/// `states`, `states/stream` and `states/history`.
struct StateResources: HubResources {
    private static let maximumLimit: Int64 = 10_000

    let poller: StatePoller
    let store: StateStore
    let desk: AnswerDesk
    /// How the upstream is treated; nil without one.
    let treatment: @Sendable () -> UpstreamTreatment?
    let clock: @Sendable () -> Moment

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        do throws(QueryItems.Fault) {
            switch request.resource.pattern {
            case .stateStream:
                let last = try lastEvent(of: request)
                return .events(
                    EventStream(WatchedStates(store, poller), after: last, for: request.device, at: desk))
            case .stateHistory: return try await history(request)
            default:
                _ = try QueryItems(request.resource.query, names: [])
                let report = await poller.report(isNew: request.wantsNew, patience: request.patience)
                return await desk.make(for: request.device.pin) { states(report) }
            }
        } catch {
            return .refused(.badRequest, "bad_request", error.message)
        }
    }

    private func states(_ report: StateReport) -> ResourceAnswer {
        guard report.time != nil || !report.states.changes.isEmpty else {
            return .refused(
                .serviceUnavailable, "unavailable", report.fault ?? "the states are not known yet")
        }
        var members: [String: JSONValue] = [
            "states": report.states.json, "current": .boolean(report.fault == nil),
            "devices": .array(report.appliances.map(\.device.json)),
            "took": .integer(Int64(report.took.inSeconds * 1000)),
        ]
        if let time = report.time {
            members["time"] = .string(time.wall.timestampWithMilliseconds)
            members["age"] = .integer(Int64(max(0, clock().seconds(since: time)).rounded(.down)))
        }
        if let fault = report.fault {
            (members["fault"], members["answers"]) = (.string(fault), .boolean(report.hasAnswered))
        }
        members["upstream"] = treatment()?.json
        members["since"] = report.since.map { .string($0.timestamp) }
        if !report.unanswered.isEmpty {
            members["unanswered"] = .array(report.unanswered.sorted().map(JSONValue.string))
        }
        if !report.silent.isEmpty {
            let now = clock()
            members["silent"] = .array(report.silent.map { $0.json(now: now) })
        }
        return .json(.object(members))
    }

    private func history(_ request: ResourceRequest) async throws(QueryItems.Fault) -> ResourceAnswer {
        let items = try QueryItems(
            request.resource.query, names: ["device", "activator", "since", "after", "limit"])
        var query = StateStore.Query()
        (query.device, query.activator) = (items.text("device"), items.text("activator"))
        if let since = items.text("since") {
            guard let date = Date(timestamp: since) else {
                throw QueryItems.Fault(
                    message: "'since' in the query is a time like 2026-11-21T10:22:03Z, in UTC")
            }
            query.since = date
        }
        query.after = try items.number("after", in: 0...Int64.max) ?? 0
        query.limit = try items.number("limit", in: 1...StateResources.maximumLimit) ?? query.limit
        do throws(DatabaseError) {
            let (history, isCut) = try await store.history(query)
            return .list("history", history, and: ["more": .boolean(isCut)])
        } catch {
            return .databaseFault
        }
    }

    private func lastEvent(of request: ResourceRequest) throws(QueryItems.Fault) -> EventID? {
        let items = try QueryItems(request.resource.query, names: ["after"])
        return (request.lastEventID ?? items.text("after")).flatMap { EventID($0) }
    }
}

extension ResourceAnswer {
    /// The database cannot be used; which file, and why, is for those who can look into the directory.
    static var databaseFault: ResourceAnswer {
        .refused(
            .serviceUnavailable, "unavailable",
            "the hub cannot use its database now; its log says why")
    }
}

extension SeenAppliances.Appliance {
    /// As the server listed it, and how many seconds ago.
    fileprivate func json(now: Moment) -> JSONValue {
        var members = device.json.asObject ?? [:]
        members["age"] = .integer(Int64(max(0, now.seconds(since: time)).rounded(.down)))
        return .object(members)
    }
}
