import ArgumentParser
import FoundationEssentials
import GatewayRules
import HubService
import Identity
import PinnedTLS
import QRCodes

/// `hubpair hub certificate`: what a browser can believe the hub by.
struct HubCertificateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "certificate",
        abstract: "Write the hub's certificate for a browser; install one for a public name.",
        discussion: """
            The hub's own certificate may stand for its names and addresses at home, and for no other site. \
            Compare the SHA-256 digest with what the browser shows. Paired computers do not need it: they \
            know the hub's key.

            A certificate for a public name, which every browser believes, is made from a request with the \
            hub's own key, so nothing changes for paired devices. samples/acme fetches one, and again \
            before it ends.

            EXAMPLES:
              hubpair hub certificate -o hub.pem
              hubpair hub certificate request --name kitchen.example.org -o hub.csr
              hubpair hub certificate install fullchain.pem
            """,
        subcommands: [Show.self, Request.self, Install.self, Remove.self], defaultSubcommand: Show.self)

    /// Where PEM is written.
    struct Output: ParsableArguments {
        @Option(
            name: [.customShort("o", allowingJoined: true), .long],
            help: ArgumentHelp("Write it to a file. (default: standard output)", valueName: "file"),
            completion: .file())
        var output: String?

        func write(_ pem: [UInt8], besides files: [String]) throws {
            guard let output, output != "-" else { return try Console.output(bytes: pem) }
            try OutputFile.check(output, of: "--output", isNoneOf: files)
            var file = try OutputFile(pem, at: output)
            try file.commit()
        }
    }

    /// `hubpair hub certificate show`
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Write the hub's own certificate, and tell of the installed one.",
            discussion: """
                EXAMPLES:
                  hubpair hub certificate -o hub.pem
                  hubpair hub certificate --state /srv/hub -o hub.pem
                """)

        @OptionGroup var output: Output
        @OptionGroup var state: StateOption

        func run() throws {
            let state = state.state
            let (pem, digest) = try ReadHubCertificate(state: state).run()
            try output.write(pem, besides: state.ownFiles)
            Console.note("SHA-256 \(digest)")
            guard let installed = try PublicCertificate(state: state).installed() else { return }
            Console.note(installed.words(at: Date()))
        }
    }

    /// `hubpair hub certificate request`
    struct Request: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "request",
            abstract: "Write a request for a certificate with the hub's key (PKCS #10, PEM).",
            discussion: """
                Where the name leads to a relay of the hub, --answer lets an authority's question \
                (TLS-ALPN-01, RFC 8737) through to an ACME client on this machine, for an hour.

                EXAMPLES:
                  hubpair hub certificate request --name kitchen.example.org -o hub.csr
                  hubpair hub certificate request --name kitchen.example.org --answer 443
                """)

        @Option(
            name: .customLong("name"),
            help: ArgumentHelp("A public name of the hub; repeatable.", valueName: "name"),
            transform: publicName)
        var names: [WebHost] = []

        @Option(
            help: ArgumentHelp(
                "The port of this machine (127.0.0.1) where an ACME client answers an authority that comes "
                    + "by a relay; one below 1024 is no other user's.", valueName: "port"),
            transform: optionValue("not a port", give: "a number from 1 to 65535") { text in
                UInt16(text).flatMap { $0 > 0 ? $0 : nil }
            })
        var answer: UInt16?

        @OptionGroup var output: Output
        @OptionGroup var state: StateOption

        func validate() throws {
            guard (1...10).contains(names.count) else {
                throw ValidationError("say for which name: --name kitchen.example.org; ten at most")
            }
        }

        func run() throws {
            let state = state.state
            try output.write(
                PublicCertificate(state: state).request(names: names, answering: answer),
                besides: state.ownFiles)
        }
    }

    /// `hubpair hub certificate install`
    struct Install: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "install", abstract: "Install a certificate for a public name, with its chain.",
            discussion: """
                The file holds the hub's certificate, and below it those that have issued it, in PEM. A hub \
                that serves shows it at once to those who come by its name; for all others nothing changes.

                EXAMPLES:
                  hubpair hub certificate install fullchain.pem
                  hubpair hub certificate install - <fullchain.pem
                """)

        @Argument(help: "The file; '-' is standard input.", completion: .file()) var chain: String
        @OptionGroup var state: StateOption

        func run() throws {
            let certificate: InstalledCertificate
            do {
                let pem = try InputFile.readWhole(chain, limit: InstalledCertificate.maximumByteCount)
                certificate = try PublicCertificate(state: state.state).install(pem)
            } catch {
                Console.report(error, subject: chain == "-" ? "standard input" : chain)
                throw ExitStatus(of: error)
            }
            Console.note(certificate.words(at: Date()))
            if certificate.isAlone {
                Console.note(
                    "warning: the one that has issued it (\(certificate.issuer)) is not in the file; "
                        + "browsers need it unless they trust it themselves")
            }
        }
    }

    /// `hubpair hub certificate remove`
    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take the installed certificate out; the hub's own stays.",
            discussion: """
                EXAMPLES:
                  hubpair hub certificate remove
                  hubpair hub certificate remove --state /srv/hub
                """)

        @OptionGroup var state: StateOption

        func run() throws {
            Console.note(
                try PublicCertificate(state: state.state).remove()
                    ? "the installed certificate is taken out" : "no certificate was installed")
        }
    }
}

extension InstalledCertificate {
    /// `a certificate for kitchen.example.org is installed, until …`
    fileprivate func words(at now: Date) -> String {
        "a certificate for \(names.joined(separator: ", ")) is installed, until "
            + LocalTime(ends).text(seenAt: now) + (ends < now ? ", which is over" : "")
    }
}

/// A DNS name.
func publicName(_ text: String) throws -> WebHost {
    guard case .name(let name)? = WebHost(pasted: text) else {
        throw ValidationError("not a DNS name. Give one like kitchen.example.org")
    }
    return .name(name)
}
