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
    /// An amount for an activator whose levels count nothing that is known.
    case noUnit(String, device: String, activator: String)
    /// An amount in another unit than the activator's.
    case otherUnit(String, device: String, symbol: String)
    /// An amount beyond what the activator can be set to.
    case beyondUnit(String, device: String, range: String, symbol: String)
    /// A colour for an appliance that has none.
    case noColour(String, device: String)
    /// An amount for an appliance of whose activators several have a unit.
    case severalUnits(device: String, activators: [String])

    /// What is wrong, in lower case, without a full stop.
    package var description: String {
        switch self {
        case .notASetting(let text): "\(quoted(text)) is not a value: on, off, or a level"
        case .outOfRange(let text): "\(shortened(text)) is out of range"
        case .onlyOnAndOff(let name): "\(quoted(name)) knows only on and off"
        case .unknownKind(let word, let name):
            "\(quoted(name)) is of the kind \(quoted(word)), which this hubpair cannot set"
        case .nothingToSet(let name): "\(quoted(name)) has nothing that can be set"
        case .noUnit(let text, let name, _):
            "\(shortened(text)) is out of range, since no unit says what it means to \(quoted(name))"
        case .otherUnit(let text, let name, let symbol):
            "\(shortened(text)) is no setting of \(quoted(name)), which counts in \(shortened(symbol))"
        case .beyondUnit(let text, let name, let range, let symbol):
            "\(shortened(text)) is out of range: \(quoted(name)) goes from \(range) \(shortened(symbol))"
        case .noColour(let word, let name): "\(quoted(name)) has no colours, so it cannot be \(word)"
        case .severalUnits(let name, _): "several settings of \(quoted(name)) have a unit"
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
        case .noUnit(let text, let device, let activator):
            (Int(text).map { (2...100).contains($0) } == true
                ? "did you mean \(text)%? Or" : "give a level from 0 to 1 or a percentage, or")
                + " say what its levels count: 'hubpair home unit "
                + "\(quoted(device)) °C 5..30 --activator \(quoted(activator))'"
        case .noColour: "'hubpair home show APPLIANCE' shows what can be set on it"
        case .otherUnit: "give the number with its own unit, or alone"
        case .beyondUnit: "give a number in that range, or a percentage of it"
        case .severalUnits(_, let names):
            "name one: " + names.prefix(8).map(quoted).joined(separator: ", ")
        case .unknownKind: "update hubpair, or send it yourself: 'hubpair call --help' says how"
        }
    }
}
