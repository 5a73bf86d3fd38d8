import FoundationEssentials
import JSON

/// What the houses of one hub keep in the site, behind several gates: keys and values that the gate knows
/// nothing of. The house asks; the gate has the certificate for etcd, and puts all keys below the hub's own.
package enum SiteRecords {
    /// The most bytes of a value: a request to etcd takes 1.5 MB, and one to the gate 1 MiB, in base64.
    package static let maximumValueByteCount = 384 << 10

    /// Keys of which values are asked for.
    package struct Range: Equatable, Sendable {
        package let from: String
        /// The first key that is not meant; nil: one key.
        package let to: String?
        /// 0: all.
        package let limit: Int

        package init(_ from: String, to: String? = nil, limit: Int = 0) {
            (self.from, self.to, self.limit) = (from, to, limit)
        }
    }

    /// That a key has a value; nil: that there is none.
    package struct Condition: Equatable, Sendable {
        package let key: String
        package let value: [UInt8]?

        package init(_ key: String, is value: [UInt8]?) { (self.key, self.value) = (key, value) }
    }

    package enum Change: Equatable, Sendable {
        /// With a lease it goes when that ends.
        case put(String, [UInt8], lease: String? = nil)
        case delete(String, to: String? = nil)
    }

    package enum Lease: Equatable, Sendable {
        case begin(seconds: Int)
        case keep(String)
        case end(String)
    }

    package enum Question: Equatable, Sendable {
        /// Which gate of a site this one is.
        case gate
        case read([Range])
        /// All changes if all conditions hold; if not, what the ranges have.
        case change([Condition], [Change], else: [Range])
        case lease(Lease)
    }

    package struct Answer: Equatable, Sendable {
        /// That the changes were made now.
        package var isDone = false
        package var entries: [String: [UInt8]] = [:]
        /// The lease; nil if there is none any more.
        package var lease: String?
        /// The gate among those of its site; nil if it is alone.
        package var gate: String?
        /// Why nothing can be said; whether changes were made is then not known.
        package var fault: String?

        package init() {}
    }
}

// MARK: As JSON

extension SiteRecords.Question {
    package var json: [UInt8] {
        var members: [String: JSONValue] = [:]
        switch self {
        case .gate: break
        case .read(let ranges): members["ranges"] = SiteRecords.json(ranges)
        case .change(let conditions, let changes, let ranges):
            members["if"] = .array(
                conditions.map {
                    .object(["key": .string($0.key), "value": SiteRecords.json($0.value)])
                })
            members["then"] = .array(
                changes.map { change in
                    switch change {
                    case .put(let key, let value, let lease):
                        .object([
                            "key": .string(key), "value": SiteRecords.json(value),
                            "lease": SiteRecords.text(lease),
                        ])
                    case .delete(let key, let end):
                        .object(["key": .string(key), "to": SiteRecords.text(end)])
                    }
                })
            members["ranges"] = SiteRecords.json(ranges)
        case .lease(.begin(let seconds)): members["begin"] = .integer(Int64(seconds))
        case .lease(.keep(let id)): members["keep"] = .string(id)
        case .lease(.end(let id)): members["end"] = .string(id)
        }
        var bytes: [UInt8] = []
        JSONValue.object(members).write(to: &bytes)
        return bytes
    }

    package init?(_ bytes: [UInt8]) {
        guard let members = JSONValue(parsing: bytes)?.asObject else { return nil }
        if case .integer(let seconds)? = members["begin"] {
            self = .lease(.begin(seconds: Int(seconds)))
        } else if let id = members["keep"]?.asString {
            self = .lease(.keep(id))
        } else if let id = members["end"]?.asString {
            self = .lease(.end(id))
        } else if case .array(let values)? = members["ranges"] {
            let ranges = values.compactMap { SiteRecords.Range($0) }
            guard ranges.count == values.count else { return nil }
            guard case .array(let conditions)? = members["if"], case .array(let changes)? = members["then"]
            else {
                self = .read(ranges)
                return
            }
            let parsed = (
                conditions.compactMap { SiteRecords.Condition($0) },
                changes.compactMap { SiteRecords.Change($0) }
            )
            guard parsed.0.count == conditions.count, parsed.1.count == changes.count else { return nil }
            self = .change(parsed.0, parsed.1, else: ranges)
        } else {
            self = .gate
        }
    }
}

extension SiteRecords.Answer {
    package var json: [UInt8] {
        var bytes: [UInt8] = []
        JSONValue.object([
            "done": .boolean(isDone), "entries": .object(entries.mapValues { SiteRecords.json($0) }),
            "lease": SiteRecords.text(lease), "gate": SiteRecords.text(gate),
            "fault": SiteRecords.text(fault),
        ]).write(to: &bytes)
        return bytes
    }

    package init?(_ bytes: [UInt8]) {
        guard let members = JSONValue(parsing: bytes)?.asObject else { return nil }
        isDone = members["done"] == .boolean(true)
        for (key, value) in members["entries"]?.asObject ?? [:] {
            guard let bytes = SiteRecords.bytes(value) else { return nil }
            entries[key] = bytes
        }
        (lease, gate, fault) = (
            members["lease"]?.asString, members["gate"]?.asString, members["fault"]?.asString
        )
    }
}

extension SiteRecords {
    fileprivate static func json(_ bytes: [UInt8]?) -> JSONValue {
        bytes.map { .string(Data($0).base64EncodedString()) } ?? .null
    }

    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    fileprivate static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.asString.flatMap { Data(base64Encoded: $0) }.map { Array($0) }
    }

    fileprivate static func json(_ ranges: [Range]) -> JSONValue {
        .array(
            ranges.map {
                .object(["from": .string($0.from), "to": text($0.to), "limit": .integer(Int64($0.limit))])
            })
    }
}

extension SiteRecords.Range {
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.asObject, let from = members["from"]?.asString,
            case .integer(let limit)? = members["limit"]
        else { return nil }
        self.init(from, to: members["to"]?.asString, limit: Int(limit))
    }
}

extension SiteRecords.Condition {
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.asObject, let key = members["key"]?.asString else { return nil }
        self.init(key, is: SiteRecords.bytes(members["value"]))
    }
}

extension SiteRecords.Change {
    fileprivate init?(_ json: JSONValue) {
        guard let members = json.asObject, let key = members["key"]?.asString else { return nil }
        if let value = SiteRecords.bytes(members["value"]) {
            self = .put(key, value, lease: members["lease"]?.asString)
        } else {
            self = .delete(key, to: members["to"]?.asString)
        }
    }
}

/// The keys of a house's records in its site (``SiteRecords``):
///
///     last               HOUSE POSITION: the newest entry of the log
///     log/POSITION       an entry, see `LogEntry`
///     pieces/POSITION/ID/NUMBER   of an entry that is too large for one value
///     leader             GATE TERM, as long as the lease lasts of the house that polls
///     base               HOUSE POSITION ID COUNT BYTES: a copy of the database to begin with
///     copies/ID/NUMBER   its pieces
///     at/GATE            HOUSE POSITION: how far a gate's house has come
///     faults/GATE        why it does not go on; missing if it does
///
/// Positions have 16 digits, so that keys have their order.
package enum HouseRecords {
    package static let last = "last"
    package static let leader = "leader"
    package static let base = "base"

    package static func digits(_ position: Int64) -> String {
        let digits = String(position)
        return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    }

    package static func entry(_ position: Int64) -> String { "log/\(digits(position))" }
    package static func pieces(_ position: Int64) -> String { "pieces/\(digits(position))" }
    package static func piece(_ number: Int, of id: String, at position: Int64) -> String {
        "\(pieces(position))/\(id)/\(digits(Int64(number)))"
    }
    package static func copy(_ number: Int, of id: String) -> String {
        "copies/\(id)/\(digits(Int64(number)))"
    }
    package static func at(_ gate: String) -> String { "at/\(gate)" }
    package static func fault(of gate: String) -> String { "faults/\(gate)" }
    /// What followers wait for: the newest entry, and who polls.
    static let watched = SiteRecords.Range(last, to: "log")

    /// What `hub site status` reads.
    static let standings = [
        SiteRecords.Range(last), SiteRecords.Range(leader), SiteRecords.Range("at/", to: "at0"),
        SiteRecords.Range("faults/", to: "faults0"),
    ]
}
