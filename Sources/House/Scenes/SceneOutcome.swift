import Household
import Identity
import JSON

/// What has come of a scene's run, in the order of its states.
///
///     {"scene": "Movie night", "confirmed": 11,
///      "states": [{"device": "6b4d5c", "activator": "6b4d5d", "name": "Lamp: On/Off", "state": true,
///                  "result": "confirmed" / "unconfirmed" / "silent" / "missing" / "failed",
///                  "message": string}],
///      "note": string}
///
/// `state` is what was ordered, `message` says why it is not so; a confirmed state has none. `note` is
/// missing if there is nothing more to know.
struct SceneOutcome: Sendable {
    enum Result: Equatable, Sendable {
        /// It is so.
        case confirmed
        /// The appliance took the order, and was not seen to follow.
        case unconfirmed
        /// The appliance does not answer the server; it may follow when it is back.
        case silent
        /// The house has no such appliance, or no such activator.
        case missing
        /// The order could not be given: why.
        case failed(String)

        fileprivate var word: String {
            switch self {
            case .confirmed: "confirmed"
            case .unconfirmed: "unconfirmed"
            case .silent: "silent"
            case .missing: "missing"
            case .failed: "failed"
            }
        }

        fileprivate var message: String? {
            switch self {
            case .confirmed: nil
            case .unconfirmed: "it has not followed in time"
            case .silent: "it does not answer"
            case .missing: "the house does not have it any more"
            case .failed(let reason): reason
            }
        }
    }

    /// The most names in ``text``.
    private static let maximumNamed = 5

    let scene: HubScene
    let results: [Result]
    /// What the one who runs it has to know beside: that nothing was disarmed.
    let note: String?

    var confirmedCount: Int { results.filter { $0 == .confirmed }.count }

    var json: JSONValue {
        let states = zip(scene.states, results).map { state, result in
            var members = state.json.asObject ?? [:]
            members["result"] = .string(result.word)
            members["message"] = result.message.map(JSONValue.string)
            return JSONValue.object(members)
        }
        var members: [String: JSONValue] = [
            "scene": .string(scene.name.description), "confirmed": .integer(Int64(confirmedCount)),
            "states": .array(states),
        ]
        members["note"] = note.map(JSONValue.string)
        return .object(members)
    }

    /// What people are told, in one line.
    var text: String {
        let wrong = zip(scene.states, results).filter { $1 != .confirmed }
        guard !wrong.isEmpty else { return "the scene \"\(scene.name)\" ran" }
        let named = wrong.prefix(SceneOutcome.maximumNamed).map { state, result in
            "\(shortened(state.name ?? state.device)) (\(shortened(result.message ?? result.word)))"
        }
        let rest = wrong.count - named.count
        return "the scene \"\(scene.name)\" ran; \(wrong.count) of \(results.count) are not as it says: "
            + named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
