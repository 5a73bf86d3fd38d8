import Addresses
import Discovery
import HubClient
import HubService
import Pairing

/// Whether another machine serves with this hub's key: after a restore the old one must not.
enum CheckTwin {
    /// The most places that are asked.
    private static let mostPlaces = 8

    static func check(_ hub: CheckHubFiles.Hub, of state: HubState) -> DiagnosisCheck {
        DiagnosisCheck(
            "hub-twin", tried: "looked for another machine with this hub's key", deadline: .seconds(20)
        ) {
            guard try state.open().stamp(of: SiteSettings.fileName) == nil else {
                return .skipped("the gates of a site have one key")
            }
            let found = try await SearchHubs(known: KnownHubs(), options: .init()).run { _ in }
            let places = found.filter { $0.hub.id == hub.pin.fingerprint || $0.hub.pin == hub.pin }
                .flatMap { row in
                    row.hub.addresses.filter { !LocalNetwork.isOwn($0) && !$0.isLoopback }
                        .map { HubAddress($0, port: row.hub.port) }
                }
            // Announcements outlive an address, and anybody can announce an id: the key decides.
            var twins: [HubAddress] = []
            let connector = try HubConnector()
            for place in places.prefix(mostPlaces) {
                guard
                    let connection = try? await connector.connect(
                        to: [place], expecting: .pin(hub.pin), deadline: .milliseconds(1500))
                else { continue }
                connection.close()
                twins.append(place)
            }
            return verdict(twins.map(\.description))
        }
    }

    static func verdict(_ twins: [String]) -> Finding.Verdict {
        guard !twins.isEmpty else { return .ok("there is none") }
        return .problem(
            "another machine serves with this hub's key, at \(twins.joined(separator: ", "))",
            mend: "only one may: stop the hub there, or here; what one revokes, the other one lets in")
    }
}
