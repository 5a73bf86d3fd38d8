import Addresses
import CGlibc
import Discovery
import FoundationEssentials
import Glibc

/// The D-Bus system bus and avahi-daemon on it. Without them hubpair speaks mDNS itself, so that
/// their absence is no problem.
enum CheckDaemon {
    private static let meanwhile = "hubpair speaks multicast DNS itself instead"

    static var bus: DiagnosisCheck {
        let path = socketPath(ProcessInfo.processInfo.environment["DBUS_SYSTEM_BUS_ADDRESS"])
        return DiagnosisCheck("dbus", tried: "connected to the D-Bus system bus") {
            guard let path else { return .skipped("its address is not a socket on this machine") }
            return busVerdict(path: path, errno: connectError(path))
        }
    }

    static var daemon: DiagnosisCheck {
        DiagnosisCheck("avahi-daemon", tried: "asked avahi-daemon to look for hubs", deadline: .seconds(6)) {
            let verdict = await Deadline(in: patience).runOrLeave { () async -> Finding.Verdict in
                do throws(DiscoveryError) {
                    var browser = HubBrowser(through: .daemon, follows: false, asksOnce: false)
                    browser.resolveDeadline = .milliseconds(200)
                    for try await _ in browser.sightings { break }
                    return .ok("it answers")
                } catch {
                    return daemonVerdict(error, isRunning: connectError(daemonSocket) == 0)
                }
            }
            return verdict
                ?? .problem(
                    "it hangs: it takes connections and does not answer; \(meanwhile)",
                    mend: DiscoveryError.daemonHangs.hint)
        }
    }

    /// An idle daemon answers within 10 ms, one on a machine with twenty busy processes within 300.
    private static let patience = Duration.seconds(4)

    /// The daemon's own socket, beside D-Bus: if it accepts a connection, the daemon runs.
    private static let daemonSocket = "/run/avahi-daemon/socket"

    static func busVerdict(path: String, errno code: Int32) -> Finding.Verdict {
        let words = "\(path): \(String(cString: strerror(code)))"
        return switch code {
        case 0: .ok("\(path) accepts connections")
        case EACCES, EPERM:
            .warning(
                "\(words); \(meanwhile)", mend: "let this user use it: ls -l \(path); or run as another user")
        case ENOENT:
            .warning(
                "there is no socket \(path); \(meanwhile)", mend: "sudo apt-get install dbus avahi-daemon")
        default: .warning("\(words); \(meanwhile)", mend: "sudo systemctl start dbus avahi-daemon")
        }
    }

    /// - Parameter isRunning: the daemon runs, whatever D-Bus says.
    static func daemonVerdict(_ error: DiscoveryError, isRunning: Bool) -> Finding.Verdict {
        switch error {
        case .noBus:
            .skipped("the bus does not let us in", mend: error.hint)
        case .noDaemon where isRunning:
            .warning(
                "it runs, but D-Bus keeps it from this user; \(meanwhile)",
                mend:
                    "see the policies in /etc/dbus-1/system.d and /usr/share/dbus-1/system.d/avahi-dbus.conf")
        case .noDaemon: .warning("it is not running; \(meanwhile)", mend: error.hint)
        case .daemonLost, .noClient, .refused:
            .warning("\(error); \(meanwhile)", mend: error.hint)
        default: .problem("\(error)", mend: error.hint)
        }
    }

    /// The path in `unix:path=/run/…[,…][;…]`; the system's own if nothing is set; nil for another transport.
    static func socketPath(_ address: String?) -> String? {
        guard let address, !address.isEmpty else { return "/run/dbus/system_bus_socket" }
        for one in address.split(separator: ";") where one.hasPrefix("unix:") {
            for pair in one.dropFirst("unix:".count).split(separator: ",") where pair.hasPrefix("path=") {
                return String(pair.dropFirst("path=".count))
            }
        }
        return nil
    }

    private static func connectError(_ path: String) -> Int32 {
        guard let address = UnixAddress(path: path) else { return ENAMETOOLONG }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        return address.connectError(of: descriptor)
    }
}
