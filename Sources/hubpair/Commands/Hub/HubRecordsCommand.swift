import ArgumentParser
import Discovery
import HubService

/// `hubpair hub records`: what name servers need to announce the hub.
struct HubRecordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records",
        abstract: "Write the DNS records with which name servers announce the hub.",
        discussion: """
            For networks of more than one link, where multicast does not arrive: 'hubpair list --domain' \
            finds the hub there. Without --domain the names are relative to the zone that the lines are put \
            into. The addresses are those of this machine, or those that the hub listens on, without \
            link-local ones. nsupdate(1) reads what --format nsupdate writes.

            EXAMPLES:
              hubpair hub records                            # for a zone file
              hubpair hub records --domain example.org --format nsupdate
            """)

    @Option(
        help: ArgumentHelp(
            "The domain that announces the hub. (default: names relative to a zone)", valueName: "domain"))
    var domain: String?

    @Option(help: "Write lines of a zone file, or a dynamic update. (default: zone)")
    var format: HubRecords.Format?

    @OptionGroup var state: StateOption

    func validate() throws {
        guard format != .nsupdate || domain != nil else {
            throw ValidationError("--format nsupdate takes whole names. Add --domain")
        }
    }

    func run() throws {
        let domain = try domain.map { text throws(ServiceNameError) in try SearchDomain(text) }
        let records = try HubRecords(of: state.state, domain: domain)
        try Console.output(bytes: Array(records.text(format ?? .zone).utf8))
        if !records.hasAddress {
            Console.note(
                "warning: this machine has no address that other networks can reach; add the host's record")
        }
    }
}

extension HubRecords.Format: ExpressibleByArgument {}
