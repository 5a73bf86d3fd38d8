import GatewayRules
import Home
import Household
package import Identity
import JSON
import Pairing

/// Requests for what the people of a house share on one hub: its rooms, scenes, rules, states and messages.
///
/// The hub judges this computer's role.
package actor HouseholdLink {
    /// The most bytes of an answer: each of the hub's files has at most 4 MiB, and 10,000 rows of the history
    /// about 3.
    private static let maximumBodyByteCount = 16 << 20

    package let hub: SavedHub
    /// This computer; nil if it has no key.
    private let device: Fingerprint?
    private let connections: KeptConnections
    /// The entity tags of what this link has read, by list and name: a change is one of the version that was
    /// read (RFC 9110 § 13.1.1). Lists that were not read are missing.
    private var tags: [String: [String: String]] = [:]

    /// - Parameter connections: to that hub.
    package init(_ hub: SavedHub, device: Fingerprint?, _ connections: KeptConnections) {
        (self.hub, self.device, self.connections) = (hub, device, connections)
    }

    /// One request.
    ///
    /// - Parameters:
    ///   - path: the segments after `/hubpair/v1/`, not encoded.
    ///   - items: the names and values of the query, not encoded.
    ///   - isRepeatable: false if the request must not be sent twice.
    ///   - quiet: how long the hub may take.
    /// - Returns: the members of the answer; none if it has no body.
    func ask(
        _ method: String, _ path: [String], items: [(String, String)] = [],
        body: JSONValue? = nil, isRepeatable: Bool = true, quiet: Duration = .seconds(30)
    ) async throws -> [String: JSONValue] {
        guard !hub.isUnprotected else { throw HouseholdRefusal.stock(hub.name) }
        var request = HubRequest(method: method, target: HouseholdLink.target(path, items))
        if let condition = condition(method, path) { request.headers.append(condition) }
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = Array(body.text.utf8)
        }
        let deadlines = HubConnection.Deadlines(quiet: quiet, total: quiet * 2)
        let (response, bytes) = try await connections.send(
            request, isRepeatable: isRepeatable, maximumBodyByteCount: HouseholdLink.maximumBodyByteCount,
            deadlines: deadlines)
        guard (200..<300).contains(response.status) else {
            throw refusal(response, bytes, isList: method == "GET")
        }
        if path.count == 2, tags[path[0]] != nil {
            // A hub without entity tags is asked without conditions.
            if let tag = response["ETag"] { tags[path[0]]?[path[1]] = tag } else { tags[path[0]] = nil }
        }
        if bytes.isEmpty { return [:] }
        guard let members = JSONValue(parsing: bytes)?.asObject else {
            throw ServerError.unreadable("it is no object of JSON")
        }
        return members
    }

    /// The bytes of a picture.
    func picture(_ path: [String]) async throws -> [UInt8] {
        guard !hub.isUnprotected else { throw HouseholdRefusal.stock(hub.name) }
        let (response, bytes) = try await connections.send(
            HubRequest(method: "GET", target: HouseholdLink.target(path)), isRepeatable: true,
            maximumBodyByteCount: HouseholdLink.maximumBodyByteCount,
            deadlines: HubConnection.Deadlines(quiet: .seconds(30), total: .seconds(60)))
        guard response.status == 200 else { throw refusal(response, bytes, isList: false) }
        return bytes
    }

    /// What a change of something that was read demands: that it is as it was, or still missing.
    private func condition(_ method: String, _ path: [String]) -> (name: String, value: String)? {
        guard method == "PUT" || method == "DELETE", path.count == 2, let tags = tags[path[0]] else {
            return nil
        }
        if let tag = tags[path[1]] { return ("If-Match", tag) }
        return method == "PUT" ? ("If-None-Match", "*") : nil
    }

    /// A list whose entries people change; their entity tags are kept, by the member `key` of each.
    nonisolated func changeable<Value>(
        _ list: String, by key: String, _ read: (JSONValue) -> Value?
    ) async throws -> [Value] {
        try HouseholdLink.entries(list, of: try await changeable(list, by: key), read)
    }

    /// The same, with all that stands beside the list.
    nonisolated func changeable(_ list: String, by key: String) async throws -> [String: JSONValue] {
        let members = try await ask("GET", [list])
        var tags: [String: String] = [:]
        if case .array(let values)? = members[list] {
            for case .object(let value) in values {
                guard let name = value[key]?.asString else { continue }
                // A hub without entity tags is asked without conditions.
                guard let tag = value["etag"]?.asString, HouseholdLink.isTag(tag) else {
                    await keep(nil, of: list)
                    return members
                }
                tags[name] = tag
            }
        }
        await keep(tags, of: list)
        return members
    }

    /// Keeps a record, in place of one with the same id.
    nonisolated func put<Record: Kept>(_: Record.Type, _ id: String, _ body: JSONValue) async throws {
        _ = try await ask("PUT", HouseholdLink.path(Record.self, id), body: body)
    }

    nonisolated func remove<Record: Kept>(_: Record.Type, _ id: String) async throws {
        _ = try await ask("DELETE", HouseholdLink.path(Record.self, id))
    }

    private static func path<Record: Kept>(_: Record.Type, _ id: String) -> [String] {
        [Record.kind.list] + Record.path(of: id)
    }

    private func keep(_ tags: [String: String]?, of list: String) { self.tags[list] = tags }

    /// True for what may stand in a field: visible ASCII between quotation marks.
    private static func isTag(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.hasPrefix("\"") && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Calls `change`, which reads and then changes; again if somebody else has changed the same meanwhile.
    /// Nothing is lost by that; after ten refusals it gives up, and says so.
    package nonisolated func changing<Value>(_ change: () async throws -> Value) async throws -> Value {
        for attempt in 0..<9 {
            do {
                return try await change()
            } catch HouseholdRefusal.refused(412, _, _) {
                // Several who began again at once would meet again.
                let longest = 20 << min(attempt, 5)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...longest)))
            }
        }
        return try await change()
    }

    /// The same for a list, whose entries `read` decodes.
    nonisolated func list<Value>(
        _ key: String, _ path: [String], items: [(String, String)] = [],
        _ read: (JSONValue) -> Value?
    ) async throws -> [Value] {
        try HouseholdLink.entries(key, of: try await ask("GET", path, items: items), read)
    }

    static func entries<Value>(
        _ key: String, of members: [String: JSONValue], _ read: (JSONValue) -> Value?
    ) throws -> [Value] {
        guard case .array(let values)? = members[key] else {
            throw ServerError.unreadable("\(key) is missing")
        }
        return try values.map { value in
            guard let entry = read(value) else {
                throw ServerError.unreadable("an entry of \(key) has another form")
            }
            return entry
        }
    }

    /// A connection for a stream, which has it for itself.
    func open() async throws -> HubConnection {
        guard !hub.isUnprotected else { throw HouseholdRefusal.stock(hub.name) }
        return try await connections.open()
    }

    /// What an answer with an error means.
    ///
    /// - Parameter isList: the path has no name in it, so that 404 is about the path.
    nonisolated func refusal(_ response: HubResponse, _ body: [UInt8], isList: Bool) -> any Error {
        guard let refusal = OwnerRefusal(parsing: body) else {
            return ServerError(
                status: response.status, contentType: response["Content-Type"], body: body)
        }
        switch (response.status, refusal.word) {
        case (404, _) where isList: return HouseholdRefusal.older(hub.name)
        case (403, "not_allowed"): return HouseholdRefusal.notAllowed(hub.name, device)
        case (_, "bad_request"), (_, "not_found"), (_, "conflict"), (_, "too_many"), (_, "unavailable"),
            (_, "precondition_failed"), (_, "camera_unavailable"), (_, "camera_timeout"):
            return HouseholdRefusal.refused(
                status: response.status, word: refusal.word, message: refusal.message)
        default:
            return ServerError(
                status: response.status, contentType: response["Content-Type"], body: body)
        }
    }

    /// The target of a request.
    static func target(_ path: [String], _ items: [(String, String)] = []) -> String {
        let items = items.map { "\($0.0)=\(ControlRequest.path([$0.1]).dropFirst())" }
        return HubResource.root.dropLast() + ControlRequest.path(path)
            + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}
