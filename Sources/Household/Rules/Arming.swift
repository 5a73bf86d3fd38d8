package import Identity

/// Which rules are armed.
///
/// A scene arms a rule by naming it in `arms`, or the rule names the scene in `in`; both mean the same. A
/// rule without such a scene is always armed. Any other is armed if the last deciding scene that has run arms
/// it. A scene decides if it has `arms`, even an empty one, or if a rule names it. The other scenes leave
/// what is armed as it is, so that lights at sunset do not disarm a house whose people are away.
///
/// What counts is which scene has run, and not how the appliances stand: opening a door that a scene has
/// locked must not disarm what watches it.
package struct Arming: Equatable, Sendable {
    /// The folded names of rules, and of the scenes that arm them.
    private var scenes: [String: Set<String>] = [:]
    /// The folded names of the scenes that decide.
    private var deciding: Set<String> = []

    package init(_ rules: [Rule], _ allScenes: [HubScene]) {
        for rule in rules {
            guard let names = rule.scenes else { continue }
            let folded = names.map(HouseholdNames.folded)
            scenes[HouseholdNames.folded(rule.name), default: []].formUnion(folded)
            deciding.formUnion(folded)
        }
        for scene in allScenes {
            guard let names = scene.arms else { continue }
            let folded = HouseholdNames.folded(scene.name)
            for name in names { scenes[HouseholdNames.folded(name), default: []].insert(folded) }
            deciding.insert(folded)
        }
    }

    /// True if running the scene changes what is armed.
    package func decides(_ scene: PeerName) -> Bool { deciding.contains(HouseholdNames.folded(scene)) }

    /// True if the rule is armed when `scene` is the last deciding one that has run; nil: none has.
    package func isArmed(_ rule: Rule, in scene: PeerName?) -> Bool {
        guard let arming = scenes[HouseholdNames.folded(rule.name)] else { return true }
        return scene.map { arming.contains(HouseholdNames.folded($0)) } ?? false
    }
}
