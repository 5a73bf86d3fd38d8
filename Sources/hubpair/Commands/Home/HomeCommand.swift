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
            was not confirmed in time, 77 if the hub does not let this computer in. If several orders fail, \
            the gravest decides; what has been done stands.

            EXAMPLES:
              hubpair home
              hubpair home set 'Kitchen light' 40%
              hubpair home say turn everything off
            """,
        subcommands: [
            List.self, Show.self, HomeSetCommand.self, HomeOnCommand.self, HomeOffCommand.self,
            HomeSayCommand.self, HomeListenCommand.self, HomeWatchCommand.self, HomeRoomCommand.self,
            HomeSceneCommand.self, HomeOverviewCommand.self, HomeHistoryCommand.self, HomeRuleCommand.self,
            HomeAddCommand.self, HomeRenameCommand.self,
            HomeRemoveCommand.self, HomeUnitCommand.self,
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
            guard !allHubs || home.hub == nil else {
                throw ValidationError("--hub and --all-hubs exclude each other. Leave one out")
            }
            guard !allHubs || !home.insecure else {
                throw ValidationError("--insecure is said for one hub. Name it with --hub")
            }
            guard timeout == nil || allHubs else {
                throw ValidationError("--timeout is for --all-hubs. Leave it out, or add --all-hubs")
            }
        }

        func run() async throws {
            guard allHubs else {
                return try await home.use { session in
                    do {
                        try write(try await List.look(session, by: by, isJSON: json), of: session)
                    } catch {
                        // How things were is told, and that it is no more than that.
                        if await session.takeLastKnown(error) {
                            let rooms = try await session.rooms(isNeeded: false)
                            try write(HouseLook(devices: [], rooms: rooms), of: session)
                        }
                        throw error
                    }
                }
            }
            let reach = try UseHub(configuration: home.configuration.configuration)
            let timeout = timeout ?? .seconds(10)
            // Connecting gets half of the time: its own error says more than a timeout.
            let connecting = timeout / 2
            let sessions = try reach.all().map {
                HomeSession($0, reach: reach, connecting: connecting, notesNames: false)
            }
            guard !sessions.isEmpty else {
                throw NoHubToUse(found: try await HomeSearch.hubs(home.configuration.configuration))
            }
            var isFirst = true
            let every = HomeOfEveryHub(sessions: sessions, timeout: timeout) { [by, json] session in
                try await List.look(session, by: by, isJSON: json, saysWait: false)
            }
            let failures = try await every.run {
                if !isFirst, !json { try Console.output("") }
                isFirst = false
                try write($1, of: $0)
            }
            for (session, error) in failures {
                Console.report(error, subject: session.hub.name.description)
            }
            guard failures.count < sessions.count else {
                throw ExitStatus.worst(of: failures.map { ExitStatus(of: $0.error) })
            }
        }

        /// The appliances, and then the rooms and units, over the same connection: to open another one takes
        /// longer than the hub takes for what it keeps itself.
        private static func look(
            _ session: HomeSession, by: Grouping?, isJSON: Bool, saysWait: Bool = true
        ) async throws -> HouseLook {
            let devices = try await session.devices(saysWait: saysWait)
            let rooms = try await session.rooms(isNeeded: by == .room)
            // Programs get the server's order unless they ask for another.
            let isGrouped = by == .room || by == nil && !isJSON
            return HouseLook(devices: devices, rooms: isGrouped ? rooms : HouseRooms([], rooms.units))
        }

        private func write(_ look: HouseLook, of session: HomeSession) throws {
            let silent = Dictionary(session.lastKnown.map { ($0.device.id, $0) }) { first, _ in first }
            let all = look.devices + session.silentDevices
            let groups: [ApplianceGroup]? =
                switch by {
                case .hub: nil
                case .type: ApplianceGroup.byType(all)
                case .room, nil: look.rooms.rooms.isEmpty ? nil : look.rooms.groups(all)
                }
            let devices = groups?.flatMap(\.devices) ?? all
            if json {
                return try JSONLine.write(
                    devices.lazy.map {
                        HomeDeviceLine($0, of: session, units: look.rooms.units, silent: silent[$0.id])
                    })
            }
            if devices.isEmpty {
                Console.note("\(session.hub.name) has no appliances yet; 'hubpair home add' adds one")
            }
            let table =
                devices.isEmpty
                ? [] : Table(devices, groups: groups, units: look.rooms.units, silent: silent).linesForOutput
            try Console.output(([SafeText.escaped(session.title)] + table).joined(separator: "\n"))
        }
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

        func run() async throws { try await home.use(run) }

        private func run(_ session: HomeSession) async throws {
            let device = try Selection(device).device(in: await session.devices())
            let units = try await session.rooms(isNeeded: false).units
            if json { return try JSONLine.write(HomeDeviceLine(device, of: session, units: units)) }
            let fields = Table.lines([
                "name": device.name, "type": device.type, "id": device.id, "hub": session.title,
            ])
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
