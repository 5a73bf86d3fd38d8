package import JSON
import Pairing

/// What the household keeps by the thousand, each with an id: rules, scenes, rooms, units and kinds.
///
/// A record says its fields once, in ``fields``. A new field is a property, and a line in each of `fields`,
/// `init(id:_:)` and `values`.
package protocol Kept: Equatable, Sendable {
    associatedtype File: HouseholdFile

    /// The first word of its group's name, and what people call it.
    static var kind: HouseholdError.Kind { get }
    static var fields: [Field] { get }
    /// Where it stands in its file.
    static var list: WritableKeyPath<File, KeptList<Self>> { get }
    /// The key that errors about the whole record name.
    static var mainKey: String { get }
    /// The member of its JSON that is its id.
    static var idKey: String { get }

    /// It stands in the group's name, and in the path of requests.
    var id: String { get }
    /// What people call it: no two of a file have the same, whatever its case. Nil: they do not.
    var title: String? { get }
    /// The values of its fields; those that it does not have are missing.
    var values: [String: JSONValue] { get }
    /// What is wrong with it, from any author; nil if nothing is.
    var fault: (key: String, reason: String)? { get }

    init(id: String, _ values: FieldValues) throws(FieldFault)
    /// What nobody may make of it newly, and older files may have.
    func checkNew() throws(HouseholdError)
    /// This one once `other` is kept; nil: as it is.
    func yielding(to other: Self) -> Self?
    /// The members that say its id.
    var idMembers: [String: JSONValue] { get }
    static func id(in members: [String: JSONValue]) -> String?
    /// The id as segments of a path.
    static func path(of id: String) -> [String]
}

extension Kept {
    /// A house has fewer. More would let a member fill the hub's memory and disk.
    package static var maximumCount: Int { 1000 }
    package static var idKey: String { "name" }

    package var fault: (key: String, reason: String)? { nil }
    package func checkNew() throws(HouseholdError) {}
    package func yielding(to other: Self) -> Self? { nil }
    package var title: String? { nil }
    package var idMembers: [String: JSONValue] { [Self.idKey: .string(id)] }
    package static func id(in members: [String: JSONValue]) -> String? { members[idKey]?.asString }
    package static func path(of id: String) -> [String] { [id] }

    static func group(_ id: String) -> String { "\(kind.rawValue) \(id)" }
    package var group: String { Self.group(id) }

    /// As answers have it.
    package var json: JSONValue { .object(values.merging(idMembers) { $1 }) }

    /// The record in the body of a `PUT`. Other members are ignored, its id too: the path has it.
    package init(id: String, body: [UInt8]) throws(HouseholdError) {
        var values: [String: JSONValue] = [:]
        do throws(JSONFault) {
            let value = try JSONReader.read(JSONValue.self, from: body, duplicateKeys: .refused)
            guard let members = value.asObject else { throw JSONFault(.otherType) }
            for field in Self.fields { values[field.key] = try field.value(in: members) }
        } catch {
            throw .badBody("the body is not a \(Self.kind.rawValue): \(error)")
        }
        do throws(FieldFault) {
            try self.init(id: id, FieldValues(values, isNew: true))
        } catch {
            switch error {
            case .refused(let refusal): throw refusal
            case .invalid(let key, let reason, let body): throw .badBody(body ?? "\(key): \(reason)")
            }
        }
    }

    /// The record in an answer of a hub; nil for one that this version cannot read.
    package init?(answer: JSONValue) {
        guard let members = answer.asObject, let id = Self.id(in: members) else { return nil }
        do {
            var values: [String: JSONValue] = [:]
            for field in Self.fields { values[field.key] = try field.value(in: members) }
            try self.init(id: id, FieldValues(values, isNew: false))
        } catch {
            return nil
        }
    }

    /// The record in a group of a file.
    init(id: String, in file: KeyFile) throws(KeyFileError) {
        let group = Self.group(id)
        let pairs = file.pairs(in: group)
        var values: [String: JSONValue] = [:]
        for field in Self.fields { values[field.key] = try field.value(in: pairs, of: group) }
        do throws(FieldFault) {
            try self.init(id: id, FieldValues(values, isNew: false))
        } catch {
            switch error {
            case .refused: throw .unknownGroup(group)
            case .invalid(let key, let reason, _):
                let field = Self.fields.first { $0.key == key }
                throw .invalidValue(reason, key: field?.fileKey ?? key, group: group)
            }
        }
        if let (key, reason) = fault { throw .invalidValue(reason, key: key, group: group) }
    }

    /// Writes what differs from `before` into the file.
    func write(to file: inout KeyFile, before: Self?) {
        let values = values
        guard let before else {
            let pairs = Self.fields.flatMap { $0.pairs(values) }
            return file.replaceGroup(group, with: pairs.compactMap { key, text in text.map { (key, $0) } })
        }
        let old = before.values
        // What is numbered comes last, and what is no longer there goes.
        for field in Self.fields where field.form != .numbered {
            for (key, text) in field.pairs(values) { file.set(key, to: text, in: group) }
        }
        for field in Self.fields where field.form == .numbered {
            let pairs = field.pairs(values)
            for (key, text) in pairs { file.set(key, to: text, in: group) }
            for (key, _) in field.pairs(old).dropFirst(pairs.count) { file.set(key, to: nil, in: group) }
        }
    }
}
