// Fields that mean nothing to the gateway, and something to the hub's own page.
extension FieldBlock {
    /// The members of the comma-separated lists in all fields of this name (RFC 9110 § 5.6.1), without white
    /// space at their ends.
    ///
    /// - Parameter name: in lower case.
    package func members(named name: String) -> [Substring] {
        fields.filter { isNamed($0, in: [name]) }.flatMap { field in
            String(decoding: value(of: field), as: UTF8.self).split(separator: ",").map { member in
                var member = member.drop { $0 == " " || $0 == "\t" }
                while member.last == " " || member.last == "\t" { member.removeLast() }
                return member
            }
        }
    }

    /// True if there is a field of this name, even without a value.
    ///
    /// - Parameter name: in lower case.
    package func has(named name: String) -> Bool { fields.contains { isNamed($0, in: [name]) } }

    /// True if the client is a browser that is going to show the answer: `Accept` names `text/html` (RFC 9110
    /// § 12.5.1). Programs say `*/*`, or nothing.
    package var asksForHTML: Bool {
        members(named: "accept").contains { range in
            range.prefix { $0 != ";" && $0 != " " }.lowercased() == "text/html"
        }
    }

    /// True if the client has the content with this entity tag already (RFC 9110 § 13.1.2).
    package func hasContent(_ entityTag: String) -> Bool {
        members(named: "if-none-match").contains {
            $0 == "*" || ($0.hasPrefix("W/") ? $0.dropFirst(2) : $0) == entityTag
        }
    }

    /// The elements of `Accept-Encoding` (RFC 9110 § 12.5.3), in lower case.
    package var acceptedCodings: [String] { members(named: "accept-encoding").map { $0.lowercased() } }
}
