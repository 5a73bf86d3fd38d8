import Addresses
import Discovery
import GatewayRules
import NIOHTTP1
import Pairing
import Synchronization

/// What the hub that serves tells its devices of the ways to it: the addresses of its links, its name in
/// multicast DNS, and what its owner has added.
final class ServedWays: Sendable {
    private let state: HubState
    private let hub: Hub
    private let names: ServedNames
    /// The hub's own.
    let port: UInt16
    private let log: ServeLog
    private let current: Mutex<Known>

    private struct Known: Equatable {
        var ways: HubWays
        /// The hubs of its site; none if it is alone.
        var site: [SiteHub]

        init(_ state: HubState) throws {
            let directory = try state.open()
            ways = try HubState.ways(in: directory)
            site = try HubState.siteGates(in: directory).hubs(HubState.siteKeys(in: directory))
        }
    }

    /// - Parameters:
    ///   - names: what the hub is called, and which of its addresses it listens on.
    ///   - port: the port that it has been told to listen on.
    init(_ state: HubState, _ hub: Hub, names: ServedNames, port: UInt16, log: ServeLog) throws {
        (self.state, self.hub, self.names, self.port) = (state, hub, names, port)
        self.log = log
        current = Mutex(try Known(state))
    }

    /// The ways from outside, as the file has them.
    var ways: HubWays { current.withLock { $0.ways } }

    /// Looks at the file; call it when something in the directory has changed.
    ///
    /// - Returns: true if there is something new.
    @discardableResult
    func look() -> Bool {
        do {
            let known = try Known(state)
            return current.withLock { current in
                defer { current = known }
                return current != known
            }
        } catch {
            log.warning(.fault, "keeps the ways that it knows: \(error)")
            return false
        }
    }

    /// The answer to `/hubpair/v1/hub` for an approved device.
    ///
    /// - Parameter old: the pin of the key before, or of the next one, if that is shown to it.
    func reply(_ old: Pin? = nil) -> ServeReply {
        let site = current.withLock { $0.site }
        // The gates beside this one are ways to the same hub.
        let beside = site.first { [$0.pin, $0.statement?.old].contains(hub.pin) }?.ways ?? []
        let mark = site.contains { $0.pin != hub.pin } ? SiteHub.mark(of: SiteHub.answer(site)) : nil
        let own = entry.ways
        let ways = own + beside.filter { way in !own.contains { $0.address == way.address } }
        return ServeReply(
            .ok, json: hub.description(of: old ?? hub.pin).telling(ways, site: mark).serialized)
    }

    /// The answer to `/hubpair/v1/site`.
    var site: ServeReply { ServeReply(.ok, json: SiteHub.answer(current.withLock { $0.site })) }

    /// What this gate says of itself to its site.
    var entry: SiteHub { SiteHub(name: hub.description.name, pin: hub.pin, ways: home() + ways.told) }

    /// The addresses of the links, the best first, and the name.
    private func home() -> [HubWay] {
        let names = names.now
        let own = names.sources.networks.map(\.address).filter(names.isServed)
        let lasting = Set(own.filter { !$0.isLoopback && !$0.isLinkLocal })
        guard !lasting.isEmpty else { return [] }
        let addresses = HubAddressRules(networks: []).bestFirst(lasting).map { HubAddress($0, port: port) }
        return (addresses.map(\.description) + (names.homeName.map { ["\($0):\(port)"] } ?? [])).map {
            HubWay(address: $0, kind: .home)
        }
    }
}
