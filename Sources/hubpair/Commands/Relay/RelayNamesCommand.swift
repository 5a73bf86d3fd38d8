import ArgumentParser
import GatewayRules
import HubService
import Identity
import JSON
import Pairing
import Relay

/// `hubpair relay names`: public names that the relay's owner gives to hubs.
struct RelayNamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names",
        abstract: "List, add and remove the public names that are given to hubs.",
        discussion: """
            A hub with a certificate for a public name needs nothing here: it proves the name by itself. To \
            get its first one through the relay (TLS-ALPN-01) it must be given the name, so that no other \
            hub of the relay can have a certificate made for it.

            EXAMPLES:
              hubpair relay names
              hubpair relay names add kitchen.example.org Kitchen
              hubpair relay names remove kitchen.example.org
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the names that are given to hubs.",
            discussion: """
                EXAMPLES:
                  hubpair relay names
                  hubpair relay names list --json
                """)
        @OptionGroup var directory: RelayCommand.DirectoryOption
        @Flag(help: .json) var json = false

        func run() throws {
            let relay = try directory.existing()
            let known = try AdministerDevices(state: relay.state).list()
            let rows = try relay.grants().hubs.sorted { $0.key < $1.key }.map { name, hub in
                (name: name, hub: hub, title: known.first { $0.fingerprint == hub }?.name.description)
            }
            if json {
                for row in rows {
                    try JSONLine.write(
                        .object([
                            "host": .string(row.name), "hub": .string(row.hub.description),
                            "name": .text(row.title),
                        ]))
                }
                return
            }
            guard !rows.isEmpty else {
                return Console.note("no name is given to a hub; one with a certificate needs none")
            }
            try Table(
                columns: ["NAME", "HUB", "FINGERPRINT"],
                rows: rows.map { [$0.name, $0.title ?? "-", $0.hub.description] }, limits: [60, 40]
            ).write()
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Give a public name to a hub; an authority that asks reaches it.",
            discussion: """
                EXAMPLES:
                  hubpair relay names add kitchen.example.org Kitchen
                  hubpair relay names add kitchen.example.org K7QF-2M9D-X0TW-8RHC
                """)
        @Argument(help: "The name.", transform: publicName) var name: WebHost
        @Argument(help: "The hub's name or fingerprint.") var hub: PeerSelector
        @OptionGroup var directory: RelayCommand.DirectoryOption

        func run() throws {
            let relay = try directory.existing()
            let hubs = try AdministerDevices(state: relay.state).list().filter { $0.status == .approved }
            let peers = hubs.map { PeerSelector.Peer($0.name, $0.fingerprint, status: $0.status.rawValue) }
            let found = hubs[try hub.index(in: peers, kind: "hub", list: "hubpair relay hubs")]
            try relay.give(name, to: found.fingerprint)
            Console.note("\(name) is given to \(found.name) (\(found.fingerprint))")
            Console.note(
                "hint: on the hub, whose machine answers on port 443: hubpair hub certificate request "
                    + "--name \(name) --answer 443")
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a name back that was given to a hub.",
            discussion: """
                EXAMPLES:
                  hubpair relay names remove kitchen.example.org
                  hubpair relay names remove kitchen.example.org --state /srv/relay
                """)
        @Argument(help: "The name.", transform: publicName) var name: WebHost
        @OptionGroup var directory: RelayCommand.DirectoryOption

        func run() throws {
            Console.note(
                try directory.existing().take(name)
                    ? "\(name) is given to no hub any more" : "\(name) was given to no hub")
        }
    }
}
