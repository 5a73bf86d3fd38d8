import ArgumentParser
import FoundationEssentials
import Glibc
import HubClient
import HubService
import Identity
import Pairing

/// Where the hub's files are.
struct StateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp(
            "The hub's state directory. (default: $HUBPAIR_STATE, else /var/lib/hubpair for root, "
                + "$XDG_STATE_HOME/hubpair or ~/.local/state/hubpair for others)", valueName: "directory"),
        completion: .directory)
    var path: String?

    func validate() throws {
        guard path != "" else { throw ValidationError("--state takes a directory") }
    }

    var state: HubState { StateOption.state(at: path) }

    /// The state of this machine's hub.
    ///
    /// - Parameter path: what `--state` says.
    static func state(at path: String?) -> HubState {
        let environment = Startup.environment
        return HubState(
            option: path, environment: environment, isRoot: geteuid() == 0, home: userHome(environment),
            command: StateOption.command(CommandLine.arguments.dropFirst()))
    }

    /// The command with these arguments, without `--state`, as a person would type it again.
    static func command(_ arguments: some Sequence<String>) -> String {
        // Not by `joined`, which searches all conformances of the program, at every start.
        var command = "hubpair"
        var isValue = false
        for argument in arguments {
            if isValue || argument == "--state" || argument.hasPrefix("--state=") {
                isValue = !isValue && argument == "--state"
            } else {
                command += " " + shellWord(argument, plain: "=:,")
            }
        }
        return command
    }
}

/// Where this computer's files are.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "This computer's configuration directory. (default: $HUBPAIR_CONFIG, else "
                + "$XDG_CONFIG_HOME/hubpair or ~/.config/hubpair)", valueName: "directory"),
        completion: .directory)
    var path: String?

    func validate() throws {
        guard path != "" else { throw ValidationError("--config takes a directory") }
    }

    var configuration: DeviceConfiguration { ConfigurationOption.configuration(at: path) }

    /// This computer's configuration.
    ///
    /// - Parameter path: what `--config` says.
    static func configuration(at path: String?) -> DeviceConfiguration {
        var configuration = DeviceConfiguration(option: path, environment: Startup.environment)
        configuration.tell = { Console.note($0) }
        return configuration
    }
}

extension ArgumentHelp {
    /// The help of `--json`. Each command declares that flag itself: as a group of options it costs a third
    /// of a millisecond at every start, in which the runtime searches all conformances of the program.
    static let json: ArgumentHelp = "Write one JSON object a line, for scripts."
}

/// What a device may do, on the command line. `Role` itself is part of a public library, and knows no command
/// line.
struct RoleChoice: ExpressibleByArgument {
    let role: Role

    init?(argument: String) {
        guard let role = Role(rawValue: argument.lowercased()) else { return nil }
        self.role = role
    }

    /// For help and errors.
    static var allValueStrings: [String] { Role.allCases.map(\.rawValue) }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension Role {
    /// `an owner`, `a guest`.
    var words: String { self == .owner ? "an owner" : "a \(rawValue)" }
}

extension [PeerSelector] {
    /// Refuses a second `--hub`, where the last one would count silently.
    func checkIsOne() throws {
        guard count > 1 else { return }
        throw ValidationError("this is done on one hub, and \(count) are named. Leave one --hub")
    }
}

/// A paired device or a hub on the command line.
extension PeerSelector: ExpressibleByArgument {
    /// Any text is accepted; whether it names a device or a hub shows later.
    public init?(argument: String) { self.init(argument) }
}

/// A code or a sheet of codes on the command line.
extension CodeSelector: ExpressibleByArgument {
    /// Any text is accepted; whether it names a code shows later.
    public init?(argument: String) { self.init(argument) }
}
