package import JSON

/// What a hub's doctor says of one check.
///
///     {"check": string, "status": "ok" / "warning" / "problem" / "skipped", "tried": string, "seen": string,
///      "mend": string / null}
///
/// Accepted: another status, and more keys, of a newer hub. Rejected: one without a check, a status, or what
/// was tried and seen. All of it is the hub's own words: escape it before you print.
package struct HubFinding: Equatable, Sendable {
    package let check: String
    package let status: String
    package let tried: String
    package let seen: String
    package let mend: String?

    package init?(_ value: JSONValue) {
        guard let members = value.asObject, let check = members["check"]?.asString,
            let status = members["status"]?.asString, let tried = members["tried"]?.asString,
            let seen = members["seen"]?.asString
        else { return nil }
        (self.check, self.status, self.tried, self.seen) = (check, status, tried, seen)
        mend = members["mend"]?.asString
    }
}
