import FoundationEssentials
import GatewayRules
import Home
import Household
import HubService
import Identity
import JSON
import NIOHTTP1
import Pairing
import Synchronization

/// `states`, `states/stream` and `states/history`.
struct StateResources: HubResources {
    private static let maximumLimit: Int64 = 10_000

    let poller: StatePoller
    let store: StateStore
    let desk: AnswerDesk
    /// How the upstream is treated; nil without one.
    let treatment: @Sendable () -> UpstreamTreatment?
    let clock: @Sendable () -> Moment
    /// What takes long to write, as it was written last.
    private let text = ReportText()

    init(
        poller: StatePoller, store: StateStore, desk: AnswerDesk,
        treatment: @escaping @Sendable () -> UpstreamTreatment?, clock: @escaping @Sendable () -> Moment
    ) {
        (self.poller, self.store, self.desk) = (poller, store, desk)
        (self.treatment, self.clock) = (treatment, clock)
    }

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
        let now = clock()
        let (devices, states) = text.of(report)
        var json: [UInt8] = []
        JSONMembers.write(to: &json) { members in
            if let time = report.time { members.add("age", now.age(of: time)) }
            if report.fault != nil { members.add("answers", .boolean(report.hasAnswered)) }
            members.add("current", .boolean(report.fault == nil))
            members.add("devices", json: devices)
            if let fault = report.fault { members.add("fault", fault) }
            if !report.silent.isEmpty { members.add("silent", report.silent.map { $0.json(now: now) }) }
            if let since = report.since { members.add("since", since.timestamp) }
            members.add("states", json: states)
            if let time = report.time { members.add("time", time.wall.timestampWithMilliseconds) }
            members.add("took", .integer(Int64(report.took.inSeconds * 1000)))
            if !report.unanswered.isEmpty {
                members.add("unanswered", report.unanswered.sorted().map(JSONValue.string))
            }
            if let upstream = treatment()?.json { members.add("upstream", upstream) }
        }
        return .reply(ServeReply(.ok, json: json))
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
        members["age"] = now.age(of: time)
        return .object(members)
    }
}

/// The lists of a report in JSON. In a house where nothing happens they are the same for everybody who asks.
private final class ReportText: Sendable {
    private let last = Mutex<(revision: Int, devices: [UInt8], states: [UInt8])?>(nil)

    func of(_ report: StateReport) -> (devices: [UInt8], states: [UInt8]) {
        if let last = last.withLock({ $0 }), last.revision == report.revision {
            return (last.devices, last.states)
        }
        var (devices, states) = ([UInt8](), [UInt8]())
        JSONMembers.write(report.appliances.map(\.device), to: &devices)
        report.states.write(to: &states)
        last.withLock { $0 = (report.revision, devices, states) }
        return (devices, states)
    }
}

extension Moment {
    /// How many whole seconds ago `time` was.
    fileprivate func age(of time: Moment) -> JSONValue {
        .integer(Int64(max(0, seconds(since: time)).rounded(.down)))
    }
}
