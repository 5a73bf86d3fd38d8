import Addresses
import ArgumentParser
import FoundationEssentials
import Glibc
import HubClient
import HubService
import Identity
import JSON
import Logging
import Pairing
import Relay

/// `hubpair relay`: a server of one's own by which hubs are reached from anywhere.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Run a relay: a server with a public address, by which hubs are reached from outside.",
        discussion: """
            A relay passes bytes on and can read none of them: TLS ends at the hub. It knows hubs by their \
            keys, and admits one with a code.

            EXAMPLES:
              hubpair relay serve                           # on the server
              hubpair relay print --format text             # there: a code for one hub
              hubpair relay hubs
            """,
        subcommands: [RelayServeCommand.self, Print.self, Hubs.self, Remove.self, RelayNamesCommand.self])

    /// Where the relay's files are.
    struct DirectoryOption: ParsableArguments {
        @Option(
            help: ArgumentHelp(
                "The relay's directory. (default: /var/lib/hubpair-relay for root, "
                    + "$XDG_STATE_HOME/hubpair-relay or ~/.local/state/hubpair-relay for others)",
                valueName: "directory"),
            completion: .directory)
        var state: String?

        func validate() throws {
            guard state != "" else { throw ValidationError("--state takes a directory") }
        }

        var relay: RelayDirectory {
            if let state { return RelayDirectory(state) }
            let environment = Startup.environment
            if let path = environment["HUBPAIR_RELAY"], !path.isEmpty { return RelayDirectory(path) }
            if geteuid() == 0 { return RelayDirectory("/var/lib/hubpair-relay") }
            let base =
                environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
                ?? "\(userHome(environment))/.local/state"
            return RelayDirectory("\(base)/hubpair-relay")
        }

        /// The relay that is there.
        func existing() throws -> RelayDirectory {
            let relay = relay
            do {
                _ = try relay.state.open()
            } catch HubError.notSetUp(let path) {
                throw Failure(
                    .configuration, "there is no relay in \(path)",
                    hint: "'hubpair relay print' makes one, or name its directory with --state")
            }
            return relay
        }
    }

    struct Print: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "print", abstract: "Make a code with which one hub is admitted.",
            discussion: """
                The code is for one hub and lives 10 minutes. It names the relay's address if this machine \
                has one of its own that is clear; --address says another.

                EXAMPLES:
                  hubpair relay print
                  hubpair relay print --format text --address 203.0.113.7
                """)
        @OptionGroup var code: CodeOptions
        @OptionGroup var directory: DirectoryOption
        @Flag(help: .json) var json = false

        func validate() throws {
            guard !json || code.form.outputPath != nil else {
                throw ValidationError("--json describes the code that a file holds. Add -o code.png")
            }
        }

        func run() throws {
            let relay = directory.relay
            try relay.ensure(port: JoinRelay.defaultPort)
            let start = "hubpair relay serve" + (directory.state.map { " --state \(shellQuoted($0))" } ?? "")
            try CodePresentation(form: code.form, json: json, relay: start).present(
                .once, lifetime: CodePresentation.defaultLifetime, role: nil, state: relay.state)
            Console.note("hint: on the hub: hubpair hub ways relay CODE THIS-SERVER")
        }
    }

    struct Hubs: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "hubs", abstract: "List the hubs that this relay has admitted.",
            discussion: """
                EXAMPLES:
                  hubpair relay hubs
                  hubpair relay hubs --json
                """)
        @OptionGroup var directory: DirectoryOption
        @Flag(help: .json) var json = false

        func run() throws {
            let relay = try directory.existing()
            let hubs = try AdministerDevices(state: relay.state).list().filter { $0.status == .approved }
            let status = try relay.status()
            if json {
                for hub in hubs {
                    let status = status[hub.fingerprint]
                    try JSONLine.write(
                        .object([
                            "hub": .string(hub.fingerprint.description),
                            "name": .string(hub.name.description),
                            "connected": .boolean(status?.isConnected ?? false),
                            "since": .text(status?.since.timestamp),
                            "callers": .integer(Int64(status?.callers ?? 0)),
                            "bytes": .integer(Int64(clamping: status?.byteCount ?? 0)),
                        ]))
                }
                return
            }
            guard !hubs.isEmpty else {
                Console.note("this relay has admitted no hub yet")
                return Console.note("hint: 'hubpair relay print' makes a code for one")
            }
            try Table(
                columns: ["HUB", "FINGERPRINT", "CONNECTED", "SINCE", "CALLERS"],
                rows: hubs.map { hub in
                    let status = status[hub.fingerprint]
                    return [
                        hub.name.description, hub.fingerprint.description,
                        status?.isConnected == true ? "yes" : "no",
                        status.map { LocalTime($0.since).text(seenAt: Date()) } ?? "-",
                        "\(status?.callers ?? 0)",
                    ]
                }, limits: [40]
            ).write()
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Admit a hub no longer; its connections end at once.",
            discussion: """
                EXAMPLES:
                  hubpair relay remove Kitchen
                  hubpair relay remove K7QF-2M9D-X0TW-8RHC
                """)
        @Argument(help: "The hub's name or fingerprint.") var hub: PeerSelector
        @OptionGroup var directory: DirectoryOption

        func run() throws {
            let (hub, changed): (ApprovedDevice, Bool)
            do {
                (hub, changed) = try AdministerDevices(state: directory.existing().state).revoke(self.hub)
            } catch PeerSelectorError.unknown(let text, _, _, let near) {
                throw PeerSelectorError.unknown(text, kind: "hub", list: "hubpair relay hubs", near: near)
            }
            Console.note(
                "\(hub.name) (\(hub.fingerprint)) is not admitted any more"
                    + (changed ? "" : "; it was not before"))
        }
    }
}
