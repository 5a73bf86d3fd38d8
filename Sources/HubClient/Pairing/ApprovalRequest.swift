import Identity
import Pairing

/// Asks a hub whether its owner has approved this computer: `GET /hubpair/v1/device`, once.
struct ApprovalRequest: Sendable {
    enum Answer: Equatable, Sendable {
        /// What the hub's keyfile says of this computer.
        case status(DeviceDescription.Status)
        /// The hub is busy or starting, and says nothing of the device for now.
        case busy
        /// The hub does not know this computer.
        case unknown
        /// What answers is not a hub that can pair; its HTTP status.
        case noHub(status: Int)
    }

    private static let deadlines = HubConnection.Deadlines(quiet: .seconds(10), total: .seconds(20))

    /// The fingerprint of this computer's key. An answer about another one is not accepted.
    let device: Fingerprint
    let connection: HubConnection

    /// - Throws: what ``HubConnection`` throws.
    func run() async throws -> Answer {
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.device.path), deadlines: ApprovalRequest.deadlines)
        if response.status == 200, let description = try? DeviceDescription(parsing: body),
            description.device == device
        {
            return .status(description.status)
        }
        if response.status == 429 || response.status >= 500 { return .busy }
        if (try? PairRefusal(parsing: body)) != nil { return .unknown }
        return .noHub(status: response.status)
    }
}
