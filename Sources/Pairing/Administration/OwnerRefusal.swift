package import JSON

/// Why the hub does not do what an owner asked for over HTTP.
///
///     {"error": word, "message": string, "kind": kind, "hint": string}
///     kind = "not_found" / "usage" / "data" / "no_input" / "unavailable" / "cannot_write" / "try_again"
///            / "not_permitted" / "configuration"
///
/// `kind` and `hint` may be missing, and an unknown kind is read as if it were. The same call on the hub
/// itself fails with the same message and hint, and with the exit code of this kind.
package struct OwnerRefusal: Equatable, Sendable {
    package let word: String
    package let message: String
    package let hint: String?
    package let kind: UserErrorKind?

    package init(_ word: String, _ message: String, hint: String? = nil, kind: UserErrorKind? = nil) {
        (self.word, self.message, self.hint, self.kind) = (word, message, hint, kind)
    }

    /// Nil if it is not of the form above.
    package init?(parsing body: [UInt8]) {
        guard let members = JSONValue(parsing: body)?.asObject, let word = members["error"]?.asString else {
            return nil
        }
        self.init(
            word, members["message"]?.asString ?? word, hint: members["hint"]?.asString,
            kind: members["kind"]?.asString.flatMap(UserErrorKind.init))
    }

    package var json: JSONValue {
        var members: [String: JSONValue] = ["error": .string(word), "message": .string(message)]
        members["hint"] = hint.map(JSONValue.string)
        members["kind"] = kind.map { .string($0.rawValue) }
        return .object(members)
    }
}
