import Addresses
import Discovery
import HubClient
import Identity
import Pairing

/// Finds a hub for a computer that knows none: one of those that 'hubpair list' finds, without an address
/// typed.
///
/// A stock hub is used once somebody has said yes at the terminal, or has named it and said --insecure; it is
/// then added, so that the next command knows it. Without a terminal nothing is guessed: what is there is
/// named. A hub with hubpair is paired with, not used.
struct HomeSearch {
    let configuration: DeviceConfiguration
    /// What the user calls it; nil if it is not said.
    let name: PeerSelector?
    let isInsecureAllowed: Bool

    /// The hub, which this computer knows from now on.
    func run() async throws -> SavedHub {
        let found = try await HomeSearch.hubs(configuration)
        let chosen = try choose(among: found)
        guard chosen.hub.id == nil, let address = chosen.hub.addresses.first else {
            throw NoHubToUse(found: [chosen])
        }
        if !isInsecureAllowed {
            try Question.confirm(
                "use \(AssessedHubChoice.title(chosen)), a stock hub that nothing protects?",
                orElse: "nothing was changed")
        }
        return try await add(chosen, at: HubAddress(address, port: chosen.hub.port))
    }

    /// The hubs that are there, impostors aside. It takes about a second.
    static func hubs(_ configuration: DeviceConfiguration) async throws -> [AssessedHub] {
        let waiting = WaitingLine("the hubs of this network")
        defer { waiting.end() }
        let known = try configuration.knownHubs()
        let all = try await SearchHubs(known: known, options: SearchHubs.Options()).run {
            if case .incomplete(let text) = $0 { Console.note("warning: \(text)") }
        }
        return all.filter { $0.standing != .impostor && !$0.hub.addresses.isEmpty }
    }

    private func choose(among found: [AssessedHub]) throws -> AssessedHub {
        guard !found.isEmpty else { throw NoHubToUse(found: []) }
        // Without a terminal only what is named, and what is accepted as it is.
        guard Question.canBeAnswered || name != nil && isInsecureAllowed else {
            throw NoHubToUse(found: found)
        }
        if let name { return try AssessedHubChoice.choose(name.text, among: found) }
        if found.count == 1 { return found[0] }
        guard found.count <= NoHubToUse.maximumCount else { throw NoHubToUse(found: found) }
        return try Question.choose(
            "this computer knows no hub yet; which one?", among: found, kind: "hub",
            titles: found.map(NoHubToUse.title)
        ) { try AssessedHubChoice.choose($0, among: found) }
    }

    /// Asks what answers there, and remembers it, and that it may be used unprotected.
    private func add(_ found: AssessedHub, at address: HubAddress) async throws -> SavedHub {
        let add = AddHub(
            configuration: configuration, name: try PeerName(found.hub.name), address: address)
        let hub: SavedHub =
            switch try await add.run() {
            case .added(let hub): .added(hub)
            case .known(let hub, _): hub
            }
        // By its own word it was a stock hub.
        guard hub.isUnprotected else { throw HubChoiceError.notPaired(hub.name) }
        let reach = try UseHub(configuration: configuration)
        try reach.allowInsecure(hub)
        Console.note("\(hub.name) at \(address) is used from now on, unprotected")
        return try reach.find(PeerSelector(hub.name.description))
    }
}

/// This computer knows no hub, and none of those that are there can simply be used.
struct NoHubToUse: UserError {
    /// More are not named.
    static let maximumCount = 9

    let found: [AssessedHub]

    private var guarded: [AssessedHub] { found.filter { $0.hub.id != nil } }
    private var stock: [AssessedHub] { found.filter { $0.hub.id == nil } }

    var description: String {
        guard !found.isEmpty else {
            return "this computer is not paired with a hub yet, and none was found on this network"
        }
        if let only = found.first, found.count == 1, only.hub.id != nil {
            return "this computer is not paired with \(AssessedHubChoice.title(only))"
        }
        return "this computer is not paired with a hub yet; on this network "
            + (found.count == 1 ? "is " : "are ")
            + listed(found.map(NoHubToUse.title), most: NoHubToUse.maximumCount)
    }

    /// `House (192.168.1.5:8000)`, and whether anybody may use it.
    static func title(_ found: AssessedHub) -> String {
        AssessedHubChoice.title(found) + (found.hub.id == nil ? ", unprotected" : "")
    }

    var kind: UserErrorKind { found.count == 1 ? .notPermitted : .notFound }

    var hint: String? {
        let pair = "on the hub: 'hubpair print' makes a code; on this computer: 'hubpair pair' uses it"
        guard !found.isEmpty else {
            return "'hubpair doctor' says why; with an address: hubpair hubs add NAME HOST"
        }
        if !guarded.isEmpty { return pair }
        let name = stock.first.map { quoted($0.hub.name) } ?? "NAME"
        return "to use a stock hub although nothing protects it: 'hubpair home' at a terminal asks, "
            + "--hub \(name) --insecure says so"
    }
}
