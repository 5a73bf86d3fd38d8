package import FoundationEssentials
package import Pairing
import PinnedTLS

/// What `hubpair hub key` shows: the hub's keys, and who does not know the new one yet.
package struct LookAtKey {
    package struct Sight: Sendable {
        package let hub: Hub
        /// While the old key is shown, too: the approved devices that have not come since, with when they
        /// were last seen.
        package let missing: [(device: ApprovedDevice, seen: Date?)]
        /// How many codes of the old key are good.
        package let codes: Int
        /// Nil outside a site, and in one where nothing is under way.
        package let site: Site?
    }

    /// A key that the gates of the site are to have, or have.
    package struct Site: Sendable {
        package let pin: Pin
        /// True if it counts, and this gate has not got it.
        package let isBehind: Bool
        /// True if this gate has got it.
        package let isHere: Bool
        /// The gates of this hub, and whether each can show it; nil if the site does not say.
        package let gates: [(name: String, shows: Bool)]?

        /// The gates that cannot, by their names.
        package var missing: [String] { (gates ?? []).filter { !$0.shows }.map(\.name) }
    }

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// What is due is done first, if it can be.
    package func run(at now: Moment) throws -> Sight {
        let change = ChangeKey(state: state)
        _ = try? change.followSite(now: now.wall)
        _ = try? change.endTerm(now: now.wall)
        let directory = try state.open()
        let hub = try HubState.hub(in: directory, at: now.wall)
        let site = try site(of: hub, in: directory, now.wall)
        guard hub.old != nil else { return Sight(hub: hub, missing: [], codes: 0, site: site) }
        let devices = try HubState.completedDevices(in: directory).devices.devices
        let seen = try AdministerDevices(state: state).lastSeen()
        let missing = devices.filter {
            $0.verdict(at: now) == .approved && seen[$0.fingerprint]?.key != hub.pin.fingerprint
        }
        let codes = try AdministerCodes(state: state).list(at: now).filter {
            $0.status == .good && HubKeys.isOld($0.ticket, for: hub)
        }
        return Sight(
            hub: hub, missing: missing.map { ($0, seen[$0.fingerprint]?.time) }, codes: codes.count,
            site: site)
    }

    /// How the hub's next key stands, as the copy of the site has it; the site is asked for its gates alone.
    package func site() throws -> Site? {
        let directory = try state.open()
        return try site(of: HubState.hub(in: directory), in: directory, Date())
    }

    private func site(
        of hub: Hub, in directory: borrowing ProtectedDirectory, _ now: Date
    ) throws -> Site? {
        guard let register = try state.site.register(in: directory) else { return nil }
        let here = try HubState.nextIdentity(in: directory)?.pin
        switch try ChangeKey.plan(hub.pin, in: directory, listed: [], now) {
        case .none: return nil
        case .changed(let path):
            return path.last.map {
                Site(pin: $0.new, isBehind: here != $0.new, isHere: here == $0.new, gates: nil)
            }
        case .prepared(let statement, _, _):
            var gates: [(name: String, shows: Bool)]?
            if let all = try? register.store.gates() {
                let own = register.settings.gate
                let ids = all.map(\.id)
                let (known, keys) = (
                    try HubState.siteGates(in: directory), try HubState.siteKeys(in: directory)
                )
                let ours = Set(SiteKeyPlan.besides("", hub.pin, keys, known, listed: ids))
                guard
                    case .prepared(_, _, let missing) = try ChangeKey.plan(
                        hub.pin, in: directory, listed: ids, now)
                else { return nil }
                let named = SiteStatus.names(of: all.filter { $0.id == own } + all.filter { $0.id != own })
                gates = named.filter { ours.contains($0.id) }.map { ($0.name, !missing.contains($0.id)) }
            }
            return Site(
                pin: statement.new, isBehind: false, isHere: here == statement.new, gates: gates)
        }
    }
}
