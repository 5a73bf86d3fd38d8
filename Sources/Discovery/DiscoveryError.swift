import CAvahi
import Glibc
public import Identity

/// Why a browse ended. The description is what the user reads.
public enum DiscoveryError: Hashable, UserError {
    /// There is no D-Bus system bus to reach the avahi-daemon through.
    case noBus
    /// The bus is there, but no avahi-daemon answers on it: none runs, or the bus's policy hides it.
    case noDaemon
    /// libavahi-client, through which the daemon is asked, cannot be loaded: why not.
    case noClient(String)
    /// The bus or the avahi-daemon does not permit this program what it needs, with avahi's code (negative)
    /// and text.
    case refused(code: Int32, text: String)
    /// The avahi-daemon or the bus went away in the middle.
    case daemonLost
    /// Another error of avahi, with its code (negative) and text.
    case avahi(code: Int32, text: String)
    /// An error of avahi's stack in this process, which takes the place of a missing daemon.
    case embedded(code: Int32, text: String)
    /// avahi's stack cannot be loaded into this process: why not.
    case noEmbeddedStack(String)
    /// A system call failed, with its errno.
    case system(call: String, errno: Int32)
    /// Another program has this UDP port.
    case portInUse(UInt16)
    /// Sightings came faster than they were read: more than ``HubBrowser/maximumUnread`` waited.
    case overrun

    static func avahi(_ code: Int32) -> DiscoveryError {
        switch code {
        case AvahiCode.accessDenied, AvahiCode.notPermitted, AvahiCode.notSupported:
            .refused(code: code, text: avahiText(code))
        default: .avahi(code: code, text: avahiText(code))
        }
    }

    /// True if there is no avahi-daemon that this program may use, so that ``HubBrowser/Stack/embedded`` is
    /// needed.
    public var isWithoutDaemon: Bool {
        switch self {
        case .noBus, .noDaemon, .noClient, .refused: true
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
        case .daemonLost: "avahi-daemon went away"
        case .avahi(let code, let text): "avahi: \(text) (\(code))"
        case .embedded(let code, let text): "mDNS without avahi-daemon: \(text) (\(code))"
        case .noEmbeddedStack(let reason): "no mDNS without avahi-daemon: \(reason)"
        case .system(let call, let errno): "\(call): \(String(cString: strerror(errno)))"
        case .portInUse(let port): "UDP port \(port) is in use by another program"
        case .overrun: "more is announced on this network than this program can read"
        }
    }

    /// What a program does with it; the command's exit code follows from it.
    public var kind: UserErrorKind { .unavailable }

    /// How to mend it.
    public var hint: String? {
        switch self {
        case .noBus: "start it: sudo systemctl start dbus avahi-daemon"
        case .noDaemon: "start it: sudo systemctl start avahi-daemon"
        case .noClient: "install it: sudo apt-get install libavahi-client3"
        case .refused:
            "let this user use it: see the policies in /etc/dbus-1/system.d, and /etc/avahi/avahi-daemon.conf"
        case .daemonLost: "start it again: sudo systemctl restart avahi-daemon"
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

/// What avahi calls an error code: lower case is ours.
func avahiText(_ code: Int32) -> String {
    guard let text = avahi_strerror(code) else { return "unknown error" }
    return String(cString: text).lowercased()
}

extension DiscoveryError {
    /// Why there is no client.
    static func withoutClient(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.noDaemon || code == AvahiCode.dbusError ? .noBus : .avahi(code)
    }

    /// What a client's error says of the daemon.
    static func daemon(_ code: Int32) -> DiscoveryError {
        code == AvahiCode.disconnected || code == AvahiCode.noDaemon ? .daemonLost : .avahi(code)
    }
}
