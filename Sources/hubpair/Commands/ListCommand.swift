import Addresses
import ArgumentParser
import HubClient

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
              hubpair list --json --timeout 5     # for scripts
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

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard !noMDNS || !noUDP || scan != nil else {
            throw ValidationError(
                "--no-mdns and --no-udp leave nothing to search with. Add --scan, or drop one")
        }
    }

    func run() async throws {
        var options = SearchHubs.Options()
        options.time = timeout
        options.watches = watch
        options.usesMDNS = !noMDNS
        options.usesUDP = !noUDP
        options.sweep = try scan.map { text throws(SweepRangeError) in try SweepRange(text) }

        let known = try configuration.configuration.knownHubs()
        var output = ListOutput(json: json, watches: watch)
        let hubs = try await SearchHubs(known: known, options: options).run { try output.show($0) }
        try output.finish(hubs)
        guard hubs.isEmpty else { return }
        Console.report("no hub found on this network", hint: hint, exit: .nothingFound)
        throw ExitStatus.nothingFound
    }

    private var hint: String {
        let question = "is the hub switched on, and on the same network?"
        guard scan == nil, let range = SweepRange(around: LocalNetwork.current()) else {
            return "\(question) 'hubpair list --timeout 5' searches longer"
        }
        return
            "\(question) where multicast does not arrive, 'hubpair list --scan \(range)' tries every address"
    }
}
