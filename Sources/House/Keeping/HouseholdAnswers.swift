import FoundationEssentials
import GatewayRules
import Household
import HubPage
import HubService
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
        } catch let error as DatabaseError where error.isAlone {
            return .refused(.serviceUnavailable, "unavailable", error.description)
        } catch {
            // Which file, and why, is for those who can look into the directory.
            log.warning(.fault, "cannot use \(words): \(describing(error))")
            return .refused(
                .serviceUnavailable, "unavailable",
                "the hub cannot use \(words) now; its log says why, and so does 'hubpair doctor' there")
        }
    }
}

extension HouseholdFile {
    /// A record as lists have it: with its entity tag, and who made it.
    func entry(_ record: some Kept) -> JSONValue { record.json.tagged.with(authors(of: record).members) }

    /// All records of a kind.
    func entries<Record: Kept>(_: Record.Type) -> JSONValue where Record.File == Self {
        .array(self[keyPath: Record.list].all.map(entry))
    }
}

extension HouseholdStore {
    /// Answers `PUT` and `DELETE` of a record, the path of which ends with its id: carries them out if the
    /// request's conditions hold for what is there. What the change itself is refused for is told first.
    ///
    /// - Parameter check: what else a record is refused for.
    func change<Record: Kept>(
        _: Record.Type, _ request: ResourceRequest,
        check: @escaping @Sendable (Record) throws(HouseholdError) -> Void = { _ in }
    ) async throws -> ResourceAnswer where Record.File == Content {
        let id = request.resource.segments.joined(separator: "/")
        guard request.method == "PUT" else { return try await remove(Record.self, id, request) }
        let record = try Record(id: id, body: request.body)
        let precondition = request.precondition
        let (author, now) = (request.author, Date())
        let mark = AuthorMark(device: author.device, name: author.name, time: now)
        let notes = { @Sendable (isNew: Bool) in
            [Journal.Note(isNew ? .made : .changed, Record.kind, record.title ?? id, by: author, at: now)]
        }
        let isNew = try await self.change(notes: notes) { (content) throws(HouseholdError) in
            let before = content.record(Record.self, id)
            try content.put(record)
            try check(record)
            content.mark(record, by: mark, isNew: before == nil)
            guard precondition.holds(for: before.map { EntityTag(of: $0.json) }) else {
                throw .changed(Record.kind, id)
            }
            return before == nil
        }
        return .written(record.json, isNew: isNew)
    }

    private func remove<Record: Kept>(
        _: Record.Type, _ id: String, _ request: ResourceRequest
    ) async throws -> ResourceAnswer where Record.File == Content {
        let precondition = request.precondition
        let (author, now) = (request.author, Date())
        let notes = { @Sendable in [Journal.Note(.removed, Record.kind, id, by: author, at: now)] }
        try await self.change(notes: notes) { (content) throws(HouseholdError) in
            if let before = content.record(Record.self, id),
                !precondition.holds(for: EntityTag(of: before.json))
            {
                throw .changed(Record.kind, id)
            }
            try content.remove(Record.self, id)
        }
        return .done
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
