import FoundationEssentials
import JSON
import Pairing

/// A key and its value, as etcd tells them; without a value if it was deleted.
package struct EtcdEntry: Equatable, Sendable {
    package let key: [UInt8]
    package let value: [UInt8]?
    /// The revision of its last change.
    package let revision: Int64
}

/// The answers of etcd's JSON gateway. What has a default value is left out by it: a number that is 0, an
/// empty list, `false`. They come from a machine that may be somebody else's: nothing in them is relied on.
///
/// Accepted: `{"header":{"cluster_id":"7","revision":"9"},"kvs":[{"key":"Zg==","mod_revision":"9"}]}`.
/// Rejected: no `header`, a `cluster_id` that is no number, a `key` that is not in base64.
package enum EtcdAnswer {
    package struct Header: Equatable, Sendable {
        package let cluster: UInt64
        package let member: UInt64
        package let revision: Int64

        fileprivate init(_ members: [String: JSONValue]) throws(SiteError) {
            guard let header = members["header"]?.asObject,
                let cluster = try EtcdAnswer.number(header["cluster_id"], UInt64.self), cluster > 0
            else { throw EtcdAnswer.fault("an answer without a header") }
            self.cluster = cluster
            member = try EtcdAnswer.number(header["member_id"], UInt64.self) ?? 0
            revision = try EtcdAnswer.number(header["revision"], Int64.self) ?? 0
        }
    }

    package struct Range: Equatable, Sendable {
        package let header: Header
        package let entries: [EtcdEntry]
        /// More keys follow than were asked for.
        package let hasMore: Bool

        package init(parsing bytes: [UInt8]) throws(SiteError) {
            let members = try EtcdAnswer.members(bytes)
            header = try Header(members)
            entries = try EtcdAnswer.entries(members["kvs"])
            hasMore = members["more"] == .boolean(true)
        }
    }

    package struct Transaction: Equatable, Sendable {
        package let header: Header
        package let isDone: Bool
        /// What it read instead.
        package let entries: [EtcdEntry]

        package init(parsing bytes: [UInt8]) throws(SiteError) {
            let members = try EtcdAnswer.members(bytes)
            header = try Header(members)
            isDone = members["succeeded"] == .boolean(true)
            var entries: [EtcdEntry] = []
            if case .array(let responses) = members["responses"] {
                for response in responses {
                    guard let range = response.asObject?["response_range"]?.asObject else { continue }
                    entries += try EtcdAnswer.entries(range["kvs"])
                }
            }
            self.entries = entries
        }
    }

    /// A line of a watch.
    package enum Watch: Equatable, Sendable {
        case created(Header)
        case changed(Header, [EtcdEntry])
        /// It has ended; the revision since which history is kept, 0 if that is not why.
        case ended(compacted: Int64)

        package init(parsing line: [UInt8]) throws(SiteError) {
            let members = try EtcdAnswer.members(line)
            guard let result = members["result"]?.asObject else {
                self = .ended(compacted: 0)
                return
            }
            if result["canceled"] == .boolean(true) {
                self = .ended(
                    compacted: try EtcdAnswer.number(result["compact_revision"], Int64.self) ?? 0)
                return
            }
            let header = try Header(result)
            guard case .array(let events) = result["events"] else {
                self = .created(header)
                return
            }
            var entries: [EtcdEntry] = []
            for event in events {
                guard let event = event.asObject, let entry = event["kv"]?.asObject else {
                    throw EtcdAnswer.fault("an event without a key")
                }
                entries.append(try EtcdAnswer.entry(entry, isGone: event["type"] == .string("DELETE")))
            }
            self = .changed(header, entries)
        }
    }

    /// A member, as the others know it.
    package struct Member: Equatable, Sendable {
        package let id: UInt64
        package let name: String

        package static func list(parsing bytes: [UInt8]) throws(SiteError) -> [Member] {
            guard case .array(let members) = try EtcdAnswer.members(bytes)["members"] else { return [] }
            var list: [Member] = []
            for member in members {
                guard let member = member.asObject, let id = try number(member["ID"], UInt64.self) else {
                    throw fault("a member without an ID")
                }
                list.append(Member(id: id, name: member["name"]?.asString ?? ""))
            }
            return list
        }
    }

    package struct Status: Equatable, Sendable {
        package let header: Header
        package let version: String
        /// The member that leads; 0 without a majority.
        package let leader: UInt64

        package init(parsing bytes: [UInt8]) throws(SiteError) {
            let members = try EtcdAnswer.members(bytes)
            header = try Header(members)
            version = members["version"]?.asString ?? ""
            leader = try EtcdAnswer.number(members["leader"], UInt64.self) ?? 0
        }
    }

    /// The number of a lease that was begun or kept; nil if it has ended.
    package static func lease(parsing bytes: [UInt8]) throws(SiteError) -> String? {
        let answer = try members(bytes)
        let lease = answer["result"]?.asObject ?? answer
        guard let time = try number(lease["TTL"], Int64.self), time > 0,
            let id = try number(lease["ID"], Int64.self)
        else { return nil }
        return String(id)
    }

    /// What went wrong, in etcd's words and by gRPC's code; nil if the answer does not say.
    package static func error(parsing bytes: [UInt8]) -> (words: String, code: Int64)? {
        guard let members = JSONValue(parsing: bytes)?.asObject,
            let words = (members["message"] ?? members["error"])?.asString
        else { return nil }
        guard case .integer(let code)? = members["code"] else { return (words, -1) }
        return (words, code)
    }

    private static func members(_ bytes: [UInt8]) throws(SiteError) -> [String: JSONValue] {
        guard let members = JSONValue(parsing: bytes)?.asObject else {
            throw fault("an answer that is no JSON")
        }
        return members
    }

    private static func entries(_ value: JSONValue?) throws(SiteError) -> [EtcdEntry] {
        guard case .array(let values) = value else { return [] }
        var entries: [EtcdEntry] = []
        entries.reserveCapacity(values.count)
        for value in values {
            guard let members = value.asObject else { throw fault("a key that is no object") }
            entries.append(try entry(members, isGone: false))
        }
        return entries
    }

    private static func entry(_ members: [String: JSONValue], isGone: Bool) throws(SiteError) -> EtcdEntry {
        guard let key = members["key"]?.asString, let bytes = Data(base64Encoded: key),
            let value = Data(base64Encoded: members["value"]?.asString ?? ""),
            let revision = try number(members["mod_revision"], Int64.self), revision > 0
        else { throw fault("a key that is not as etcd writes it") }
        return EtcdEntry(key: Array(bytes), value: isGone ? nil : Array(value), revision: revision)
    }

    private static func number<Number: FixedWidthInteger>(
        _ value: JSONValue?, _: Number.Type
    ) throws(SiteError) -> Number? {
        switch value {
        case nil: return nil
        case .string(let text):
            guard let number = Number(text), number >= 0 else { throw fault("a number that is none") }
            return number
        case .integer(let number):
            guard let number = Number(exactly: number), number >= 0 else {
                throw fault("a number that is none")
            }
            return number
        default: throw fault("a number that is none")
        }
    }

    private static func fault(_ words: String) -> SiteError { .damaged("etcd sent \(words)") }
}
