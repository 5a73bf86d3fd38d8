import ArgumentParser
import Home
import HubClient
import Identity

/// `hubpair home`: the appliances that a hub controls.
struct HomeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "home",
        abstract: "List the appliances of a hub; show, set, add, rename, remove and watch them.",
        discussion: """
            <appliance> and <activator> are names, unambiguous beginnings of names, or ids. Exit codes: 1 \
            if there is no such appliance, 64 if a name fits two or a value is out of range, 65 if the \
            answer cannot be understood, 69 if the hub does not answer or its server fails, 75 if an order \
            was not confirmed, 77 if the hub does not let this computer in. If several orders fail, \
            the gravest decides; what has been done stands.

            EXAMPLES:
              hubpair home
              hubpair home set 'Kitchen light' 40%
              hubpair home say turn everything off
            """,
        subcommands: [
            List.self, Show.self, HomeSetCommand.self, HomeOnCommand.self, HomeOffCommand.self,
            HomeLockCommand.self, HomeSayCommand.self, HomeListenCommand.self, HomeWatchCommand.self,
            HomeRoomCommand.self,
            HomeSceneCommand.self, HomeOverviewCommand.self, HomeHistoryCommand.self, HomeRuleCommand.self,
            HomeArmCommand.self, HomeDisarmCommand.self, HomeArmedCommand.self,
            HomeAddCommand.self, HomeRenameCommand.self,
            HomeRemoveCommand.self, HomeUnitCommand.self, HomeKindCommand.self, HomePictureCommand.self,
            HomeTimerCommand.self,
        ],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the appliances and their states.",
            discussion: """
                Grouped by the hub's rooms, if it has any.

                EXAMPLES:
                  hubpair home
                  hubpair home --hub Garden --json
                  hubpair home --by type
                  hubpair home --all-hubs --timeout 5
                """)
        @OptionGroup var home: HomeOptions
        @Flag(help: .json) var json = false
        @Flag(
            help:
                "Of every hub, all asked at once; hubs that do not answer are named at the end: no failure."
        )
        var allHubs = false

        @Option(
            help: ArgumentHelp(
                "With --all-hubs: how long each hub has to answer. (default: 10s)", valueName: "time"),
            transform: durationValue(atMost: .seconds(600), like: "10s"))
        var timeout: Duration?

        @Option(
            help: ArgumentHelp(
                "Group them by room, type or hub. (default: room, if the hub has rooms)",
                valueName: "group"))
        var by: Grouping?

        func validate() throws {
            try home.check(allHubs: allHubs)
            guard timeout == nil || allHubs else {
                throw ValidationError("--timeout is for --all-hubs. Leave it out, or add --all-hubs")
            }
        }

        var line: ListAppliances {
            ListAppliances(
                home: home.choice, json: json, allHubs: allHubs, timeout: timeout ?? .seconds(10), by: by)
        }

        func run() async throws { try await line.run() }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show an appliance with all that can be set on it.",
            discussion: """
                EXAMPLES:
                  hubpair home show Lamp
                  hubpair home show 'Kitchen light' --json
                """)
        @OptionGroup var home: HomeOptions
        @Flag(help: .json) var json = false
        @Argument(help: .appliance, completion: NameCompletion.appliances) var device: String

        func run() async throws { try await home.use(holding: device, run) }

        private func run(_ session: HomeSession) async throws {
            let listed = try Selection(device).device(in: await session.lookedAt().devices)
            let rooms = try await session.rooms(isNeeded: false)
            let (device, units) = (rooms.kinds.applied(to: listed), rooms.units)
            if json { return try JSONLine.write(HomeDeviceLine(device, of: session, units: units)) }
            var fields = Table.lines([
                "name": device.name, "type": device.type, "id": device.id, "hub": session.title,
            ])
            // As wide as the others.
            if let silence = session.silence(of: device.id) { fields.append("      \(silence.words)") }
            try Console.output(fields.joined(separator: "\n") + "\n")
            try Table(
                columns: ["ACTIVATOR", "TYPE", "STATE", "ID"],
                rows: device.activators.map {
                    [
                        shortened($0.name), shortened($0.kind.word),
                        shortened(units.text($0, of: device.id)), shortened($0.id),
                    ]
                }
            ).write()
        }
    }
}
