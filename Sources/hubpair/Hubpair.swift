import ArgumentParser

/// The root of the command line. Every command of it has its name in its configuration: making one from the name of a
/// type asks the Swift runtime for it at every start, 2 to 3 ms for the lot.
struct Hubpair: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hubpair",
        abstract: "Find the home hubs on the local network, and let a device in with a QR code.",
        discussion: """
            On the hub: setup, serve, print, devices. On a device: list, scan, pair, hubs, call, home. What is wrong: doctor.

            Exit codes: 0 done, 1 nothing found, 64 usage, 65 bad data, 66 no such input, 69 nobody answers, \
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
