import ArgumentParser
import FoundationEssentials
import HubService
import Identity
import JSON
import Pairing
import QRCodes

/// `hubpair hub site`: several gates with one identity.
struct HubSiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Let several gates act as one hub: devices, codes and revocations are shared by etcd.",
        discussion: """
            Each gate has the hub's key (hub backup, hub restore --join) and asks etcd, of three or five \
            members, over TLS. A device that is paired at one gate is let in at all; a code is good once, at \
            whichever.

            EXAMPLES:
              hubpair hub site
              hubpair hub site join https://etcd1:2379 --ca ca.pem --cert g.pem --key g.key
              hubpair hub site leave
            """,
        subcommands: [Status.self, Join.self, Leave.self], defaultSubcommand: Status.self)

    /// `hubpair hub site status`
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show how the site stands: its members, gates and this copy.",
            discussion: """
                Every member is asked. Without a majority the exit code is 69.

                EXAMPLES:
                  hubpair hub site
                  hubpair hub site status --json
                """)

        @OptionGroup var state: StateOption
        @Flag(help: .json) var json = false

        func run() throws {
            let status = try SiteStatus(of: state.state)
            if json {
                try JSONLine.write([status.json])
            } else {
                try Console.output(Table.lines(status.lines).joined(separator: "\n"))
                try Table(
                    columns: ["MEMBER", "NAME", "VERSION", "STATE"],
                    rows: status.members.map { [$0.member.text, $0.name, $0.version, $0.standing.words] }
                ).write()
            }
            guard let fault = status.fault else { return }
            if !json { Console.report(fault) }
            throw ExitStatus(of: fault)
        }
    }

    /// `hubpair hub site join`
    struct Join: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join", abstract: "Make this hub a gate of a site.",
            discussion: """
                The first gate moves its devices and codes into etcd; nothing is lost. Another gate is made \
                from its backup, with 'hub restore --join'. Joining again changes the members, the \
                certificate or --stale. A hub with a key of its own joins with --with: its devices and \
                those of the site are let in by all. The files are read once, and kept in the hub's \
                directory (mode 0600).

                EXAMPLES:
                  hubpair hub site join https://etcd1:2379 --ca ca.pem --cert g.pem --key g.key
                  hubpair hub site join https://a:2379,https://b:2379 --ca ca --cert c --key k
                """)

        private static let mostBytes = 65_536

        @Argument(help: "The members of the etcd, with commas between them.", transform: siteMembers)
        var members: SiteMembers

        @Option(
            help: ArgumentHelp("The authority of the members' certificates.", valueName: "file"),
            completion: .file())
        var ca: String

        @Option(
            help: ArgumentHelp("This gate's certificate, for TLS clients.", valueName: "file"),
            completion: .file())
        var cert: String

        @Option(help: ArgumentHelp("Its key (mode 0600).", valueName: "file"), completion: .file())
        var key: String

        @Option(
            parsing: .unconditional,
            help: ArgumentHelp(
                "How long known devices go on while etcd has no majority. (default: 10m)",
                valueName: "duration"),
            transform: optionValue("not a time up to 7d", give: "one like 30s, 10m or 1h") { text in
                Duration(written: text).map { Int($0.inSeconds) }.flatMap {
                    (0...SiteSettings.longestStale).contains($0) ? $0 : nil
                }
            })
        var stale = SiteSettings.usualStale

        @Option(
            help: ArgumentHelp(
                "The hub whose site it is, by its fingerprint. (default: this one)",
                valueName: "hub"),
            transform: optionValue(
                "not a fingerprint", give: "what 'hubpair hub site' says at a gate of the site"
            ) { Fingerprint(forgiving: $0) })
        var with: Fingerprint?

        @OptionGroup var state: StateOption

        func run() throws {
            try checkIsPrivate(key)
            let credentials = SiteCredentials(
                authority: try Join.read(ca), certificate: try Join.read(cert), key: try Join.read(key))
            let joined = try ManageSite(state: state.state).join(
                members.list, credentials, stale: stale, with: with)
            let count = "\(joined.devices) device\(joined.devices == 1 ? "" : "s")"
            Console.note(
                joined.isFirst
                    ? "this hub is the first gate of the site; \(count) moved in"
                    : "this hub is a gate of the site, which lets in \(count)")
            if joined.voided > 0 {
                Console.note(
                    "warning: \(joined.voided) code\(joined.voided == 1 ? "" : "s") of this hub "
                        + "\(joined.voided == 1 ? "is" : "are") void now; 'hubpair print' makes a new one")
            }
            if joined.isFirst {
                Console.note(
                    "hint: for another gate: hubpair hub backup FILE, and there: hubpair hub restore "
                        + "--join FILE")
            }
        }

        private static func read(_ path: String) throws -> [UInt8] {
            do {
                return try InputFile.readWhole(path, limit: mostBytes)
            } catch {
                Console.report(error, subject: path)
                throw ExitStatus(of: error)
            }
        }
    }

    /// `hubpair hub site leave`
    struct Leave: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Make this gate a hub of its own again, with all that the site has.",
            discussion: """
                What is decided here afterwards, the gates of the site do not learn. The last gate leaves \
                nothing behind in etcd. With --gate it is another one that goes: one whose machine is \
                gone for good.

                EXAMPLES:
                  hubpair hub site leave
                  hubpair hub site leave --gate north
                  hubpair hub site leave --offline  # etcd is lost
                """)

        @Flag(help: "Do not ask etcd: this gate's copy counts.") var offline = false

        @Option(
            help: ArgumentHelp(
                "Take out another gate, by its name in 'hubpair hub site'. (default: this one)",
                valueName: "name"))
        var gate: String?

        @OptionGroup var state: StateOption

        func validate() throws {
            guard gate == nil || !offline else {
                throw ValidationError("--gate asks etcd. Leave --offline out, or --gate")
            }
        }

        func run() throws {
            if let gate {
                try ManageSite(state: state.state).takeOut(gate: gate)
                return Console.note("\(SafeText.escaped(gate)) is no gate of the site any more")
            }
            let isLast = try ManageSite(state: state.state).leave(isOffline: offline)
            Console.note(
                "this hub is no gate of a site any more; its devices and codes are in \(state.state.path)")
            if !isLast {
                Console.note(
                    "warning: the other gates go on: what is revoked here, they still let in")
            }
        }
    }
}

extension SiteHouse.Gate {
    fileprivate var words: String {
        if let fault { return "\(name) does not go on: \(fault)" }
        return switch (leads, behind) {
        case (true, 0?): "\(name) polls"
        case (true, let behind): "\(name) polls, \(behind.map { "\($0) behind" } ?? "begins")"
        case (false, 0?): "\(name) follows"
        case (false, let behind?): "\(name) is \(behind) behind"
        case (false, nil): "\(name) has another house"
        }
    }
}

/// Members with commas between them: one argument, of which no list is made.
struct SiteMembers {
    let list: [SiteMember]
}

private func siteMembers(_ text: String) throws -> SiteMembers {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let members = words.compactMap { try? SiteMember($0) }
    guard members.count == words.count, members.count <= SiteSettings.maximumMembers else {
        throw ValidationError(
            "not members of an etcd. Give them like https://etcd1:2379, several with commas between them")
    }
    return SiteMembers(list: members)
}

extension SiteStatus.Standing {
    /// As it stands in `--json`.
    fileprivate var word: String {
        switch self {
        case .leads: "leads"
        case .follows: "follows"
        case .alone: "alone"
        case .away: "away"
        }
    }

    fileprivate var words: String {
        switch self {
        case .leads, .follows: word
        case .alone: "sees no majority"
        case .away(let error): "\(error)"
        }
    }
}

extension SiteStatus {
    fileprivate var lines: KeyValuePairs<String, String> {
        var copy = self.copy.map { "revision \($0)" } ?? "none yet"
        if let revision { copy += self.copy == revision ? ", up to date" : ", behind \(revision)" }
        return [
            "hubs": hubs.isEmpty
                ? Texts.exactly("unknown")
                : hubs.map { "\($0.name) \($0.pin.fingerprint)" }.joined(separator: ", "),
            "site of": settings.hub.description,
            "gates": gates.map { $0.joined(separator: ", ") } ?? Texts.exactly("unknown"),
            "house": house.map { $0.gates.map { Texts.words($0.words) }.joined(separator: "; ") }
                ?? Texts.exactly("unknown"),
            "next key": next.map { next in
                next.missing.isEmpty
                    ? next.pin.fingerprint.description
                    : Texts.words(
                        "\(next.pin.fingerprint), which these cannot show: "
                            + next.missing.joined(separator: ", "))
            } ?? Texts.exactly("none"),
            "copy": Texts.words(copy),
            "alone for": Duration.seconds(settings.stale).written,
            "certificate": Texts.words("until \(certificateEnd ?? "?")"),
        ]
    }

    private var certificateEnd: String? {
        settings.credentials.end.map { Date(timeIntervalSince1970: Double($0)).timestamp }
    }

    fileprivate var json: JSONValue {
        .object([
            "members": .array(
                members.map { member in
                    var fault: String?
                    if case .away(let error) = member.standing { fault = error.description }
                    return .object([
                        "url": .string(member.member.text), "name": .string(member.name),
                        "version": .string(member.version), "state": .string(member.standing.word),
                        "fault": .text(fault),
                    ])
                }),
            "hub": .string(settings.hub.description),
            "hubs": .array(
                hubs.map {
                    .object([
                        "name": .string($0.name.description), "hub": .string($0.pin.fingerprint.description),
                    ])
                }),
            "gates": gates.map { .array($0.map { .string($0) }) } ?? .null,
            "house": house.map { house in
                .object([
                    "changes": .integer(house.changes),
                    "gates": .array(
                        house.gates.map { gate in
                            .object([
                                "name": .string(gate.name), "leads": .boolean(gate.leads),
                                "behind": gate.behind.map { .integer($0) } ?? .null,
                                "fault": .text(gate.fault),
                            ])
                        }),
                ])
            } ?? .null,
            "next_key": .text(next?.pin.fingerprint.description),
            "revision": revision.map { .integer($0) } ?? .null,
            "copy": copy.map { .integer($0) } ?? .null,
            "stale": .integer(Int64(settings.stale)),
            "certificate_ends": .text(certificateEnd),
            "fault": .text(fault?.description),
        ])
    }
}
