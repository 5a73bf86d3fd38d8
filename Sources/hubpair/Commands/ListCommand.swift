import ArgumentParser
import Discovery
import Identity

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

            A hub that does not accept connections is 'silent'. \
            'verified': it holds the key that this computer is paired with. 'claimed': only the hub itself \
            says what it is. 'impostor': it has the id or the name of a paired hub, and is another one.

            EXAMPLES:
              hubpair list
              hubpair list --watch
              hubpair list --name kitchen --limit 1
              hubpair list --scan 192.168.1.0/24  # where multicast does not arrive
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

    @Option(
        help: ArgumentHelp(
            "Show hubs of this name alone, or whose names begin so. (default: all)", valueName: "name"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "Show hubs that claim or have proven this id alone. (default: all)", valueName: "id"),
        transform: optionValue("not the id of a hub", give: "one like 7MRM-FEPH-QNYK-029X") {
            Fingerprint(forgiving: $0)
        })
    var id: Fingerprint?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("End once so many hubs are shown. (default: none)", valueName: "count"),
        transform: countValue(1...HubListing.maximumRows, like: 1))
    var limit: Int?

    @Option(help: "Search in this way alone; scan: by --scan. (default: by mdns and udp)")
    var by: SearchWay?

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
        help: "Say on standard error what the search waits for, when it ends, and how each hub is.")
    var explain = false

    @OptionGroup var configuration: ConfigurationOption
    @Flag(help: .json) var json = false

    func validate() throws {
        guard by != .scan || scan != nil else {
            throw ValidationError("--by scan has no addresses to search. Add --scan 192.168.1.0/24")
        }
        guard types.count <= DomainSearch.maximumTypes else {
            throw ValidationError("--type can be given \(DomainSearch.maximumTypes) times at most")
        }
    }

    var line: ListNetworkHubs {
        ListNetworkHubs(
            watch: watch, timeout: timeout, by: by, scan: scan, domain: domain, types: types,
            selection: HubSelection(name: name, id: id), limit: limit, explainsWaits: explain,
            configurationPath: configuration.path, json: json)
    }

    func run() async throws { try await line.run() }
}

/// A way to search the network. An address range, if there is one, is searched in every case.
enum SearchWay: String, CaseIterable, ExpressibleByArgument {
    case mdns, udp, scan

    init?(argument: String) { self.init(rawValue: argument.lowercased()) }
}
