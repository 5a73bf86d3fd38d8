import FoundationEssentials
package import HubService
package import Identity
import Pairing

/// The relay's directory: a key and a keyfile of admitted hubs, in the form of a hub's.
package struct RelayDirectory: Sendable {
    package let state: HubState

    /// - Parameter path: the directory.
    package init(_ path: String) {
        state = HubState(option: path, environment: [:], isRoot: false, home: "/")
    }

    /// Makes the directory and the relay's key, unless they are there.
    package func ensure(port: UInt16) throws {
        let name = (try? PeerName("Relay")).map { SetUpHub.Wishes(name: $0, port: port) }
        guard let name, (try? HubState.hub(in: state.open())) == nil else { return }
        _ = try SetUpHub(name, defaultName: PeerName("Relay"), state: state).run()
    }

    /// Admits the key that the one of an admitted hub names.
    ///
    /// - Returns: false if there was nothing to do.
    func adopt(_ statement: KeyStatement, now: Moment) throws -> Bool {
        try state.open().withLock { directory in
            guard var devices = try HubState.devices(in: directory), var old = devices.device(statement.old),
                old.verdict(at: now) == .approved, devices.device(statement.new) == nil,
                now.wall < statement.until
            else { return false }
            devices.insert(
                ApprovedDevice(
                    name: old.name, pin: statement.new, status: .approved, approved: now.wall,
                    expires: old.expires, role: old.role))
            old.expires = min(old.expires ?? statement.until, statement.until)
            devices.insert(old)
            try directory.replace(ApprovedDevices.fileName, with: devices.serialized)
            var grants = RelayGrants(parsing: try directory.read(RelayGrants.fileName) ?? [])
            let before = grants
            grants.pass(from: statement.old.fingerprint, to: statement.new.fingerprint)
            if grants != before {
                try directory.replace(RelayGrants.fileName, with: grants.serialized)
            }
            return true
        }
    }

    /// How the hubs stood when the relay has last written it; none while it does not run.
    package func status() throws -> [Fingerprint: RelayStatus] {
        let bytes = try state.open().read(RelayStatus.fileName) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
            RelayStatus($0)
        }
        return Dictionary(lines.map { ($0.hub, $0) }) { $1 }
    }
}
