import Addresses
import ArgumentParser
import FoundationEssentials
import HubClient
import HubService
import JSON
import Pairing
import Relay

/// `hubpair hub ways`: how this machine's hub is reached from outside.
struct HubWaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ways",
        abstract: "List the ways to this hub from outside; add or remove one.",
        discussion: """
            A way is an address at which devices reach the hub when they are not at home: a VPN's name, a \
            port that the router forwards, the end of a tunnel. The hub tells its ways to the devices that \
            it lets in, and they use them without a command. Nothing else changes: the hub's key is checked \
            on every way.

            EXAMPLES:
              hubpair hub ways
              hubpair hub ways add home.example.org:8443
              hubpair hub ways remove home.example.org:8443
            """,
        subcommands: [List.self, Add.self, Relay.self, Remove.self],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the ways.",
            discussion: """
                EXAMPLES:
                  hubpair hub ways
                  hubpair hub ways list --json
                """)
        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let ways = try ManageWays(state: state.state).list()
            if json {
                for way in ways.ways {
                    try JSONLine.write(
                        .object([
                            "address": .string(way.address), "kind": .string("added"), "name": .null,
                            "fingerprint": .null, "added": .string(way.added.timestamp),
                        ]))
                }
                for relay in ways.relays {
                    try JSONLine.write(
                        .object([
                            "address": .string(relay.address), "kind": .string("relay"),
                            "name": .string(relay.name.description),
                            "fingerprint": .string(relay.pin.fingerprint.description),
                            "added": .string(relay.added.timestamp),
                        ]))
                }
                return
            }
            guard ways.count > 0 else {
                Console.note("this hub has no way from outside; devices reach it at home")
                return Console.note("hint: hubpair hub ways add HOST:PORT")
            }
            let rows =
                ways.ways.map { [$0.address, "added", "-"] }
                + ways.relays.map { [$0.address, "relay", "\($0.name) (\($0.pin.fingerprint))"] }
            try Table(columns: ["ADDRESS", "KIND", "RELAY"], rows: rows).write()
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Add a way: an address that leads to this hub from outside.",
            discussion: """
                The port is 8000 if none is said. Devices hear of it when they connect next.

                EXAMPLES:
                  hubpair hub ways add kitchen.vpn.example.org
                  hubpair hub ways add 203.0.113.7:8443
                """)
        @Argument(help: ArgumentHelp("The address or host name.", valueName: "host[:port]")) var way: String
        @OptionGroup var state: StateOption

        func run() throws {
            guard let address = HubAddress(way) else {
                throw ValidationError(
                    "\"\(way)\" is not an address. Write it like home.example.org:8443, 203.0.113.7 or "
                        + "[2001:db8::1]:8000")
            }
            let isNew = try ManageWays(state: state.state).add(address, now: Date())
            Console.note(
                isNew
                    ? "\(address) is a way to this hub now; its devices hear of it when they connect next"
                    : "\(address) is a way to this hub already")
        }
    }

    struct Relay: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "relay", abstract: "Let a relay admit this hub, with a code that the relay shows.",
            discussion: """
                <code> is a picture of the code, or a file with its text; '-' is standard input. The hub \
                connects to the relay by itself, so no router has to let anything in. Nobody pairs by a \
                relay, unless 'hubpair print --away' has made a code for it.

                EXAMPLES:
                  hubpair hub ways relay code.png relay.example.org
                  ssh server hubpair relay print --format text | hubpair hub ways relay -
                """)
        @Argument(help: "A picture of the code, or '-' for standard input.", completion: .file())
        var code: String
        @Argument(
            help: ArgumentHelp(
                "Where the relay is, port 443 if none is said. (default: as the code says)",
                valueName: "host[:port]"))
        var place: String?
        @OptionGroup var state: StateOption

        func run() async throws {
            let address = place.map { HubAddress(relay: $0) }
            if case .some(nil) = address {
                throw ValidationError(
                    "\(quoted(place ?? "")) is no address. Write one like relay.example.org or "
                        + "203.0.113.7:8443")
            }
            let scanned: ScannedCode
            do {
                scanned = try ScannedCode.read(code)
            } catch {
                Console.report(error, subject: code == "-" ? "standard input" : code)
                throw ExitStatus(of: error)
            }
            let relay = try await JoinRelay(scanned, at: address ?? nil, state: state.state).run()
            Console.note(
                "the relay \(relay.name) (\(relay.pin.fingerprint)) at \(relay.address) has admitted this "
                    + "hub; its devices hear of it when they connect next")
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take a way, or a relay, away.",
            discussion: """
                EXAMPLES:
                  hubpair hub ways remove 203.0.113.7:8443
                  hubpair hub ways remove relay.example.org
                """)
        @Argument(help: "Its address; of a relay also its name or fingerprint.") var way: String
        @OptionGroup var state: StateOption

        func run() throws {
            try ManageWays(state: state.state).remove(way)
            Console.note("\(way) is no way to this hub any more; devices hear of it when they connect next")
        }
    }
}
