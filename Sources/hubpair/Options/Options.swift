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

/// Where the device's files are.
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
    /// The words of `--json`. Each command declares that flag itself: as a group of options it would cost a third
    /// of a millisecond at every start, in which the runtime looks through all conformances of the program.
    static let json: ArgumentHelp = "Write one JSON object a line, for scripts."
}

/// The user's home: `$HOME`, else what the user database says.
private func home(_ environment: [String: String]) -> String {
    if let home = environment["HOME"], home.hasPrefix("/") { return home }
    return getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
}

/// A device or hub on the command line.
extension PeerSelector: ExpressibleByArgument {
    /// Any text is a selector; whether somebody bears it shows later.
    public init?(argument: String) { self.init(argument) }
}
