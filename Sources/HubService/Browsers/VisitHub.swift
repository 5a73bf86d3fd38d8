package import Addresses
import FoundationEssentials
package import Pairing
package import PinnedTLS

/// Lets a user who may read and write the hub's files in as an owner, for one visit: with a key that is made
/// for it, is never written down, and is let in until ``end()``, or for ``longest`` if that never comes.
///
/// The journal keeps both ends of it; the list of devices keeps nothing.
package struct VisitHub: Sendable {
    /// After this nobody is let in with the key any more, in seconds: the program may have been killed.
    package static let longest = 12.0 * 3600

    package let hub: Hub
    package let identity: TLSIdentity
    private let state: HubState
    private let device: ApprovedDevice

    /// Lets the visitor in. No other device has its name.
    package init(state: HubState, now: Moment = .now) throws {
        let identity = TLSIdentity.random()
        (hub, device) = try state.open().withSharedLock { directory in
            let hub = try HubState.hub(in: directory)
            let device = try ApprovedDevicesFile.change(in: directory, at: now) { keyfile -> ApprovedDevice in
                let expires = try ApprovalEnd.after(VisitHub.longest)
                    .date(besides: nil, at: now, latest: keyfile.seen)
                let device = ApprovedDevice(
                    name: try PeerName("hubpair open \(identity.pin.fingerprint)"), pin: identity.pin,
                    status: .approved, approved: now.wall, expires: expires, role: Role.owner.rawValue)
                keyfile.insert(device)
                return device
            }
            return (hub, device)
        }
        (self.identity, self.state) = (identity, state)
    }

    /// Where the hub answers on this machine, as far as its settings say.
    package var addresses: [NetworkAddress] {
        hub.settings.listen.isEmpty
            ? ["127.0.0.1", "::1"].compactMap { NetworkAddress($0) } : hub.settings.listen
    }

    /// Lets the visitor in no more.
    package func end(now: Moment = .now) throws {
        try ApprovedDevicesFile(of: state).change(at: now) { keyfile, _ in keyfile.remove(device.pin) }
    }
}
