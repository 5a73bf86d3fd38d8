import ArgumentParser
import FoundationEssentials
import Glibc
import HubClient
import HubService
import Identity

/// Where the hub's files are.
struct StateOption: ParsableArguments {
    @Option(
        name: .customLong("state"),
        help: ArgumentHelp("The hub's state directory; else $HUBPAIR_STATE.", valueName: "directory"),
        completion: .directory)
    var path: String?

    func validate() throws {
        guard path != "" else { throw ValidationError("--state takes a directory") }
    }

    var state: HubState {
        let environment = ProcessInfo.processInfo.environment
        return HubState(
            option: path, environment: environment, isRoot: geteuid() == 0, home: home(environment))
    }
}

/// Where this device's files are.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "This device's configuration directory; else $HUBPAIR_CONFIG.", valueName: "directory"),
        completion: .directory)
    var path: String?

    func validate() throws {
        guard path != "" else { throw ValidationError("--config takes a directory") }
    }

    var configuration: DeviceConfiguration {
        let environment = ProcessInfo.processInfo.environment
        return DeviceConfiguration(option: path, environment: environment, home: home(environment))
    }
}

extension ArgumentHelp {
    /// The help of `--json`. Each command declares that flag itself: as a group of options it costs a third
    /// of a millisecond at every start, in which the runtime searches all conformances of the program.
    static let json: ArgumentHelp = "Write one JSON object a line, for scripts."
}

/// The user's home: `$HOME`, else what the user database says.
private func home(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
}

/// A paired device or a hub on the command line.
extension PeerSelector: ExpressibleByArgument {
    /// Any text is accepted; whether it names a device or a hub shows later.
    public init?(argument: String) { self.init(argument) }
}
