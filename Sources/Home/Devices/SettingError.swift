package import Identity

/// Why something cannot be set.
package enum SettingError: Equatable, UserError {
    /// Neither on, off, nor a number.
    case notASetting(String)
    /// A number beyond 1, or beyond 100%.
    case outOfRange(String)
    /// A level for an activator that is only on or off.
    case onlyOnAndOff(activator: String)
    /// An activator of a kind that this version does not know.
    case unknownKind(String, activator: String)
    /// An appliance without an activator.
    case nothingToSet(device: String)

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notASetting(let text): "\(quoted(text)) is not a value: on, off, or a level"
        case .outOfRange(let text): "\(shortened(text)) is out of range"
        case .onlyOnAndOff(let name): "\(quoted(name)) knows only on and off"
        case .unknownKind(let word, let name):
            "\(quoted(name)) is of the kind \(quoted(word)), which this hubpair cannot set"
        case .nothingToSet(let name): "\(quoted(name)) has nothing that can be set"
        }
    }

    package var kind: UserErrorKind { .usage }

    /// How to fix it; nil if there is no advice.
    package var hint: String? {
        switch self {
        case .notASetting: "give on, off, a level from 0 to 1, or a percentage like 40%"
        case .outOfRange: "give a level from 0 to 1, or a percentage from 0% to 100%"
        case .onlyOnAndOff:
            "give on or off, or name another activator of the appliance: 'hubpair home show APPLIANCE'"
        case .nothingToSet: nil
        case .unknownKind: "update hubpair, or send it with 'hubpair call'"
        }
    }
}
