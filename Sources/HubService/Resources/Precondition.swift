import GatewayRules
package import HubPage
package import JSON

/// What a request demands of the version that is there: `If-Match` and `If-None-Match` (RFC 9110 § 13.1).
/// With them, of two who change the same thing the later one is told, instead of undoing what the earlier one
/// has changed.
///
/// Accepted: `If-Match: "5f0c1a2b3c4d5e6f"`, `If-Match: *`, `If-None-Match: *`. What is no entity tag matches
/// nothing.
package struct Precondition: Equatable, Sendable {
    /// The entity tags that were sent, or `*`; nil: no such field.
    private let match: [String]?
    private let noneMatch: [String]?

    /// The fields that say the same: their names, and their members in a line.
    var fields: [(String, String)] {
        [("If-Match", match), ("If-None-Match", noneMatch)].compactMap { name, tags in
            tags.map { (name, $0.joined(separator: ", ")) }
        }
    }

    /// A request without conditions.
    package static let none = Precondition(match: nil, noneMatch: nil)

    package init(match: [String]?, noneMatch: [String]?) { (self.match, self.noneMatch) = (match, noneMatch) }

    init(_ fields: FieldBlock) {
        func tags(_ name: String) -> [String]? {
            fields.has(named: name) ? fields.members(named: name).map(String.init) : nil
        }
        self.init(match: tags("if-match"), noneMatch: tags("if-none-match"))
    }

    /// True if a request with these conditions may be carried out.
    ///
    /// - Parameter tag: of the version that is there; nil: there is none.
    package func holds(for tag: EntityTag?) -> Bool {
        // If-Match compares strongly: a weak tag is never the same (RFC 9110 § 8.8.3.2).
        if let match, !match.contains(where: { $0 == "*" ? tag != nil : $0 == tag?.text }) { return false }
        return noneMatch?.contains {
            $0 == "*" ? tag != nil : ($0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0) == tag?.text
        } != true
    }
}

extension EntityTag {
    /// The tag of what is served. It counts changes by hand, too.
    package init(of content: JSONValue) {
        var bytes: [UInt8] = []
        content.write(to: &bytes)
        self.init(of: bytes)
    }
}

extension JSONValue {
    /// The object with the member `etag` beside its own, for lists.
    package var tagged: JSONValue {
        guard var members = asObject else { return self }
        members["etag"] = .string(EntityTag(of: self).text)
        return .object(members)
    }

    /// The object with other members beside its own, which win.
    package func with(_ others: [String: JSONValue]) -> JSONValue {
        asObject.map { .object($0.merging(others) { $1 }) } ?? self
    }
}
