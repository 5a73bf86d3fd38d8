import ArgumentParser

/// The root of the command line. Every command has its name in its configuration: without it ArgumentParser
/// asks the Swift runtime for the name of the type at every start, 2 to 3 ms for all commands.
struct Hubpair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hubpair",
        abstract: "Find the home hubs on the local network, and pair with them by a QR code.",
        discussion: """
            On the hub: setup, serve, print, devices. On a device that pairs with it: list, scan, pair, \
            hubs, call, home. On both: doctor.

            'This device' is the one that runs hubpair; 'paired devices' are those that a hub lets in; \
            'appliances' are what a hub controls.

            Exit codes: 0 done, 1 nothing found, 64 usage, 65 bad data, 66 no such input, 69 no answer, \
            73 cannot write, 75 try again, 77 not permitted or not approved, 78 bad configuration.
            """,
        version: "0.1.0",
        subcommands: [
            SetupCommand.self, ServeCommand.self, PrintCommand.self, DevicesCommand.self, ListCommand.self,
            ScanCommand.self, PairCommand.self, HubsCommand.self, CallCommand.self,
            HomeCommand.self, DoctorCommand.self,
        ]
    )
}
