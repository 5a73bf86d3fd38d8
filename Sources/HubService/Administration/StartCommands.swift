import Glibc
import Pairing

/// How a hub is started on this machine, as commands to paste.
package struct StartCommands: Equatable, Sendable {
    /// Where systemd looks for units (systemd.unit(5)).
    package static let unitDirectories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    /// Starts it, with systemd also whenever the machine starts.
    package let start: String
    /// Ends it and starts it again.
    package let restart: String
    /// True if it is a service of systemd.
    package let isService: Bool

    /// - Parameters:
    ///   - user: who runs the commands, and started this one perhaps by sudo.
    ///   - directories: where units are.
    package init(
        _ state: HubState, user: UInt32 = geteuid(), isSudo: Bool = getenv("SUDO_UID") != nil,
        directories: [String] = unitDirectories
    ) {
        // The unit serves this directory and no other.
        isService =
            state.path == HubOwner.machinePath
            && StartCommands.hasUnit("hubpair", in: directories)
        let sudo = user != 0 || isSudo ? "sudo " : ""
        if isService {
            start = "\(sudo)systemctl enable --now hubpair"
            restart = "\(sudo)systemctl restart hubpair"
        } else {
            let serve = "hubpair serve" + state.argument
            start = isSudo ? sudo + serve : serve
            restart = start
        }
    }

    /// True if systemd has a service of this name here.
    package static func hasUnit(_ name: String) -> Bool { hasUnit(name, in: unitDirectories) }

    private static func hasUnit(_ name: String, in directories: [String]) -> Bool {
        directories.contains { access("\($0)/\(name).service", F_OK) == 0 }
    }
}
