import ArgumentParser
import GatewayRules
import Pairing

/// `hubpair hub names`: what the hub is called.
struct HubNamesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "names",
        abstract: "List, add and remove the names and addresses by which browsers reach the hub.",
        discussion: """
            A browser is let through only under a name or an address of the hub, so that no page of another \
            site can pass for it. The hub knows what multicast DNS calls this machine, its addresses, and \
            the names of an installed certificate. A name that a router has for it, or a proxy, is added \
            here, and counts at once.

            EXAMPLES:
              hubpair hub names
              hubpair hub names add kitchen.fritz.box
              hubpair hub names remove kitchen.fritz.box --on Kitchen
            """,
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    /// `hubpair hub names list`
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the hub's names and addresses, and from where they are known.",
            discussion: """
                CERTIFICATE is which one stands for the name: the hub's own ('hubpair hub certificate'), or \
                the installed one. With '-' a browser warns.

                EXAMPLES:
                  hubpair hub names
                  hubpair hub names list --json
                """)

        @OptionGroup var place: HubPlaceOption
        @Flag(help: .json) var json = false

        func run() async throws {
            let names = try await place.hub.acting { try await $0.names() }
            if json { return try JSONLine.write(names.map(\.json)) }
            try Table(
                columns: ["NAME", "FROM", "CERTIFICATE"],
                rows: names.map { name in
                    [
                        name.host, name.origin + (name.interface.map { " \($0)" } ?? ""),
                        name.certificate ?? "-",
                    ]
                }
            ).write()
        }
    }

    /// `hubpair hub names add`
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a name or an address of the hub; it counts at once.",
            discussion: """
                EXAMPLES:
                  hubpair hub names add https://kitchen.fritz.box:8000/
                  hubpair hub names add kitchen.fritz.box
                """)

        @Argument(help: "The name or address.", transform: host) var name: WebHost
        @OptionGroup var place: HubPlaceOption

        func run() async throws {
            try await place.hub.acting { hub in
                let (record, changed) = try await hub.add(name)
                Console.note(
                    "\(record.host) "
                        + (changed ? "counts as a name of the hub now" : "was a name of the hub already")
                )
                guard record.certificate == nil else { return }
                Console.note(
                    "hint: browsers warn there, since no certificate stands for it; for a public name have "
                        + "one made from 'hubpair hub certificate request --name \(record.host)'")
            }
        }
    }

    /// `hubpair hub names remove`
    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a name back that was added.",
            discussion: """
                EXAMPLES:
                  hubpair hub names remove kitchen.fritz.box
                  hubpair hub names remove kitchen.fritz.box --on Kitchen
                """)

        @Argument(help: "The name or address.", transform: host) var name: WebHost
        @OptionGroup var place: HubPlaceOption

        func run() async throws {
            try await place.hub.acting { hub in
                try await hub.remove(name)
                Console.note("\(name) is no name of the hub any more")
            }
        }
    }
}

/// A name or an address, also as a browser shows it.
private func host(_ text: String) throws -> WebHost {
    guard let host = WebHost(pasted: text) else {
        throw ValidationError(
            "not a name or an address. Give one like kitchen.fritz.box or 192.168.1.20, as it stands in the "
                + "browser's address bar")
    }
    return host
}
