package import Identity

/// Why a request about the household is refused. The hub answers with ``word`` and ``description``.
package enum HouseholdError: Equatable, UserError {
    /// What a name or an id is of.
    package enum Kind: String, Sendable {
        case room, scene, rule, unit, kind, picture
    }

    /// The body of the request is not what it should be: why.
    case badBody(String)
    /// The name or id cannot be one: why.
    case badName(Kind, String)
    /// Another one has the name; names that differ in case alone count as one, since people speak them.
    case nameInUse(Kind, String)
    /// None has this name or id.
    case unknown(Kind, String)
    /// It is not the version that the request names, or there is one where none may be.
    case changed(Kind, String)
    /// There are as many as can be kept.
    case tooMany(Kind, limit: Int)
    /// The file would become too large; what is in it, like `the rooms`.
    case tooLarge(String)
    /// The scene of this name arms no rule.
    case armsNothing(String)
    /// A scene runs by the sun, and the hub does not know where it is.
    case noPlace

    /// The word for programs in the hub's answer.
    package var word: String {
        switch self {
        case .badBody, .badName: "bad_request"
        case .nameInUse, .noPlace, .armsNothing: "conflict"
        case .unknown: "not_found"
        case .changed: "precondition_failed"
        case .tooMany, .tooLarge: "too_many"
        }
    }

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .badBody(let reason): reason
        case .badName(let kind, let reason): "this cannot be the name of a \(kind.rawValue): \(reason)"
        case .nameInUse(let kind, let name): "another \(kind.rawValue) is called \(quoted(name))"
        case .unknown(let kind, let name): "there is no \(kind.rawValue) \(quoted(name))"
        case .changed(let kind, let name): "the \(kind.rawValue) \(quoted(name)) is not as it was read"
        case .tooMany(let kind, let limit):
            "there are \(limit) \(kind.rawValue)s already, and no more are kept"
        case .tooLarge(let words): "with this, \(words) would take more room than the hub keeps for them"
        case .armsNothing(let name): "the scene \(quoted(name)) arms no rule"
        case .noPlace: "the hub does not know where it is, and so not when the sun rises and sets there"
        }
    }

    package var kind: UserErrorKind {
        switch self {
        case .badBody: .data
        case .badName, .nameInUse, .tooMany, .tooLarge, .armsNothing: .usage
        case .noPlace: .configuration
        case .unknown: .notFound
        case .changed: .tryAgain
        }
    }

    /// How to mend it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .nameInUse: "choose another name, or rename the other one first"
        case .changed: "read it again, and change what is there now"
        case .tooMany(let kind, _): "remove a \(kind.rawValue) that is not needed"
        case .tooLarge: "remove what is not needed"
        case .armsNothing: "an owner says which rules it arms: 'hubpair home rule add ... --in SCENE'"
        case .noPlace: "on the hub: 'hubpair setup --change --place \"52.52 13.41\"'"
        case .badBody, .badName, .unknown: nil
        }
    }
}
