import FoundationEssentials
import Identity
import Pairing

/// Takes a hub's new key over: the one that this computer has pinned names it.
struct FollowKey: Sendable {
    let configuration: DeviceConfiguration

    /// - Parameter connection: one for which the key with the pin `pin` was expected.
    /// - Throws: if the hub has shown another key, and nothing says that it is good.
    func run(_ connection: HubConnection, pinned pin: Pin) throws {
        guard let statement = connection.statement, statement.old == pin else { return }
        let now = Date()
        var outcome: Outcome?
        do {
            outcome = try KnownHubsFile(in: configuration).change { known, _ in
                guard let hub = known.hubs.first(where: { $0.pin == pin }) else { return nil }
                do throws(KeyStatementError) {
                    try statement.check(pinned: hub.pin, serial: hub.serial, at: now)
                } catch {
                    return .refused
                }
                known.follow(statement)
                return .followed(hub)
            }
        } catch is FileError {
            // The file cannot be written; the next visit tries again.
        }
        switch outcome {
        case .followed(let hub):
            configuration.tell(
                "the hub \(hub.name) has a new key, \(statement.new.fingerprint): the one that this computer "
                    + "knew has signed it")
        case .refused where connection.pin != pin:
            connection.close()
            throw HubConnectionError(
                address: "\(connection.address)",
                reason: .otherKey(expected: pin.fingerprint, seen: connection.pin))
        case .refused, nil: break
        }
    }

    private enum Outcome { case followed(KnownHub), refused }
}
