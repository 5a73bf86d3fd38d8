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

    /// How the hubs stood when the relay has last written it; none while it does not run.
    package func status() throws -> [Fingerprint: RelayStatus] {
        let bytes = try state.open().read(RelayStatus.fileName) ?? []
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap {
            RelayStatus($0)
        }
        return Dictionary(lines.map { ($0.hub, $0) }) { $1 }
    }
}
