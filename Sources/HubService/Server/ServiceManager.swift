import Glibc
import Identity

/// The service manager that started the process: systemd, or another one that speaks its protocols. Each
/// function gets the environment variable it needs, and does nothing without it.
package enum ServiceManager {
    /// What it is told of the process (sd_notify(3)).
    package enum Notification: String, Sendable {
        /// The hub serves.
        case ready = "READY=1"
        /// The hub is about to end.
        case stopping = "STOPPING=1"
    }

    /// Sends a datagram with one `NAME=VALUE` line (sd_notify(3)).
    ///
    /// - Parameter socket: the value of `$NOTIFY_SOCKET`, a path or, after `@`, a name in the abstract
    ///   namespace (unix(7)). Nothing is sent if it is nil or empty.
    /// - Returns: false if the line could not be sent.
    @discardableResult
    package static func notify(_ notification: Notification, socket: String?) -> Bool {
        guard let socket, let first = socket.utf8.first else { return true }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isAbstract = first == UInt8(ascii: "@")
        var name = Array(socket.utf8)
        if isAbstract { name[0] = 0 }
        let room = MemoryLayout.size(ofValue: address.sun_path)
        // A path ends with NUL, an abstract name with its length.
        guard isAbstract || first == UInt8(ascii: "/"), name.count < room else { return false }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(
            MemoryLayout<sockaddr_un>.size - room + name.count + (isAbstract ? 0 : 1))

        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let message = Array(notification.rawValue.utf8)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == message.count
    }

    /// True if `descriptor` is the journal's stream.
    ///
    /// - Parameter stream: the value of `$JOURNAL_STREAM`: the stream's device and inode, `DEVICE:INODE` in
    ///   decimal (systemd.exec(5)). The variable alone is no proof: every child inherits it, also one with
    ///   other output.
    package static func isJournal(_ descriptor: Int32, stream: String?) -> Bool {
        guard let parts = stream?.split(separator: ":", omittingEmptySubsequences: false), parts.count == 2,
            let device = UInt64(digits: parts[0]), let inode = UInt64(digits: parts[1])
        else { return false }
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }
}
