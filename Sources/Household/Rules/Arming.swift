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
    /// The folded names of rules, and the scenes that arm them.
    private var scenes: [String: [PeerName]] = [:]
    /// The folded names of the scenes that decide.
    private var deciding: Set<String> = []

    package init(_ rules: [Rule], _ allScenes: [HubScene]) {
        // As the scene itself spells its name, if there is one.
        let spelled = Dictionary(allScenes.map { ($0.name.folded, $0.name) }) { first, _ in first }
        for rule in rules {
            guard let names = rule.scenes else { continue }
            for name in names { add(spelled[name.folded] ?? name, arming: rule.name) }
            // A rule that names no scene is never armed.
            scenes[rule.name.folded, default: []] += []
        }
        for scene in allScenes {
            guard let names = scene.arms else { continue }
            for name in names { add(scene.name, arming: name) }
            deciding.insert(scene.name.folded)
        }
    }

    private mutating func add(_ scene: PeerName, arming rule: PeerName) {
        deciding.insert(scene.folded)
        let known = scenes[rule.folded, default: []]
        if !known.contains(where: { $0.folded == scene.folded }) {
            scenes[rule.folded, default: []].append(scene)
        }
    }

    /// The scenes that arm the rule; nil: it is always armed.
    package func scenes(arming rule: Rule) -> [PeerName]? { scenes[rule.name.folded] }

    /// True if running the scene changes what is armed.
    package func decides(_ scene: PeerName) -> Bool { deciding.contains(scene.folded) }

    /// True if the rule is armed when `scene` is the last deciding one that has run; nil: none has.
    package func isArmed(_ rule: Rule, in scene: PeerName?) -> Bool {
        guard let arming = scenes(arming: rule) else { return true }
        return arming.contains { $0.folded == scene?.folded }
    }
}
