import CAvahi
import Glibc
public import Identity

/// Why a search, an announcement or a UDP responder ended or could not start. The description is shown to the
/// user.
public enum DiscoveryError: Hashable, UserError {
    /// The D-Bus system bus cannot be reached; avahi-daemon is only reachable through it.
    case noBus
    /// The D-Bus system bus is running, but no avahi-daemon answers on it: none runs, or the bus policy hides
    /// it.
    case noDaemon
    /// libavahi-client, the library that talks to avahi-daemon, cannot be loaded; the string is the reason
    /// given by dlopen(3).
    case noClient(String)
    /// The bus policy or avahi-daemon denies this program what it needs; `code` is avahi's error code
    /// (negative), `text` its meaning.
    case refused(code: Int32, text: String)
    /// avahi-daemon runs, and does not answer.
    case daemonHangs
    /// The connection to avahi-daemon or to the bus was lost after it had been established.
    case daemonLost
    /// Any other error from avahi-daemon or its client library; `code` is avahi's error code (negative),
    /// `text` its meaning.
    case avahi(code: Int32, text: String)
    /// An error of the embedded stack (avahi's mDNS stack in this process, used without a daemon); `code` is
    /// negative.
    case embedded(code: Int32, text: String)
    /// The embedded stack (libavahi-core) cannot be loaded into this process; the string is the reason.
    case noEmbeddedStack(String)
    /// The system call `call` failed with `errno`.
    case system(call: String, errno: Int32)
    /// Another program is bound to this UDP port.
    case portInUse(UInt16)
    /// Results arrived faster than the caller read them: more than ``HubBrowser/maximumUnread`` were waiting.
    case overrun

    static func avahi(_ code: Int32) -> DiscoveryError {
        switch code {
        case AvahiCode.accessDenied, AvahiCode.notPermitted, AvahiCode.notSupported:
            .refused(code: code, text: avahiText(code))
        default: .avahi(code: code, text: avahiText(code))
        }
    }

    /// True if this program cannot use an avahi-daemon, so that ``HubBrowser/Stack/embedded`` is needed.
    public var isWithoutDaemon: Bool {
        switch self {
        case .noBus, .noDaemon, .noClient, .refused, .daemonHangs: true
        default: false
        }
    }

    /// What is wrong, in lower case, without a full stop.
    public var description: String {
        switch self {
        case .noBus: "cannot reach the D-Bus system bus, and avahi-daemon only through it"
        case .noDaemon: "no avahi-daemon answers on D-Bus"
        case .noClient(let reason): "avahi-daemon cannot be asked: \(reason)"
        case .refused(let code, let text): "avahi-daemon may not be used: \(text) (\(code))"
        case .daemonHangs: "avahi-daemon does not answer"
        case .daemonLost: "avahi-daemon went away"
        case .avahi(let code, let text): "avahi: \(text) (\(code))"
        case .embedded(let code, let text): "mDNS without avahi-daemon: \(text) (\(code))"
        case .noEmbeddedStack(let reason): "no mDNS without avahi-daemon: \(reason)"
        case .system(let call, let errno): "\(call): \(String(cString: strerror(errno)))"
        case .portInUse(let port): "UDP port \(port) is in use by another program"
        case .overrun: "more is announced on this network than this program can read"
        }
    }

    /// How a program should react; the command's exit code is derived from it.
    public var kind: UserErrorKind { .unavailable }

    /// How to fix it; nil if there is no advice.
    public var hint: String? {
        switch self {
        case .noBus: "start it: sudo systemctl start dbus avahi-daemon"
        case .noDaemon: "start it: sudo systemctl start avahi-daemon"
        case .noClient: "install it: sudo apt-get install libavahi-client3"
        case .refused:
            "let this user use it: see the policies in /etc/dbus-1/system.d, and /etc/avahi/avahi-daemon.conf"
        case .daemonLost, .daemonHangs: "start it again: sudo systemctl restart avahi-daemon"
        case .avahi: "see what the daemon says: journalctl -u avahi-daemon"
        case .embedded:
            "install and start avahi-daemon, or see what else has UDP port 5353: ss -ulpn 'sport = :5353'"
        case .noEmbeddedStack: "apt-get install avahi-daemon or libavahi-core7"
        case .system: nil
        case .portInUse(let port): "see which: ss -ulpn 'sport = :\(port)'"
        case .overrun: "find the host that announces so many services: avahi-browse -art"
        }
    }
}

/// avahi's text for an error code, converted to lower case.
func avahiText(_ code: Int32) -> String {
    guard let text = avahi_strerror(code) else { return "unknown error" }
    return String(cString: text).lowercased()
}

extension DiscoveryError {
    /// The error for a failed `avahi_client_new`.
    static func withoutClient(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.noDaemon || code == AvahiCode.dbusError ? .noBus : .avahi(code)
    }

    /// The error for a failure that an existing client reports.
    static func daemon(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.disconnected || code == AvahiCode.noDaemon ? .daemonLost : .avahi(code)
    }
}
