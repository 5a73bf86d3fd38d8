import FoundationEssentials
import Pairing
import Synchronization

/// Asks a hub for its ways, and stores what is new: only so can a device that leaves the house find back. A
/// hub of a site tells of the others, too.
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
        let known = try configuration.knownHubs()
        var site: [SiteHub]?
        if let mark = hub.site, known.hubs.contains(where: { $0.pin == connection.pin && $0.site != mark }) {
            site = try await askSite(connection)
        }
        var followed: [(hub: KnownHub, new: Pin)] = []
        func take(_ known: inout KnownHubs) {
            guard var after = known.hubs.first(where: { $0.pin == connection.pin }) else { return }
            let before = after
            after.tell(ways)
            if let site {
                after.site = hub.site
                followed = known.take(site, by: connection.pin, at: Date())
            }
            if after != before { known.insert(after) }
        }
        // Mostly nothing is new: then the file is not locked.
        var after = known
        take(&after)
        guard after != known else { return }
        try KnownHubsFile(in: configuration).change { known, _ in take(&known) }
        for (hub, new) in followed {
            configuration.tell(
                "the hub \(hub.name) has a new key, \(new.fingerprint): the one that this computer knew has "
                    + "signed it")
        }
    }

    private func askSite(_ connection: HubConnection) async throws -> [SiteHub]? {
        let (response, body) = try await connection.send(
            HubRequest(method: "GET", target: PairEndpoint.site.path),
            maximumBodyByteCount: SiteHub.maximumByteCount,
            deadlines: .init(quiet: .seconds(10), total: .seconds(10)))
        guard response.status == 200 else { return nil }
        return try? SiteHub.list(parsing: body)
    }
}
