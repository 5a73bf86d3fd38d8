package import FoundationEssentials
package import Pairing

/// What `hubpair hub key` shows: the hub's keys, and who does not know the new one yet.
package struct LookAtKey {
    package struct Sight: Sendable {
        package let hub: Hub
        /// While the old key is shown, too: the approved devices that have not come since, with when they
        /// were last seen.
        package let missing: [(device: ApprovedDevice, seen: Date?)]
        /// How many codes of the old key are good.
        package let codes: Int
    }

    private let state: HubState

    package init(state: HubState) { self.state = state }

    /// A term that is over is ended first, if that can be done.
    package func run(at now: Moment) throws -> Sight {
        _ = try? ChangeKey(state: state).endTerm(now: now.wall)
        let directory = try state.open()
        let hub = try HubState.hub(in: directory, at: now.wall)
        guard hub.old != nil else { return Sight(hub: hub, missing: [], codes: 0) }
        let devices = try HubState.completedDevices(in: directory).devices.devices
        let seen = try AdministerDevices(state: state).lastSeen()
        let missing = devices.filter {
            $0.verdict(at: now) == .approved && seen[$0.fingerprint]?.key != hub.pin.fingerprint
        }
        let codes = try AdministerCodes(state: state).list(at: now).filter {
            $0.status == .good && HubKeys.isOld($0.ticket, for: hub)
        }
        return Sight(
            hub: hub, missing: missing.map { ($0, seen[$0.fingerprint]?.time) }, codes: codes.count)
    }
}
