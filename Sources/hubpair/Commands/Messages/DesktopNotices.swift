import Addresses
import FoundationEssentials
import Glibc
import HubClient
import Identity

/// Notices on the desktop, by its own service (org.freedesktop.Notifications): through notify-send(1), or
/// gdbus(1) without it.
struct DesktopNotices {
    /// A person reads no more than so many at once; the others are in the list of messages.
    private static let maximumCount = 10
    private static let period = Duration.seconds(10)
    /// How long the service may take.
    private static let time = Duration.seconds(5)
    /// What is told again is shown again after this time.
    private static let repeatTime = Duration.seconds(600)

    private enum Program: String {
        case notifySend = "notify-send"
        case gdbus
    }

    private let program: Program
    private var shown: [ContinuousClock.Instant] = []
    /// When messages were shown last, by number; of those within ``repeatTime``.
    private var known: [Int64: ContinuousClock.Instant] = [:]
    private var hasFailed = false

    /// Throws if there is no desktop, or no program that can tell it.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        let runtime = environment["XDG_RUNTIME_DIR"].map { "\($0)/bus" }
        guard
            !(environment["DBUS_SESSION_BUS_ADDRESS"] ?? "").isEmpty
                || runtime.map({ access($0, F_OK) == 0 }) ?? false
        else { throw NoDesktop.noSession }
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        let programs: [Program] = [.notifySend, .gdbus]
        guard
            let program = programs.first(where: { program in
                folders.contains { access("\($0)/\(program.rawValue)", X_OK) == 0 }
            })
        else { throw NoDesktop.noProgram }
        self.program = program
    }

    /// Shows a message. That it could not be shown is said once.
    mutating func show(_ message: SharedMessage, isAgain: Bool, of hub: PeerName) async {
        let now = ContinuousClock.now
        known = known.filter { now - $1 < DesktopNotices.repeatTime }
        guard !isAgain || known[message.id] == nil else { return }
        shown.removeAll { now - $0 > DesktopNotices.period }
        guard shown.count < DesktopNotices.maximumCount else { return }
        shown.append(now)
        known[message.id] = now
        let child = ChildProcess(arguments(message, hub))
        guard await child?.wait(within: DesktopNotices.time) != true, !hasFailed else { return }
        hasFailed = true
        Console.note(
            "warning: the desktop does not show notices: \(program.rawValue) fails; "
                + "is a notification service running?")
    }

    private func arguments(_ message: SharedMessage, _ hub: PeerName) -> [String] {
        let level = ["alarm": 2, "alert": 1][message.kind] ?? 0
        let title = SafeText.escaped("\(hub): \(message.kind)")
        // The service reads the text as markup, and names of appliances are plain text.
        let text = SafeText.escaped(message.text).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
        switch program {
        case .notifySend:
            let urgency = ["low", "normal", "critical"][level]
            return [program.rawValue, "--app-name=hubpair", "--urgency=\(urgency)", "--", title, text]
        case .gdbus:
            return [
                program.rawValue, "call", "--session", "--dest=org.freedesktop.Notifications",
                "--object-path=/org/freedesktop/Notifications",
                "--method=org.freedesktop.Notifications.Notify", "--", "'hubpair'", "uint32 0", "''",
                DesktopNotices.variant(title), DesktopNotices.variant(text), "@as []",
                "{'urgency': <byte \(level)>}", "int32 -1",
            ]
        }
    }

    /// A string in GVariant's text format.
    private static func variant(_ text: String) -> String {
        "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}

/// Why nothing can be shown on the desktop.
private enum NoDesktop: UserError {
    case noSession
    case noProgram

    var description: String {
        switch self {
        case .noSession: "there is no desktop session here to show notices on"
        case .noProgram: "neither notify-send nor gdbus is installed, which tell the desktop"
        }
    }
    var hint: String? {
        switch self {
        case .noSession: "run it in the desktop's session, or leave out --notify"
        case .noProgram: "on Debian: sudo apt install libnotify-bin"
        }
    }
    var kind: UserErrorKind { .unavailable }
}
