import Addresses
import ArgumentParser
import FoundationEssentials
import Glibc
import HubClient
import HubService
import Identity
import Pairing

/// `hubpair open`: the hub's page, in a browser of this computer.
struct OpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show a hub's page in this computer's browser.",
        discussion: """
            On a computer that knows several hubs, the page shows all of their houses, and what is chosen \
            there is remembered; --hub shows one of them alone. The browser needs no certificate: what it \
            asks goes through this command, over the paired connections, with this computer's role. Its \
            part Hubs has the hubs that this computer knows and those on the network; a computer that is \
            not paired yet pairs there, by a picture, a camera or a typed code.

            On a machine with a hub of its own that knows no other one, it is that hub's page, for its \
            owner: the user who may change the hub's files, mostly root. --state says so.

            The address works once, in one browser, for programs of this user alone. The command ends with \
            Ctrl-C, or when nobody has looked at the page for 10 minutes.

            EXAMPLES:
              hubpair open
              hubpair open --hub Garden
              sudo hubpair open                       # on the hub
              hubpair open --port 8010                # for 'ssh -L'
            """
    )

    @Option(name: .customLong("hub"), help: .chosenHub)
    var hubs: [PeerSelector] = []
    var hub: PeerSelector? { hubs.first }

    @Option(
        help: ArgumentHelp("The port on 127.0.0.1. (default: one that is free)", valueName: "port"))
    var port: UInt16?

    @OptionGroup var state: StateOption
    @OptionGroup var configuration: ConfigurationOption

    func validate() throws {
        try hubs.checkIsOne()
        guard state.path == nil || hub == nil && configuration.path == nil else {
            throw ValidationError(
                "--state is for the hub of this machine, --hub and --config are for others. Leave out one")
        }
    }

    func run() async throws {
        guard try isOnOwnHub else {
            return try await run(
                OpenPage(
                    configuration: configuration.configuration, selector: hub, port: Int(port ?? 0)))
        }
        let visit = try VisitHub(state: state.state)
        do {
            try await run(
                OpenPage(
                    name: visit.hub.settings.name,
                    at: visit.addresses.map { HubAddress($0, port: visit.hub.settings.port) },
                    pin: visit.hub.pin, as: visit.identity, port: Int(port ?? 0)))
        } catch {
            try? visit.end()
            throw error
        }
        try visit.end()
    }

    /// True if the page is to be this machine's own hub's: it is named, or there is no other.
    private var isOnOwnHub: Bool {
        get throws {
            if state.path != nil { return true }
            guard hub == nil, configuration.path == nil,
                access(state.state.path + "/" + HubState.keyFileName, R_OK | W_OK) == 0
            else { return false }
            let known = try configuration.configuration.knownHubs()
            return known.hubs.isEmpty && known.added.isEmpty
        }
    }

    private func run(_ open: OpenPage) async throws {
        let environment = ProcessInfo.processInfo.environment
        let signals = StopSignals()
        let stream = signals.stream
        defer { withExtendedLifetime(signals) {} }
        let name = open.name
        do {
            let isIdle = try await first(
                of: {
                    try await open.run(environment: environment) { address in
                        try OpenCommand.tell(address, of: open, environment)
                    }
                    return true
                },
                or: {
                    for await _ in stream { break }
                    return false
                })
            if isIdle { Console.note("nobody has looked at the page for 10 minutes: it is closed") }
        } catch {
            guard let name else { throw error }
            throw HubFailure.named(error, hub: name)
        }
    }

    private static func tell(
        _ address: String, of open: OpenPage, _ environment: [String: String]
    ) throws {
        try Console.output(address)
        if open.name == nil, !open.isOfAll {
            Console.note("this computer is not paired with a hub yet: the page pairs it")
        }
        let title =
            open.isOfAll ? "the page of all hubs" : open.name.map { "the page of \($0)" } ?? "the page"
        if hasDisplay(environment), Desktop.open(address) {
            return Console.note("opened \(title) in the browser; Ctrl-C ends it")
        }
        Console.note("open this address in a browser of this computer; it works once, and Ctrl-C ends it")
        guard environment["SSH_CONNECTION"] != nil else { return }
        let port = address.drop { $0 != ":" }.dropFirst().drop { $0 != ":" }.dropFirst().prefix { $0 != "/" }
        Console.note("hint: where the browser is: ssh -L \(port):127.0.0.1:\(port) and this computer's name")
    }

    /// True if a browser on this computer has a screen to appear on. Under sudo it would be root's browser,
    /// on another user's screen: that user opens the address, and is let in.
    private static func hasDisplay(_ environment: [String: String]) -> Bool {
        let names = ["DISPLAY", "WAYLAND_DISPLAY"]
        return names.contains { !(environment[$0] ?? "").isEmpty } && environment["SUDO_UID"] == nil
    }
}

/// The desktop's way to open an address with the program that its user has chosen.
enum Desktop {
    /// Starts xdg-open(1), without waiting for the browser.
    ///
    /// - Returns: false if there is no such program.
    static func open(_ address: String) -> Bool { ChildProcess(["xdg-open", address]) != nil }
}
