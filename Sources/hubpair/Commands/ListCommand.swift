import ArgumentParser
import Discovery

/// `hubpair list`: the hubs on the network.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the hubs on the local network.",
        discussion: """
            Asks for _hestia._tcp over multicast DNS on every interface, and paired hubs at their last \
            addresses. It ends when the network has gone quiet. A terminal shows hubs as they are found, \
            sorted; a pipe gets the table at the end. With --json a hub has its line as soon as its \
            addresses are known, and a second one at the end if they have changed: the last line with its id \
            and name counts.

            'verified': it holds the key that this computer is paired with. 'claimed': only the hub itself \
            says what it is. 'impostor': it has the id or the name of a paired hub, and is another one.

            EXAMPLES:
              hubpair list
              hubpair list --watch
              hubpair list --scan 192.168.1.0/24  # where multicast does not arrive
              hubpair list --domain example.org   # the hubs that name servers know
            """
    )

    @Flag(name: .shortAndLong, help: "Keep watching: show what changes, until stopped.")
    var watch = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to search. (default: until the network has nothing more to say)", valueName: "time"),
        transform: durationValue(atMost: .seconds(86_400), like: "5s"))
    var timeout: Duration?

    @Flag(name: .customLong("no-mdns"), help: "Do not use multicast DNS.")
    var noMDNS = false

    @Flag(name: .customLong("no-udp"), help: "Do not send UDP probes.")
    var noUDP = false

    @Option(
        help: ArgumentHelp(
            "Try port 8000 on every address of this range, too: one address, or a /20 at most. "
                + "(default: none)", valueName: "cidr"))
    var scan: String?

    @Option(
        help: ArgumentHelp(
            "Ask the name servers for the hubs of this domain, instead of the local network. (default: none)",
            valueName: "domain"))
    var domain: String?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Look for hubs under this service type; repeatable, at most \(DomainSearch.maximumTypes) times. "
                + "(default: \(ServiceType.hestia))",
            valueName: "type"))
    var types: [String] = []

    @Flag(
        name: .customLong("explain-wait"),
        help: "Say on standard error what the search waits for, and when it ends.")
    var explainsWaits = false

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard !noMDNS || !noUDP || scan != nil || domain != nil else {
            throw ValidationError(
                "--no-mdns and --no-udp leave nothing to search with. Add --scan, or drop one")
        }
        guard types.count <= DomainSearch.maximumTypes else {
            throw ValidationError("--type can be given \(DomainSearch.maximumTypes) times at most")
        }
    }

    var line: ListNetworkHubs {
        ListNetworkHubs(
            watch: watch, timeout: timeout, noMDNS: noMDNS, noUDP: noUDP, scan: scan, domain: domain,
            types: types, explainsWaits: explainsWaits, configurationPath: configuration.path, json: json)
    }

    func run() async throws { try await line.run() }
}
