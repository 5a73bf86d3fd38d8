import ArgumentParser
import HubService

/// `hubpair hub certificate`: what a person can tell a browser to trust.
struct HubCertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Write the hub's certificate, for a browser that is to trust it.",
        discussion: """
            It may stand for this hub's names and addresses at home, and for no other site. Compare the \
            SHA-256 digest with what the browser shows. Paired computers do not need it: they know the hub's \
            key.

            EXAMPLES:
              hubpair hub certificate -o hub.pem
              hubpair hub certificate --state /srv/hub -o hub.pem
            """)

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("Write it to a file. (default: standard output)", valueName: "file"),
        completion: .file())
    var output: String?

    @OptionGroup var state: StateOption

    func run() throws {
        let state = state.state
        let (pem, digest) = try ReadHubCertificate(state: state).run()
        if let output, output != "-" {
            try OutputFile.check(output, of: "--output", isNoneOf: state.ownFiles)
            var file = try OutputFile(pem, at: output)
            try file.commit()
        } else {
            try Console.output(bytes: pem)
        }
        Console.note("SHA-256 \(digest)")
    }
}
