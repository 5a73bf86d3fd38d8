import Addresses
import CGlibc
import Glibc
import Identity

/// The service manager that started the process: systemd or another one with the same protocols. Each
/// function takes the value of the environment variable that it needs, and does nothing without it.
package struct ServiceManager: Sendable {
    /// A notification about the process (sd_notify(3)).
    package enum Notification: Equatable, Sendable {
        /// The hub serves.
        case ready
        /// The hub is about to end.
        case stopping
        /// The hub is alive; systemd kills it if this does not come in time.
        case alive
        /// What it does, one line for people.
        case status(String)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            case .status(let text): "STATUS=\(text)"
            }
        }
    }

    /// The value of `$NOTIFY_SOCKET`: a path or, after `@`, a name in the abstract namespace (unix(7)).
    private let socket: String?
    /// Within what time after the last `alive` the next one must come; nil if none is waited for.
    package let watchdogTime: Duration?

    /// - Parameters:
    ///   - environment: `NOTIFY_SOCKET`, and for the watchdog `WATCHDOG_USEC` in microseconds and
    ///     `WATCHDOG_PID`, the process that is meant, any if it is missing (sd_watchdog_enabled(3)).
    ///   - process: this process.
    package init(environment: [String: String], process: Int32 = getpid()) {
        socket = environment["NOTIFY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(process)" } ?? true
        // A year at most, so that no sum of it overflows.
        watchdogTime = environment["WATCHDOG_USEC"].flatMap { isMeant ? Int64(digits: $0) : nil }
            .flatMap { (1...31_536_000_000_000).contains($0) ? .microseconds($0) : nil }
    }

    /// True if somebody listens to what is told.
    package var listens: Bool { socket != nil }

    /// Sends a datagram with one `NAME=VALUE` line.
    ///
    /// - Returns: false if the line could not be sent.
    @discardableResult
    package func notify(_ notification: Notification) -> Bool {
        guard let socket, let first = socket.utf8.first else { return true }
        let address: UnixAddress? =
            switch first {
            case UInt8(ascii: "@"): UnixAddress(abstract: socket.utf8.dropFirst())
            case UInt8(ascii: "/"): UnixAddress(path: socket)
            default: nil
            }
        guard let address else { return false }

        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Names have no line breaks (PeerName), but errors may name a path that has.
        let message = Array(notification.line.utf8).map { $0 == 0x0A ? 0x20 : $0 }
        return address.send(message, from: descriptor)
    }

    /// True if `descriptor` is the journal's stream.
    ///
    /// - Parameter stream: the value of `$JOURNAL_STREAM`: the stream's device and inode, `DEVICE:INODE` in
    ///   decimal (systemd.exec(5)). The variable alone is not enough: every child inherits it, even with
    ///   other output.
    package static func isJournal(_ descriptor: Int32, stream: String?) -> Bool {
        guard let parts = stream?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(digits: parts[0]), let inode = UInt64(digits: parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }
}
