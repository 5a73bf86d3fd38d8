import ArgumentParser
import FoundationEssentials
import HubClient
import Pairing

/// `hubpair hubs`: the hubs that this computer is paired with.
struct HubsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hubs",
        abstract: "List the hubs that this computer knows; show, add, use, rename or forget one.",
        discussion: """
            <hub> is a hub's name in any case, the beginning of it if that fits one hub alone, or its \
            fingerprint in any spacing. 'hubs forget' takes the whole name only.

            EXAMPLES:
              hubpair hubs
              hubpair hubs use Kitchen
              hubpair hubs add Attic 192.168.1.9
            """,
        subcommands: [
            List.self, Show.self, HubsAddCommand.self, Use.self, HubsSelectCommand.self, Rename.self,
            Forget.self, Reset.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the hubs.",
            discussion: """
                EXAMPLES:
                  hubpair hubs
                  hubpair hubs list --json
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(help: .json) var json = false

        var line: ListHubs { ListHubs(configurationPath: configuration.path, json: json) }

        func run() throws { try line.run() }
    }

    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show one hub, or the curl arguments that reach it.",
            discussion: """
                --curl writes one line for a shell, with the hub's URL at its end:
                eval curl "$(hubpair hubs show --curl)/devices/"

                EXAMPLES:
                  hubpair hubs show
                  hubpair hubs show Kitchen --json
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(help: .json) var json = false
        @Flag(help: "Write the curl arguments that do what 'hubpair call' does.") var curl = false
        @Argument(help: "Its name or fingerprint. (default: the one of 'hubpair hubs use')") var hub:
            PeerSelector?

        func validate() throws {
            guard !(curl && json) else {
                throw ValidationError("--curl and --json exclude each other. Leave one out")
            }
        }

        func run() throws {
            let manage = ManageHubs(configuration: configuration.configuration)
            if let selector = hub, !curl, case .added(let added) = try manage.find(selector) {
                return try show(added, isDefault: manage.defaultAdded() == added.name)
            }
            let (hub, isDefault) = try manage.findPaired(hub)
            if curl {
                guard let arguments = CurlArguments(hub: hub, configuration: configuration.configuration)
                else {
                    Console.report(
                        "the address of \(hub.name) is not known",
                        hint: "'hubpair call --hub \(hub.fingerprint) GET /' finds it, and remembers it",
                        exit: .nothingFound)
                    throw ExitStatus.nothingFound
                }
                return try Console.output(arguments.shellLine)
            }
            let line = HubLine(hub, isDefault: isDefault)
            if json { return try JSONLine.write(line.json) }
            let fields = Table.lines([
                "name": line.name, "fingerprint": hub.fingerprint.description, "pin": hub.pin.text,
                "address": line.address ?? "-",
                "paired": line.pairedText ?? (hub.isPending ? "pending" : "-"),
                "default": isDefault ? "yes" : "no",
            ])
            try Console.output(fields.joined(separator: "\n"))
        }

        private func show(_ hub: AddedHub, isDefault: Bool) throws {
            let line = HubLine(hub, isDefault: isDefault)
            if json { return try JSONLine.write(line.json) }
            let fields = Table.lines([
                "name": line.name, "fingerprint": line.hub.map { "\($0), by its own word" } ?? "-",
                "address": hub.address, "paired": line.status, "default": isDefault ? "yes" : "no",
            ])
            try Console.output(fields.joined(separator: "\n"))
        }
    }

    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "use", abstract: "Use this hub when none is named.",
            discussion: """
                EXAMPLES:
                  hubpair hubs use 'Kitchen hub'
                  hubpair hubs use kitchen
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Argument(help: "Its name or fingerprint.") var hub: PeerSelector

        func run() throws {
            let hub = try ManageHubs(configuration: configuration.configuration).use(hub)
            Console.note("\(hub.title) is the default now")
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a hub another name on this computer.",
            discussion: """
                EXAMPLES:
                  hubpair hubs rename 'Kitchen hub' Kitchen
                  hubpair hubs rename 7MRM-FEPH-QNYK-029X Garden
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Argument(help: "Its name or fingerprint.") var hub: PeerSelector
        @Argument(help: "The new name, 1 to 63 bytes.") var name: String

        func run() throws {
            let name = try PeerName(name)
            let hub = try ManageHubs(configuration: configuration.configuration).rename(hub, to: name)
            Console.note("\(hub.title) is called \(name) now")
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget", abstract: "Forget a hub.",
            discussion: """
                The hub still lets this computer in, until its owner revokes it there.

                EXAMPLES:
                  hubpair hubs forget 'Kitchen hub'
                  hubpair hubs forget 7MRM-FEPH-QNYK-029X
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Argument(help: "Its whole name, or its fingerprint.") var hub: PeerSelector

        func run() throws {
            let hub = try ManageHubs(configuration: configuration.configuration).forget(hub)
            let more = if case .paired = hub { "; to come back, pair again" } else { "" }
            Console.note("\(hub.title) is forgotten\(more)")
            if case .paired = hub {
                Console.note(
                    "the hub still lets this computer in: 'hubpair devices revoke DEVICE' there ends that")
            }
        }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reset", abstract: "Forget every hub, after asking.",
            discussion: """
                Attempts to pair that are under way are forgotten, too. This computer keeps its key: hubs \
                know it by that.

                EXAMPLES:
                  hubpair hubs reset
                  hubpair hubs reset --yes
                """)
        @OptionGroup var configuration: ConfigurationOption
        @Flag(name: .shortAndLong, help: "Do not ask.") var yes = false

        func run() throws {
            let forget = ForgetEverything(configuration: configuration.configuration)
            let memory = try forget.memory()
            guard !memory.isEmpty else {
                return Console.note("this computer knows no hub; nothing to forget")
            }
            if !yes {
                guard Question.canBeAnswered else {
                    throw ValidationError(
                        "'hubs reset' asks before it forgets, and standard input is not a terminal. "
                            + "Add --yes to do it without asking")
                }
                try Question.confirm("forget \(memory.words)?", orElse: "nothing was forgotten")
            }
            let forgotten = try forget.forget()
            let names = [
                forgotten.hubs.map(\.description),
                forgotten.attempts > 0 ? [counted(forgotten.attempts, "attempt") + " to pair"] : [],
            ]
            Console.note("forgotten: " + names.joined().joined(separator: ", "))
        }
    }
}

extension ForgetEverything.Memory {
    /// `2 hubs and 1 attempt to pair`
    fileprivate var words: String {
        let parts = [
            hubs.isEmpty ? nil : counted(hubs.count, "hub"),
            attempts == 0 ? nil : counted(attempts, "attempt") + " to pair",
        ]
        return parts.compactMap(\.self).joined(separator: " and ")
    }
}

private func counted(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

extension SavedHub {
    /// Its name, and the fingerprint of a paired one.
    fileprivate var title: String {
        guard case .paired(let hub) = self else { return name.description }
        return "\(hub.name) (\(hub.fingerprint))"
    }
}
