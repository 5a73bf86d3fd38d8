import Discovery
import Home
import HubClient
import Identity

/// Chooses one of the hubs that a search has found: the only one, the one that is named, or the one whose
/// number the user gives.
enum AssessedHubChoice {
    /// More are not listed in one line.
    private static let maximumCount = 9

    /// - Parameter name: what the user calls it; nil if it is not said.
    static func choose(_ name: String?, among hubs: [AssessedHub]) throws -> AssessedHub {
        guard !hubs.isEmpty else { throw NoHubFound() }
        if let name {
            do {
                return try named(name, among: hubs)
            } catch let error as SelectionError {
                throw NotAmong(error: error, hubs: hubs.map(title))
            }
        }
        if hubs.count == 1 { return hubs[0] }
        guard hubs.count <= maximumCount, Question.canBeAnswered else {
            throw SeveralHubs(hubs: hubs.map(title), first: hubs[0].hub.name)
        }
        return try Question.choose("which hub?", among: hubs, kind: "hub", titles: hubs.map(title)) {
            try named($0, among: hubs)
        }
    }

    private static func named(_ name: String, among hubs: [AssessedHub]) throws -> AssessedHub {
        let chosen = try Selection(name).offer(among: hubs.map(\.hub.name), kind: "hub")
        guard let hub = hubs.first(where: { $0.hub.name == chosen }) else { throw NoHubFound() }
        return hub
    }

    /// `Kitchen (192.168.1.5:8000)`: two may be called the same.
    static func title(_ found: AssessedHub) -> String {
        "\(shortened(found.hub.name)) (\(HubRow(found).bestAddress))"
    }
}

struct NoHubFound: UserError {
    var description: String { "no hub that is new to this computer was found on this network" }
    var kind: UserErrorKind { .notFound }
    var hint: String? {
        "'hubpair list' shows all hubs; where none is found, give the address: hubpair hubs add NAME HOST"
    }
}

/// The search has found several, and nobody can be asked.
private struct SeveralHubs: UserError {
    let hubs: [String]
    let first: String

    var description: String {
        "there are \(hubs.count) hubs on this network: \(listed(hubs, most: 9))"
    }
    var kind: UserErrorKind { .usage }
    var hint: String? { "name one, like hubpair hubs add \(quoted(first))" }
}

/// None of those found is called so.
private struct NotAmong: UserError {
    let error: SelectionError
    let hubs: [String]

    var description: String { error.description }
    var kind: UserErrorKind { error.kind }
    var hint: String? {
        "found: \(hubs.prefix(9).joined(separator: ", ")); or give its address: hubpair hubs add NAME HOST"
    }
}
