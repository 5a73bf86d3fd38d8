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
        let offers = hubs.enumerated().map { "\($0 + 1) \(title($1, among: hubs))" }
        return try Question.ask("which hub showed it? \(offers.joined(separator: "  ")) >") {
            try choice($0, among: hubs)
        }
    }

    /// Its number, its name, the beginning of that, or its fingerprint.
    static func choice(_ answer: String, among hubs: [FoundHub]) throws -> FoundHub {
        if let number = Int(answer) {
            guard hubs.indices.contains(number - 1) else {
                throw NoSuchNumber(number: number, count: hubs.count)
            }
            return hubs[number - 1]
        }
        let peers = try hubs.map { PeerSelector.Peer(try PeerName(known: $0.name), $0.id) }
        return hubs[
            try PeerSelector(answer).index(in: peers, kind: "hub", list: "hubpair list", matching: .forgiving)
        ]
    }

    private static func title(_ hub: FoundHub, among hubs: [FoundHub]) -> String {
        hubs.count { $0.name == hub.name } > 1 ? "\(hub.name) (\(hub.id))" : hub.name
    }
}

/// An answer beyond the list.
private struct NoSuchNumber: UserError {
    let number: Int
    let count: Int

    var description: String { "there is no hub \(number) in the list" }
    var kind: UserErrorKind { .usage }
    var hint: String? { "give a number from 1 to \(count), or a name" }
}
