import Glibc

/// The service that the Debian package installs, and that `setup` starts: after `apt install` and
/// `sudo hubpair setup` the hub serves.
package enum SystemService {
    /// The directory that the unit serves.
    private static let path = "/var/lib/hubpair"
    private static let unit = "hubpair.service"
    /// It has its settings of the gate, and reads them when it begins.
    private static let houseUnit = "hubpair-house.service"

    package enum Outcome: Equatable, Sendable {
        /// It is not for this command to start: there is no systemd, no unit that starts on boot, the hub is
        /// in another directory, or the command is not root's.
        case notOurs
        case runs
        case failed
    }

    /// Starts the service, if its owner wants it to run, and returns when it serves or has failed.
    package static func start(for state: HubState) -> Outcome { run("start", state) }

    /// True if it is this command's to start, and has ended with a fault: mended settings deserve a start.
    package static func hasFailed(for state: HubState) -> Bool { isOurs(state) && systemctl("is-failed") }

    /// Restarts it, with changed settings, if it runs.
    package static func restart(for state: HubState) -> Outcome { run("try-restart", state) }

    private static func run(_ verb: String, _ state: HubState) -> Outcome {
        guard isOurs(state) else { return .notOurs }
        // systemd has counted the starts, and would refuse one more for a while.
        _ = systemctl("reset-failed")
        return systemctl(verb) && systemctl("is-active") && (verb == "start" || systemctl(verb, houseUnit))
            ? .runs : .failed
    }

    /// sd_booted(3): systemd is the first process. If the unit is disabled, something else starts the hub.
    private static func isOurs(_ state: HubState) -> Bool {
        geteuid() == 0 && state.path == path && access("/run/systemd/system", F_OK) == 0
            && systemctl("is-enabled")
    }

    /// Runs systemctl(1) without output; true if it ends with 0.
    private static func systemctl(_ verb: String, _ unit: String = unit) -> Bool {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let words = ["systemctl", "--quiet", verb, unit]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        // By its own path: root's $PATH may hold a directory of somebody else's.
        guard posix_spawn(&child, "/usr/bin/systemctl", &actions, nil, &arguments, environ) == 0 else {
            return false
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 { guard errno == EINTR else { return false } }
        return status == 0
    }
}
