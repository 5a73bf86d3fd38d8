import HubClient
import Identity

/// Asks which of several hubs has shown a typed code, which does not say it itself.
enum HubQuestion {
    /// More are not listed in one line; `--hub` names one.
    private static let maximumCount = 9

    /// The hub that the user chooses; the only one without a question; nil if there is none to choose from.
    static func choose(among hubs: [FoundHub]) throws -> FoundHub? {
        guard hubs.count > 1, hubs.count <= maximumCount, Question.canBeAnswered else {
            return hubs.count == 1 ? hubs.first : nil
        }
        return try Question.choose(
            "which hub showed it?", among: hubs, kind: "hub", titles: hubs.map { title($0, among: hubs) }
        ) { try named($0, among: hubs) }
    }

    /// By its name, the beginning of that, or its fingerprint.
    private static func named(_ answer: String, among hubs: [FoundHub]) throws -> FoundHub {
        let peers = try hubs.map { PeerSelector.Peer(try PeerName(known: $0.name), $0.id) }
        return hubs[
            try PeerSelector(answer).index(in: peers, kind: "hub", list: "hubpair list", matching: .forgiving)
        ]
    }

    private static func title(_ hub: FoundHub, among hubs: [FoundHub]) -> String {
        hubs.count { $0.name == hub.name } > 1 ? "\(hub.name) (\(hub.id))" : hub.name
    }
}
