import Identity
package import JSON

/// What must hold besides, for a rule to come true: the state of another activator, as it is then.
///
///     proviso = device "/" activator SP condition     ; the ids are of the characters of a room's id
///
/// Accepted: `6b4d5c/6b4d5d on`, `6b4d5c/6b4d5d above 0.5`. Rejected: `6b4d5c on`, `6b4d5c/6b4d5d open`.
package struct RuleProviso: Equatable, Sendable, CustomStringConvertible {
    package let device: String
    package let activator: String
    package let condition: RuleCondition

    package init?(device: String, activator: String, condition: RuleCondition) {
        guard HouseholdNames.isPathID(device), HouseholdNames.isPathID(activator) else { return nil }
        (self.device, self.activator, self.condition) = (device, activator, condition)
    }

    package init?(_ text: String) {
        guard let space = text.firstIndex(of: " ") else { return nil }
        let ids = text[..<space].split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard ids.count == 2, let condition = RuleCondition(String(text[text.index(after: space)...])) else {
            return nil
        }
        self.init(device: ids[0], activator: ids[1], condition: condition)
    }

    package var description: String { "\(device)/\(activator) \(condition)" }

    /// A state that is not known holds: it must not silence an alarm.
    package func holds(_ state: (StateKey) -> JSONValue?) -> Bool {
        state(StateKey(device: device, activator: activator)).map(condition.holds) ?? true
    }
}
