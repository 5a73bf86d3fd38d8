import FoundationEssentials
import GatewayRules
import Household
import HubPage
import Identity
import JSON
import NIOHTTP1
import Pairing

/// How the resources of the household answer.
struct HouseholdAnswers: Sendable {
    let log: ServeLog

    /// The answer of `body`, or what its error means.
    ///
    /// - Parameter words: what cannot be used if a file has a fault: `the rooms`.
    func answer(
        _ request: ResourceRequest, about words: String, _ body: () async throws -> ResourceAnswer
    ) async -> ResourceAnswer {
        do {
            _ = try QueryItems(request.resource.query, names: [])
            return try await body()
        } catch let fault as QueryItems.Fault {
            return .refused(.badRequest, "bad_request", fault.message)
        } catch let error as HouseholdError {
            let hint = error.hint.map { " (\($0))" } ?? ""
            return .refused(error.status, error.word, error.description + hint)
        } catch {
            // Which file, and why, is for those who can look into the directory.
            log.warning(.fault, "cannot use \(words): \(describing(error))")
            return .refused(
                .serviceUnavailable, "unavailable",
                "the hub cannot use \(words) now; its log says why, and so does 'hubpair doctor' there")
        }
    }
}

extension HouseholdStore {
    /// Answers `PUT`: carries `change` out if the request's conditions hold for what is there. What the
    /// change itself is refused for is told first.
    ///
    /// - Parameters:
    ///   - value: what is there then.
    ///   - kind: of what `name` is the name or id, for errors.
    ///   - title: what people call it, if that is not `name`.
    ///   - present: what is there before; nil if nothing is.
    func put(
        _ value: JSONValue, _ kind: HouseholdError.Kind, _ name: String, _ request: ResourceRequest,
        title: String? = nil, present: @escaping @Sendable (Content) -> JSONValue?,
        change: @escaping @Sendable (inout Content) throws(HouseholdError) -> Void
    ) async throws -> ResourceAnswer {
        let precondition = request.precondition
        let (author, now) = (request.author, Date())
        let mark = AuthorMark(device: author.device, name: author.name, time: now)
        let notes = { @Sendable (isNew: Bool) in
            [Journal.Note(isNew ? .made : .changed, kind, title ?? name, by: author, at: now)]
        }
        let isNew = try await self.change(notes: notes) { (content) throws(HouseholdError) in
            let before = present(content)
            try change(&content)
            content.mark("\(kind.rawValue) \(name)", by: mark, isNew: before == nil)
            guard precondition.holds(for: before.map { EntityTag(of: $0) }) else {
                throw .changed(kind, name)
            }
            return before == nil
        }
        return .written(value, isNew: isNew)
    }

    /// Answers `DELETE`: carries `change` out if the request's conditions hold for what is there. Of what is
    /// not there, `change` says so.
    func remove(
        _ kind: HouseholdError.Kind, _ name: String, _ request: ResourceRequest,
        present: @escaping @Sendable (Content) -> JSONValue?,
        change: @escaping @Sendable (inout Content) throws(HouseholdError) -> Void
    ) async throws -> ResourceAnswer {
        let precondition = request.precondition
        let (author, now) = (request.author, Date())
        let notes = { @Sendable in [Journal.Note(.removed, kind, name, by: author, at: now)] }
        try await self.change(notes: notes) { (content) throws(HouseholdError) in
            if let before = present(content), !precondition.holds(for: EntityTag(of: before)) {
                throw .changed(kind, name)
            }
            try change(&content)
        }
        return .done
    }
}

extension Journal.Note {
    /// What somebody did to something that the household keeps.
    init(
        _ event: JournalEntry.Event, _ kind: HouseholdError.Kind, _ what: String,
        by author: JournalEntry.Author?, at time: Date
    ) {
        var fact = JournalEntry.Fact(event)
        (fact.kind, fact.what) = (kind.rawValue, shortened(what))
        self.init(fact: fact, author: author, door: author == nil ? .hub : author?.door, time: time)
    }
}

extension ResourceAnswer {
    /// One JSON object.
    static func object(_ members: [String: JSONValue], _ status: HTTPResponseStatus = .ok) -> ResourceAnswer {
        json(.object(members), status)
    }

    /// One JSON object with a list, and other members behind it.
    static func list(
        _ name: String, _ list: JSONElements, and others: [String: JSONValue] = [:]
    ) -> ResourceAnswer {
        var bytes = Array("{\"\(name)\":[".utf8)
        bytes.reserveCapacity(list.bytes.count + 256)
        bytes += list.bytes
        bytes += "]".utf8
        for (name, value) in others.sorted(by: { $0.key < $1.key }) {
            bytes += ",\"\(name)\":".utf8
            value.write(to: &bytes)
        }
        bytes += "}".utf8
        return .reply(ServeReply(.ok, json: bytes))
    }

    static func json(_ value: JSONValue, _ status: HTTPResponseStatus = .ok) -> ResourceAnswer {
        var bytes: [UInt8] = []
        value.write(to: &bytes)
        return .reply(ServeReply(status, json: bytes))
    }

    /// What a request has written, with its entity tag.
    static func written(_ value: JSONValue, isNew: Bool) -> ResourceAnswer {
        .reply(ServeReply(isNew ? .created : .ok, json: value, tag: EntityTag(of: value)))
    }

    static let done = ResourceAnswer.reply(ServeReply(.noContent, json: []))
}

extension HouseholdError {
    fileprivate var status: HTTPResponseStatus {
        switch self {
        case .badBody, .badName: .badRequest
        case .unknown: .notFound
        case .nameInUse, .tooMany, .tooLarge, .noPlace, .armsNothing: .conflict
        case .changed: .preconditionFailed
        }
    }
}
