import Glibc

/// Tells the service manager what the process is about (sd_notify(3)): a datagram of `NAME=VALUE` lines to the
/// socket in `$NOTIFY_SOCKET`, a path or, after `@`, a name in the abstract namespace (unix(7)).
package enum ServiceNotification: String, Sendable {
    /// The hub serves.
    case ready = "READY=1"
    /// The hub is about to end.
    case stopping = "STOPPING=1"

    /// Sends it to `socket`, the value of `$NOTIFY_SOCKET`; does nothing if that is nil or no such name.
    ///
    /// - Returns: false if it could not be sent.
    @discardableResult
    package func send(to socket: String?) -> Bool {
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
        let message = Array(rawValue.utf8)
        let sent = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
        return sent == message.count
    }
}
