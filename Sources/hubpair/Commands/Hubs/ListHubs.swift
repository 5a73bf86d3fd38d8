import HubClient
import Identity
import Pairing

/// `hubpair hubs`, as a plain value.
struct ListHubs: Equatable {
    /// What `--config` names.
    var configurationPath: String?
    var json = false

    func run() throws {
        let manage = ManageHubs(configuration: ConfigurationOption.configuration(at: configurationPath))
        let (hubs, defaultHub) = try manage.list()
        let defaultAdded = try manage.defaultAdded()
        let lines =
            hubs.map { HubLine($0, isDefault: $0.fingerprint == defaultHub) }
            + (try manage.added().map { HubLine($0, isDefault: $0.name == defaultAdded) })
        if json { return try JSONLine.write(lines.map(\.json)) }
        if hubs.isEmpty { Console.note("this computer is not paired with a hub yet") }
        try Table(columns: ["HUB", "FINGERPRINT", "ADDRESS", "PAIRED", ""], rows: lines.map(\.cells)).write()
    }
}
