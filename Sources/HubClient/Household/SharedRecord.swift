package import Household
package import JSON

/// A record of the household as a hub gives it. Apart from the record itself, which refuses what it does not
/// know: what a newer hub may write otherwise is text here.
package struct SharedRecord<Record: Kept>: Equatable, Sendable {
    private(set) var members: [String: JSONValue]

    private init(members: [String: JSONValue]) { self.members = members }

    init(id: String) { self.init(members: [Record.idKey: .string(id)]) }

    package init(_ record: Record) { self.init(members: record.values.merging(record.idMembers) { $1 }) }

    /// Nil without its id, or without a field that it must have.
    init?(_ value: JSONValue) {
        guard let members = value.asObject, Record.id(in: members) != nil,
            Record.fields.allSatisfy({ $0.isReadable(in: members) })
        else { return nil }
        self.init(members: members)
    }

    package var id: String { Record.id(in: members) ?? "" }
    package var authors: Authors { Authors(members) }

    /// The values of its fields; null for those that it does not have.
    package var fields: [String: JSONValue] {
        Dictionary(uniqueKeysWithValues: Record.fields.map { ($0.key, members[$0.key] ?? .null) })
    }

    /// The body of the request that keeps it.
    var body: JSONValue { .object(fields.filter { $1 != .null }) }

    func text(_ key: String) -> String { members[key]?.asString ?? "" }

    subscript(key: String) -> JSONValue? {
        get { members[key] }
        set { members[key] = newValue }
    }
}

extension HouseholdLink {
    /// All records of a kind, with their entity tags.
    nonisolated func all<Record: Kept>(_: Record.Type) async throws -> [SharedRecord<Record>] {
        try await changeable(Record.kind.list, by: Record.idKey, SharedRecord.init)
    }

    /// Keeps a record, in place of one with the same id.
    nonisolated func put<Record: Kept>(_ record: SharedRecord<Record>) async throws {
        try await put(Record.self, record.id, record.body)
    }
}

extension HouseholdError.Kind {
    /// What the path of all of them is called, and their list in an answer.
    var list: String { rawValue + "s" }
}
