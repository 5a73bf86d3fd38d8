package import Identity
package import JSON
import Pairing

/// Which rules are armed now, and who has decided that.
///
///     {"rules": [{"name": "Front door", "armed": true, "in": ["Away", "Night"]}], "scene": "Away",
///      "since": time, "by": {"device": fingerprint, "name": string}}
///
/// The rules stand in the order of their file; one without `in` is always armed. `scene` is the scene that
/// decides, null if none does: nothing has run yet, or somebody has disarmed the house. `since` and `by` are
/// null where they are not known, `by` also for what ran at its time or at an alarm.
package struct ArmedRules: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let name: PeerName
        /// The scenes that arm it; nil: it is always armed.
        package let scenes: [PeerName]?
        package let isArmed: Bool
    }

    package let entries: [Entry]
    package let decision: SceneRuns.Decision

    package init(_ rules: [Rule], _ arming: Arming, _ decision: SceneRuns.Decision) {
        self.decision = decision
        entries = rules.map { rule in
            Entry(
                name: rule.name, scenes: arming.scenes(arming: rule),
                isArmed: arming.isArmed(rule, in: decision.scene))
        }
    }

    /// The scene of this name, whatever its case, if it arms a rule; nil if it arms none.
    package func arming(_ scene: PeerName) -> PeerName? {
        entries.lazy.flatMap { $0.scenes ?? [] }.first { $0.folded == scene.folded }
    }

    /// The rules that are armed, of those that need not be.
    package var armed: [PeerName] { entries.filter { $0.isArmed && $0.scenes != nil }.map(\.name) }

    /// True if whatever is armed in `other` is armed here.
    package func keeps(_ other: ArmedRules) -> Bool { Set(armed).isSuperset(of: other.armed) }

    /// What is armed and disarmed that was not `before`, for people; nil: nothing.
    package func change(from before: ArmedRules) -> String? {
        let (now, then) = (Set(armed), Set(before.armed))
        let parts = [
            ("armed", armed.filter { !then.contains($0) }),
            ("disarmed", before.armed.filter { !now.contains($0) }),
        ]
        let words = parts.filter { !$1.isEmpty }.map { "\($0): \(ArmedRules.words($1))" }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    /// The most names in a text.
    private static let maximumNamed = 5

    package static func words(_ names: [PeerName]) -> String {
        let rest = names.count - maximumNamed
        return names.prefix(maximumNamed).map { quoted($0.description) }.joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more" : "")
    }

    package var json: JSONValue {
        .object([
            "rules": .array(
                entries.map { entry in
                    var members: [String: JSONValue] = [
                        "name": .string(entry.name.description), "armed": .boolean(entry.isArmed),
                    ]
                    members["in"] = entry.scenes.map { .array($0.map { .string($0.description) }) }
                    return .object(members)
                }),
            "scene": .text(decision.scene?.description), "since": .text(decision.since?.timestamp),
            "by": decision.author.map {
                .object(["device": .string($0.device.description), "name": .string($0.name.description)])
            } ?? .null,
        ])
    }
}
