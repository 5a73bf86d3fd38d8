import HubClient
import Identity

/// How a hub's scene stands now. What the appliances match and what decides are two things: one lamp that is
/// switched makes a house match no scene, and its rules stay armed.
struct SceneStanding {
    /// What a hub says of its scenes.
    struct Present: Sendable {
        let hub: Fingerprint?
        /// Nil: it does not know how the appliances stand.
        let matching: [String]?
        let decides: String?
    }

    /// Nil: it is not known.
    let matches: Bool?
    /// It decides what is armed.
    let decides: Bool

    /// - Returns: nil if the hub has said nothing.
    init?(of scene: SharedScene, _ hub: SavedHub, in presents: [Present]) {
        guard let present = presents.first(where: { $0.hub == hub.fingerprint }) else { return nil }
        matches = present.matching?.contains(scene.name)
        decides = present.decides?.lowercased() == scene.name.lowercased()
    }

    var words: String {
        [decides ? "decides" : nil, matches == true ? "matches" : nil].compactMap(\.self)
            .joined(separator: ", ")
    }

    /// Asks all hubs at once; one that does not say, or runs an older version, is passed over.
    static func all(_ sessions: [HomeSession]) async -> [Present] {
        let answers = await sessions.askAtOnce { _, session in
            let matching = try? await SharedScenes(session.household).current()
            let state = try? await ArmRules(session.household).state()
            return Present(hub: session.hub.fingerprint, matching: matching, decides: state?.scene)
        }
        return answers.compactMap { try? $0.get() }
    }
}
