package import Identity
package import JSON

/// Which rules come true when a state changes.
///
/// A rule comes true once, when the state crosses its line while it is armed; what goes on beyond the line
/// says nothing more. A state that was not known before counts as one that had not crossed it: a smoke
/// detector that is first seen when it gives alarm is told of.
package struct RuleWatch: Sendable {
    private let rules: [StateKey: [Rule]]
    private let arming: Arming
    private let scene: PeerName?

    /// - Parameters:
    ///   - rules: in the order in which they are to be told.
    ///   - scene: the scene that decides what is armed; nil: none has run yet.
    package init(_ rules: [Rule], _ arming: Arming, in scene: PeerName?) {
        self.rules = Dictionary(grouping: rules) { StateKey(device: $0.device, activator: $0.activator) }
        (self.arming, self.scene) = (arming, scene)
    }

    /// The rules that come true with a change, in their order.
    ///
    /// - Parameter state: how the house is; nil for what is not known.
    package func rules(
        for change: StateChange, _ state: (StateKey) -> JSONValue? = { _ in nil }
    ) -> [Rule] {
        (rules[change.key] ?? []).filter { rule in
            rule.condition.holds(for: change.state) && !(change.before.map(rule.condition.holds) ?? false)
                && arming.isArmed(rule, in: scene) && rule.proviso?.holds(state) ?? true
        }
    }
}
