package import Identity
package import JSON

/// What the house should tell: when an appliance's state crosses a line, a message with this text.
package struct Rule: Equatable, Sendable {
    /// What kind of message it makes.
    package enum Kind: String, CaseIterable, Sendable {
        /// Stays open until somebody acknowledges it.
        case alarm
        /// A message that nobody has to acknowledge.
        case notification
    }

    /// The most bytes of the text. It goes to every device and through every hook.
    package static let maximumTextByteCount = 500
    /// The most scenes in which it is armed: as many as a house can have.
    static let maximumSceneCount = 1000

    package let name: PeerName
    /// The appliance's id.
    package let device: String
    /// The activator's id.
    package let activator: String
    package let condition: RuleCondition
    package let kind: Kind
    /// What people read, in one line.
    package let text: String
    /// The scenes in which it is armed; nil: see ``Arming``.
    package let scenes: [PeerName]?
    /// The scene that an alarm runs; nil: none.
    package let run: PeerName?

    package init(
        name: PeerName, device: String, activator: String, condition: RuleCondition, kind: Kind, text: String,
        scenes: [PeerName]? = nil, run: PeerName? = nil
    ) {
        (self.name, self.device, self.activator) = (name, device, activator)
        (self.condition, self.kind, self.text) = (condition, kind, text)
        (self.scenes, self.run) = (scenes, run)
    }

    /// What is wrong with it, from any author; nil if nothing is.
    var fault: (key: String, reason: String)? {
        let idReason = "an id has 1 to \(HouseholdNames.maximumIDByteCount) bytes"
        if !HouseholdNames.isID(device) { return ("device", idReason) }
        if !HouseholdNames.isID(activator) { return ("activator", idReason) }
        let isShort = (1...Rule.maximumTextByteCount).contains(text.utf8.count)
        if !isShort || text.unicodeScalars.contains(where: \.isControlling) {
            return (
                "text", "not one line of 1 to \(Rule.maximumTextByteCount) bytes without control characters"
            )
        }
        if let scenes, scenes.count > Rule.maximumSceneCount {
            return ("in", "more than \(Rule.maximumSceneCount) scenes")
        }
        if run != nil, kind != .alarm { return ("run", "only an alarm runs a scene") }
        return nil
    }
}

/// The line that a state crosses.
///
///     condition = "on" / "off" / ( "above" / "below" ) SP number       ; number: RFC 8259 § 6
///
/// `on` is a state of `true`, or a number above 0; `off` is `false`, or 0. `above` and `below` are about
/// numbers alone, and the number itself is neither. Other states fulfil none of them.
///
/// Accepted: `on`, `above 0.5`, `below -3`. Rejected: `On`, `above`, `above 1,5`, `above 50%`, `above  1`.
package enum RuleCondition: Equatable, Sendable, CustomStringConvertible {
    case on
    case off
    case above(Double)
    case below(Double)

    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let number = words.count == 2 ? JSONValue(parsing: Array(words[1].utf8))?.asDouble : nil
        switch (words.first, words.count, number) {
        case ("on", 1, _): self = .on
        case ("off", 1, _): self = .off
        case ("above", 2, let number?): self = .above(number)
        case ("below", 2, let number?): self = .below(number)
        default: return nil
        }
    }

    package var description: String {
        switch self {
        case .on: "on"
        case .off: "off"
        case .above(let number): "above \(RuleCondition.text(number))"
        case .below(let number): "below \(RuleCondition.text(number))"
        }
    }

    private static func text(_ number: Double) -> String {
        Int64(exactly: number).map(String.init) ?? String(number)
    }

    /// True if the state is on the far side of the line.
    package func holds(for state: JSONValue) -> Bool {
        switch (self, state, state.asDouble) {
        case (.on, .boolean(let isOn), _): isOn
        case (.off, .boolean(let isOn), _): !isOn
        case (.on, _, let number?): number > 0
        case (.off, _, let number?): number == 0
        case (.above(let line), _, let number?): number > line
        case (.below(let line), _, let number?): number < line
        default: false
        }
    }
}
