import JSON

/// Which messages are marked or acknowledged in one request.
///
///     {"all": true} / {"upTo": id, "rule": name, "kind": kind}
///
/// Each of the three members narrows the choice, and one of them may be enough. `upTo` is the last message
/// that the one who asks has seen: what comes meanwhile is not taken away unseen.
///
/// Accepted: `{"all": true}`, `{"rule": "Front door", "upTo": 17}`. Rejected: `{}`, `{"all": false}`,
/// `{"all": true, "rule": "Front door"}`, `{"upTo": 0}`, `{"kind": "news"}`.
package struct MessageSelection: Equatable, Sendable {
    /// Nil: whatever the rule.
    package var rule: String?
    package var kind: MessageKind?
    /// The last one; nil: the newest.
    package var last: Int64?

    package init(rule: String? = nil, kind: MessageKind? = nil, last: Int64? = nil) {
        (self.rule, self.kind, self.last) = (rule, kind, last)
    }

    package init(body: [UInt8]) throws(HouseholdError) {
        let members: [String: JSONValue]
        do {
            guard
                let object = try JSONReader.read(JSONValue.self, from: body, duplicateKeys: .refused)
                    .asObject
            else { throw JSONFault(.otherType) }
            members = object
        } catch {
            throw .badBody("the body does not say which messages: \(error)")
        }
        self.init()
        switch members["rule"] {
        case nil, .null?: break
        case .string(let name)?: rule = name
        default: throw .badBody("rule: not a name")
        }
        switch members["kind"] {
        case nil, .null?: break
        case .string(let word)?:
            guard let kind = MessageKind(rawValue: word) else { fallthrough }
            self.kind = kind
        default: throw .badBody("kind: none of alarm, alert, notification")
        }
        switch members["upTo"] {
        case nil, .null?: break
        case .integer(let id)? where id > 0: last = id
        default: throw .badBody("upTo: not the id of a message")
        }
        let isNarrowed = rule != nil || kind != nil || last != nil
        guard isNarrowed != (members["all"] == .boolean(true)) else {
            throw .badBody("either \"all\": true, or some of rule, kind and upTo")
        }
    }

    /// True if all up to ``last`` are meant.
    package var isAll: Bool { rule == nil && kind == nil }
}
