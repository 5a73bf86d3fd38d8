import ArgumentParser

/// The root of the command line. Every command has its name in its configuration: without it ArgumentParser
/// asks the Swift runtime for the name of the type at every start, 2 to 3 ms for all commands.
struct Hubpair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hubpair",
        abstract: "Find the home hubs on the local network, and pair with them by a QR code.",
        discussion: """
            'This computer' is the one that runs hubpair; 'devices' are what a hub lets in, by a code or by \
            its owner; 'appliances' are what a hub controls.

            Exit codes: 0 done, 1 nothing found or declined, 64 usage, 65 bad data, 66 no such input, 69 no \
            answer, 73 cannot write, 75 try again, 77 not permitted or not approved, 78 bad configuration.

            EXAMPLES:
              hubpair list                      # which hubs are there?
              hubpair pair code.jpg             # with a photograph of the hub's code
              hubpair home set Lamp on
              hubpair doctor
            """,
        version: Version.text,
        groupedSubcommands: [
            CommandGroup(
                name: "On the hub",
                subcommands: [
                    SetupCommand.self, ServeCommand.self, PrintCommand.self, CodesCommand.self,
                    DevicesCommand.self, HubCommand.self,
                ]),
            CommandGroup(
                name: "On this computer",
                subcommands: [
                    ListCommand.self, ScanCommand.self, PairCommand.self, HubsCommand.self, CallCommand.self,
                    OpenCommand.self,
                ]),
            CommandGroup(name: "At home", subcommands: [HomeCommand.self, MessagesCommand.self]),
            CommandGroup(name: "On a server", subcommands: [RelayCommand.self]),
            CommandGroup(name: "Trouble", subcommands: [DoctorCommand.self, LogsCommand.self]),
        ]
    )
}
