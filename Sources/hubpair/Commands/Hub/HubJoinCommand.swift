import ArgumentParser
import GatewayRules
import HubService
import Identity
import JSON
import Pairing
import QRCodes

/// `hubpair hub join`: the servers whose things stand in the house.
struct HubJoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Bring the things of another server into the house, beside the hub's own.",
        discussion: """
            'hubpair home', 'say', rules, scenes, messages and the page work on them as on all others. Rooms \
            come with them when the house sees them first; what people change afterwards stays. Changes \
            count at once.

            EXAMPLES:
              hubpair hub join
              hubpair hub join home-assistant http://127.0.0.1:8123 --token-file token
              hubpair hub join mqtt mqtt://127.0.0.1
              hubpair hub join remove home-assistant
            """,
        subcommands: [List.self, HomeAssistant.self, MQTT.self, Remove.self], defaultSubcommand: List.self)

    /// `hubpair hub join list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the servers that have joined.",
            discussion: """
                EXAMPLES:
                  hubpair hub join
                  hubpair hub join list --json
                """)

        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let servers = try ManageJoined(state: state.state).list()
            if json { return try JSONLine.write(servers.map(\.json)) }
            guard !servers.isEmpty else {
                Console.note("no other server has joined this house")
                return Console.note(
                    "hint: hubpair hub join home-assistant http://127.0.0.1:8123 --token-file FILE")
            }
            try Table(
                columns: ["KIND", "SERVER"], rows: servers.map { [$0.kind.rawValue, $0.url.text] }
            ).write()
        }
    }

    /// `hubpair hub join home-assistant`
    struct HomeAssistant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "home-assistant", abstract: "Join a Home Assistant.",
            discussion: """
                <url> is where it listens: on this machine's loopback, or https with the pin of its key \
                behind #. In Home Assistant a long-lived access token is made in your profile, under \
                Security. It is tried, and kept in the hub's directory (mode 0600); the file is needed no \
                more. Its lights, switches, covers, locks, valves, sirens, fans, heatings and sensors come \
                into the house; other kinds do not.

                EXAMPLES:
                  hubpair hub join home-assistant http://127.0.0.1:8123 --token-file token
                  hubpair hub join home-assistant http://127.0.0.1:8123 --token-file -
                """)

        private static let mostBytes = 4096

        @Argument(help: "The server, like http://127.0.0.1:8123.") var url: String

        @Option(
            help: ArgumentHelp(
                "Take the token from the first line of this file; '-' is standard input.",
                valueName: "file"),
            completion: .file())
        var tokenFile: String

        @OptionGroup var state: StateOption

        func run() async throws {
            let server = try JoinedServer(
                homeAssistant: Upstream(url),
                token: SecretFile.firstLine(tokenFile, limit: HomeAssistant.mostBytes))
            try await ManageJoined(state: state.state).join(server)
            Console.note("\(server.kind.title) has joined the house; 'hubpair home' lists its things")
        }
    }

    /// `hubpair hub join mqtt`
    struct MQTT: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "mqtt", abstract: "Join an MQTT broker: what zigbee2mqtt and Tasmota publish.",
            discussion: """
                <url> is where the broker listens on this machine; one on another machine is bridged to it. \
                Things come into the house that announce themselves for Home Assistant: lights, switches, \
                covers, locks, heatings, numbers and sensors; other kinds do not. The password is kept in \
                the hub's directory (mode 0600); the file is needed no more.

                EXAMPLES:
                  hubpair hub join mqtt mqtt://127.0.0.1
                  hubpair hub join mqtt mqtt://127.0.0.1 --username hub --password-file pw
                """)

        private static let mostBytes = 4096

        @Argument(help: "The broker, like mqtt://127.0.0.1:1883.") var url: String

        @Option(help: ArgumentHelp("The hub's name there.", valueName: "name"))
        var username: String?

        @Option(
            help: ArgumentHelp(
                "Take the password from the first line of this file; '-' is standard input.",
                valueName: "file"),
            completion: .file())
        var passwordFile: String?

        @OptionGroup var state: StateOption

        func validate() throws {
            guard (username == nil) == (passwordFile == nil) else {
                throw ValidationError("--username and --password-file go together. Give both, or none")
            }
        }

        func run() async throws {
            var login: JoinedServer.Login?
            if let username, let passwordFile {
                login = try JoinedServer.Login(
                    name: username, password: SecretFile.firstLine(passwordFile, limit: MQTT.mostBytes))
            }
            let server = JoinedServer(mqtt: try Upstream(mqtt: url), login: login)
            try await ManageJoined(state: state.state).join(server)
            Console.note("\(server.kind.title) has joined the house; 'hubpair home' lists its things")
        }
    }

    /// `hubpair hub join remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Let a server's things leave the house, at once.",
            discussion: """
                EXAMPLES:
                  hubpair hub join remove home-assistant
                  hubpair hub join remove home-assistant --state /var/lib/hubpair
                """)

        @Argument(help: "Its kind.") var kind: JoinedKind
        @OptionGroup var state: StateOption

        func run() throws {
            try ManageJoined(state: state.state).leave(kind)
            Console.note("\(kind.title) has left the house")
        }
    }
}

/// A file that holds a secret in its first line.
private enum SecretFile {
    static func firstLine(_ path: String, limit: Int) throws -> String {
        if path != "-" { try checkIsPrivate(path) }
        let bytes: [UInt8]
        do {
            bytes = try InputFile.readWhole(path, limit: limit)
        } catch {
            Console.report(error, subject: path == "-" ? "standard input" : path)
            throw ExitStatus(of: error)
        }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return String(decoding: line, as: UTF8.self)
    }
}

extension JoinedKind: ExpressibleByArgument {}

extension JoinedServer {
    /// As it stands in a line of `--json`; its token stays where it is.
    fileprivate var json: JSONValue {
        .object(["kind": .string(kind.rawValue), "url": .string(url.text)])
    }
}
