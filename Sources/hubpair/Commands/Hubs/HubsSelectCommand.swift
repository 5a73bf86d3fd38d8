import ArgumentParser
import HubClient
import Identity
import Pairing

/// `hubpair hubs select`: the hubs of several houses.
struct HubsSelectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select",
        abstract: "Select several hubs: 'home' and 'home overview' are about all of them from then on.",
        discussion: """
            'home set' goes to the one of them that has the appliance, and asks if it is on two. 'hubs use' \
            ends the selection. Without a hub the selected ones are listed.

            EXAMPLES:
              hubpair hubs select Kitchen 'Summer house'
              hubpair hubs select
            """)
    @OptionGroup var configuration: ConfigurationOption
    @Argument(help: "Their names or fingerprints.") var hubs: [PeerSelector] = []

    func run() throws {
        let manage = ManageHubs(configuration: configuration.configuration)
        guard !hubs.isEmpty else {
            let selected = try manage.selected()
            if selected.isEmpty { return Console.note("no hubs are selected; 'hubpair hubs' lists all") }
            return try Console.output(
                selected.map { SafeText.escaped("\($0.name) (\($0.fingerprint))") }.joined(separator: "\n"))
        }
        let selected = try manage.select(hubs)
        Console.note("selected: " + selected.map(\.name.description).joined(separator: ", "))
    }
}
