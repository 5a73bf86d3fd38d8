import ArgumentParser
import Discovery
import HubClient
import Identity

/// Which hub's household. A stock hub has none, so that there is nothing to be said about its protection.
struct HouseholdOptions: ParsableArguments {
    @Option(name: .customLong("hub"), help: .chosenHub)
    var hubs: [PeerSelector] = []
    var hub: PeerSelector? { hubs.first }

    @OptionGroup var configuration: ConfigurationOption

    func validate() throws { try hubs.checkIsOne() }

    /// Calls `body` with the chosen hub. Errors of the hub get its name.
    func use(_ body: (HomeSession) async throws -> Void) async throws {
        let reach = try UseHub(configuration: configuration.configuration)
        let hub: SavedHub
        do {
            hub = try reach.find(self.hub)
        } catch HubChoiceError.noHub {
            throw try await missing()
        }
        guard !hub.isUnprotected else { throw HouseholdRefusal.stock(hub.name) }
        try await HomeSession(hub, reach: reach).use(body)
    }

    /// Why there is no hub whose household could be asked: what is on the network is named.
    private func missing() async throws -> any Error {
        let found = try await HomeSearch.hubs(configuration.configuration)
        if found.count == 1, found[0].hub.id == nil, let name = try? PeerName(found[0].hub.name) {
            return HouseholdRefusal.stock(name)
        }
        return NoHubToUse(found: found)
    }

    /// The same for a body that reads and then changes: it is called again if somebody else has changed the
    /// same meanwhile. So it says what it has done at the end.
    func change(_ body: (HomeSession) async throws -> Void) async throws {
        try await use { session in try await session.household.changing { try await body(session) } }
    }
}
