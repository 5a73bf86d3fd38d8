import Addresses
import Discovery
import FoundationEssentials
import Pairing

/// In which order the ways to a hub are tried: home before away, and what worked last on this network first.
///
/// A pure value. A way out of the home is tried at once only where one has worked before; elsewhere the hub
/// is looked for on the network first, so that what happens at home stays there.
struct WayPlan: Equatable {
    /// To be tried now, the first a little before the others.
    private(set) var now: [HubAddress] = []
    /// To be tried if none of these, and no search, has reached the hub within ``homeTime``.
    private(set) var later: [HubAddress] = []
    /// Those of both that lead to relays.
    private(set) var relays: Set<HubAddress> = []

    /// How long the hub is looked for at home, on a network where nothing is known of it.
    static let homeTime = Duration.seconds(1)

    private struct Way {
        let address: HubAddress
        let known: KnownWay
    }

    /// - Parameters:
    ///   - networks: this computer's.
    ///   - mark: of these networks; see ``NetworkMark``.
    init(_ ways: [KnownWay], on networks: [LocalNetwork], mark: String) {
        let ways = ways.compactMap { way in HubAddress(way.address).map { Way(address: $0, known: way) } }
            // The search asks for such a name itself; a system without mDNS sends it to its name servers.
            .filter { $0.known.kind == .named || !$0.address.isMulticastName }
            .sorted { $0.known.worked?.time ?? .distantPast > $1.known.worked?.time ?? .distantPast }
        relays = Set(ways.filter { $0.known.kind == .relay }.map(\.address))
        let last = ways.first { $0.known.worked?.network == mark }
        let named = ways.filter { $0.known.kind == .named }
        let home = ways.filter { $0.known.kind == .home }
        let near = home.filter { $0.address.isOnOwnLink(among: networks) }
        let away = ways.filter(\.known.isAway)
        let isAwayHere = last?.known.isAway == true
        // The user's word first; then the best at home, so that coming home is noticed.
        var order = named
        if let last, !isAwayHere { order.append(last) }
        order += near.prefix(1)
        if let last, isAwayHere { order.append(last) }
        order += near
        // An address of another network may be one that this network leads to. Where a way out has worked,
        // it is not asked for: somebody else's machine has it.
        if !isAwayHere { order += home }
        now = WayPlan.unique(order)
        later = WayPlan.unique(away + home).filter { !now.contains($0) }
    }

    private static func unique(_ ways: [Way]) -> [HubAddress] {
        var seen: Set<HubAddress> = []
        return ways.map(\.address).filter { seen.insert($0).inserted }
    }
}

extension HubAddress {
    /// True for a name in `local` (RFC 6762 § 3).
    fileprivate var isMulticastName: Bool {
        guard case .name(let name) = host else { return false }
        return name.lowercased().hasSuffix(".local") || name.lowercased().hasSuffix(".local.")
    }
}
