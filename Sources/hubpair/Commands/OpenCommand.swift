import ArgumentParser
import FoundationEssentials
import Glibc
import HubClient
import Identity
import Pairing

/// `hubpair open`: the hub's page, in a browser of this computer.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show a hub's page in this computer's browser.",
        discussion: """
            The hub is the default one, unless --hub names another. The browser needs no certificate: what \
            it asks goes through this command, over the paired connection, with this computer's role. The \
            address works once, in one browser, for programs of this user alone. The command ends with \
            Ctrl-C, or when nobody has looked at the page for 10 minutes.

            EXAMPLES:
              hubpair open
              hubpair open --hub Garden
              hubpair open --no-browser --port 8010   # for 'ssh -L'
            """
    )

    @Option(help: .chosenHub)
    var hub: PeerSelector?

    @Option(
        help: ArgumentHelp("The port on 127.0.0.1. (default: one that is free)", valueName: "port"))
    var port: UInt16?

    @Flag(name: .customLong("no-browser"), help: "Only write the address; open it yourself.")
    var isQuiet = false

    @OptionGroup var configuration: ConfigurationOption

    func run() async throws {
        let open = try OpenPage(
            configuration: configuration.configuration, selector: hub, port: Int(port ?? 0))
        let environment = ProcessInfo.processInfo.environment
        let signals = StopSignals()
        let stream = signals.stream
        let (isQuiet, name) = (isQuiet, open.hub.name)
        do {
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await open.run(environment: environment) { address in
                        try OpenCommand.tell(address, of: name, environment, isQuiet: isQuiet)
                    }
                    return true
                }
                group.addTask {
                    for await _ in stream { break }
                    return false
                }
                let isIdle = try await group.next() ?? false
                group.cancelAll()
                if isIdle { Console.note("nobody has looked at the page for 10 minutes: it is closed") }
            }
        } catch {
            throw HubFailure.named(error, hub: name)
        }
        withExtendedLifetime(signals) {}
    }

    private static func tell(
        _ address: String, of hub: PeerName, _ environment: [String: String], isQuiet: Bool
    ) throws {
        try Console.output(address)
        if !isQuiet, hasDisplay(environment), Desktop.open(address) {
            return Console.note("opened the page of \(hub) in the browser; Ctrl-C ends it")
        }
        Console.note("open this address in a browser of this computer; it works once, and Ctrl-C ends it")
        guard environment["SSH_CONNECTION"] != nil else { return }
        let port = address.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst().prefix { $0 != "/" }
        Console.note("hint: where the browser is: ssh -L \(port):127.0.0.1:\(port) and this computer's name")
    }

    /// True if a browser on this computer has a screen to appear on.
    private static func hasDisplay(_ environment: [String: String]) -> Bool {
        let names = ["DISPLAY", "WAYLAND_DISPLAY"]
        return names.contains { !(environment[$0] ?? "").isEmpty }
    }
}

/// The desktop's way to open an address with the program that its user has chosen.
enum Desktop {
    /// Starts xdg-open(1), without waiting for the browser.
    ///
    /// - Returns: false if there is no such program.
    static func open(_ address: String) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] =
            ["xdg-open", address].map { (text: String) in strdup(text) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        return posix_spawnp(&child, "xdg-open", &actions, nil, &arguments, environ) == 0
    }
}
