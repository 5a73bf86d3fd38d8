import FoundationEssentials
import Identity
import Pairing
import PinnedTLS

extension HubDialer {
    /// Asks a hub whose owner had not approved this device when it was last asked. An approval is noted; without one
    /// the hub is of no use.
    func checkApproval(of hub: KnownHub, over connection: HubConnection) async throws {
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.device.path),
            deadlines: .init(quiet: .seconds(10), total: .seconds(20)))
        // The hub is busy, or starts: what is asked of it next will tell.
        if response.status == 429 || response.status >= 500 { return }
        let device = try DeviceIdentity.load(from: configuration)?.pin.fingerprint
        guard response.status == 200, let description = try? DeviceDescription(parsing: body),
            description.device == device
        else {
            connection.close()
            throw HubChoiceError.notPaired(hub.name)
        }
        switch description.status {
        case .approved: try PairFiles(configuration: configuration).noteApproval(of: hub.pin, now: Date())
        case .pending:
            connection.close()
            throw HubChoiceError.pending(hub.name, device: description.device)
        case .revoked, .expired:
            connection.close()
            throw PairError.revoked
        }
    }
}
