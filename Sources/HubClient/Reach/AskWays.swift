import FoundationEssentials
import Pairing
import Synchronization

/// Asks a hub for its ways, and stores what is new: only so can a device that leaves the house find back.
struct AskWays: Sendable {
    let configuration: DeviceConfiguration

    /// Answers of a hub that is not asked again by this process.
    private let asked = Asked()

    private final class Asked: Sendable {
        private let pins = Mutex<Set<Pin>>([])
        func insert(_ pin: Pin) -> Bool { pins.withLock { $0.insert(pin).inserted } }
    }

    init(configuration: DeviceConfiguration) { self.configuration = configuration }

    /// Asks over a connection that has just been made; once for each hub. A hub that does not tell keeps the
    /// ways that are known.
    func run(_ connection: HubConnection) async throws {
        guard asked.insert(connection.pin) else { return }
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.hub.path), maximumBodyByteCount: 4_096,
            deadlines: .init(quiet: .seconds(10), total: .seconds(10)))
        guard response.status == 200, let hub = try? HubDescription(parsing: body),
            hub.id == connection.pin.fingerprint, let ways = hub.ways
        else { return }
        func told(_ known: KnownHubs) -> KnownHub? {
            guard var hub = known.hubs.first(where: { $0.pin == connection.pin }) else { return nil }
            let before = hub
            hub.tell(ways)
            return hub == before ? nil : hub
        }
        // Mostly nothing is new: then the file is not locked.
        guard told(try configuration.knownHubs()) != nil else { return }
        try KnownHubsFile(in: configuration).change { known, _ in
            if let hub = told(known) { known.insert(hub) }
        }
    }
}
