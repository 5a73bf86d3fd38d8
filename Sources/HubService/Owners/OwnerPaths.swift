import Dispatch
import FoundationEssentials
import GatewayRules
import JSON
import NIOHTTP1
import Pairing
import Synchronization

/// The hub's paths for its owners: devices, codes, the journal, and what the doctor finds.
///
/// What is done here is what the command line on the hub does, by the same uses, under the same lock, and is
/// on disk before it is answered. It happens on a thread of its own, one after the other: a lock that another
/// process holds, a slow disk or the drawing of a sheet must not hold up connections.
struct OwnerPaths: HubResources {
    /// The most requests that wait or are worked on. An owner's page in a loop must not fill the memory.
    static let maximumWaiting = 32

    let state: HubState
    let log: ServeLog
    let clock: @Sendable () -> Moment
    private let findings: FindingsDesk?
    private let translated: (@Sendable (_ text: String, _ language: String) -> String)?
    private let queue = DispatchQueue(label: "hubpair.owners")
    private let waiting = Waiting()

    /// Counts requests.
    private final class Waiting: Sendable {
        let count = Mutex(0)
        let codes = Mutex(RequestRate(most: 30, in: .seconds(60)))
    }

    /// - Parameters:
    ///   - findings: lets the doctor look; nil if nobody can.
    ///   - translated: what it says, in a language other than English.
    ///   - clock: returns the current time; replaced in tests.
    init(
        state: HubState, log: ServeLog, findings: (@Sendable () async -> [JSONValue])?,
        translated: (@Sendable (_ text: String, _ language: String) -> String)?,
        clock: @escaping @Sendable () -> Moment
    ) {
        (self.state, self.log, self.clock) = (state, log, clock)
        (self.findings, self.translated) = (findings.map { FindingsDesk($0) }, translated)
    }

    func answer(_ request: ResourceRequest) async -> ResourceAnswer {
        if request.resource.pattern == .findings { return await answerFindings(request) }
        let isRoom = waiting.count.withLock { count in
            guard count < OwnerPaths.maximumWaiting else { return false }
            count += 1
            return true
        }
        guard isRoom else {
            return .refused(.tooManyRequests, "too_many", "the hub is busy with other requests of its owners")
        }
        return await withCheckedContinuation { continuation in
            queue.async {
                let answer: ResourceAnswer
                do {
                    answer = try perform(request)
                } catch {
                    answer = ResourceAnswer(refusing: error)
                }
                waiting.count.withLock { $0 -= 1 }
                continuation.resume(returning: answer)
            }
        }
    }

    private func perform(_ request: ResourceRequest) throws -> ResourceAnswer {
        switch request.resource.pattern {
        case .devices: return try devices(request)
        case .device, .deviceApproval, .deviceRefusal, .deviceRevocation: return try decide(request)
        case .codes where request.method == "POST":
            guard waiting.codes.withLock({ $0.admits() }) else {
                return .refused(
                    .tooManyRequests, "too_many", "more than 30 times codes were asked for in a minute")
            }
            return try makeCodes(request)
        case .codes: return try codes(request)
        case .code, .codesVoid: return try void(request)
        case .journal: return try journal(request)
        case .names, .name: return try names(request)
        case .pushHub: return try push(request)
        case .serviceRights, .serviceDevice: return try services(request)
        default: return .reply(ServeReply(.notFound))
        }
    }

    private func journal(_ request: ResourceRequest) throws -> ResourceAnswer {
        let query = try QueryItems(request.resource.query, names: ["after", "limit", "of"])
        let after = try query.number("after", in: 0...Int64.max).map { Int($0) }
        let limit = try query.number("limit", in: 1...Int64(ReadJournal.maximumCount)).map { Int($0) } ?? 100
        // Without it what version 0.1 had: its command line would read no list with other events.
        let matters = try JournalEntry.Matter.named(query.text("of") ?? JournalEntry.Matter.access.rawValue)
        let (entries, hasMore) = try ReadJournal(state: state).run(of: matters, after: after, limit: limit)
        return reply(["entries": .array(entries.map(\.json)), "more": .boolean(hasMore)])
    }

    private func answerFindings(_ request: ResourceRequest) async -> ResourceAnswer {
        guard request.resource.query.isEmpty else {
            return ResourceAnswer(refusing: BadOwnerRequest(message: "this path takes no query"))
        }
        guard let findings else {
            return .refused(.serviceUnavailable, "unavailable", "nobody looks for faults here")
        }
        var (found, time) = await findings.findings()
        if request.words.language != PageWords.english, let translated {
            found = found.map { OwnerPaths.worded($0) { translated($0, request.words.language) } }
        }
        return .reply(
            ServeReply(
                .ok, json: .object(["findings": .array(found), "time": .string(time.timestamp)])))
    }

    /// A finding with its sentences in other words. What programs go by stays.
    private static func worded(_ finding: JSONValue, _ words: (String) -> String) -> JSONValue {
        guard case .object(var members) = finding else { return finding }
        for key in ["tried", "seen", "mend"] {
            if let text = members[key]?.asString { members[key] = .string(words(text)) }
        }
        return .object(members)
    }

    /// Tells the log what an owner has done, in a line.
    func tell(_ request: ResourceRequest, _ words: String) {
        log.info("the owner's device \"\(request.device.name)\" (\(request.device.fingerprint)) \(words)")
    }

    /// An answer with the hub's time: by it ages are told, whatever the other computer's clock says.
    func reply(
        _ members: [String: JSONValue], _ status: HTTPResponseStatus = .ok, at now: Moment? = nil
    ) -> ResourceAnswer {
        let time = (now ?? clock()).wall.timestamp
        return .reply(
            ServeReply(status, json: .object(members.merging(["time": .string(time)]) { $1 })))
    }
}

extension JournalEntry.Matter {
    fileprivate static func named(_ word: String) throws(BadOwnerRequest) -> [JournalEntry.Matter] {
        if word == "all" { return allCases }
        guard let matter = JournalEntry.Matter(rawValue: word) else {
            let words = allCases.map(\.rawValue).joined(separator: ", ")
            throw BadOwnerRequest(message: "'of' in the query is one of \(words), or all")
        }
        return [matter]
    }
}

/// A request whose body or query says nothing that can be done. Never reaches a user: ``OwnerPaths`` answers
/// with a status and ``message``.
struct BadOwnerRequest: Error {
    let message: String
}

extension ResourceAnswer {
    /// The refusal of an owner's request.
    init(refusing error: any Error) {
        switch error {
        case let error as BadOwnerRequest:
            self = .refused(.badRequest, OwnerRefusal("bad_request", error.message, kind: .usage))
        case let error as QueryItems.Fault:
            self = .refused(.badRequest, OwnerRefusal("bad_request", error.message, kind: .usage))
        case HubError.tooManyCodes:
            self = .refused(.tooManyRequests, OwnerRefusal("too_many", error))
        case let error as ServiceError where error.kind == .usage:
            self = .refused(.conflict, OwnerRefusal("conflict", error))
        case let error as NameError where error.kind == .usage:
            self = .refused(.conflict, OwnerRefusal("conflict", error))
        case HubError.badLifetime, HubError.endIsOver, HubError.stayEndsFirst, is PeerNameError:
            self = .refused(.badRequest, OwnerRefusal("bad_request", error))
        case let error as any UserError where error.kind == .notFound:
            self = .refused(.notFound, OwnerRefusal("not_found", error))
        case is PeerSelectorError, is CodeSelectorError:
            self = .refused(.conflict, OwnerRefusal("conflict", error))
        case let error as HubError where error.kind != .configuration:
            self = .refused(.conflict, OwnerRefusal("conflict", error))
        default:
            // A file or a library: the owner reads why, and nothing has changed.
            self = .refused(.serviceUnavailable, OwnerRefusal("unavailable", error))
        }
    }

    private static func refused(_ status: HTTPResponseStatus, _ refusal: OwnerRefusal) -> ResourceAnswer {
        .reply(ServeReply(status, refusal))
    }
}

extension OwnerRefusal {
    fileprivate init(_ word: String, _ error: any Error) {
        let known = error as? any UserError
        self.init(word, Identity.message(of: error), hint: known?.hint, kind: known?.kind)
    }
}
