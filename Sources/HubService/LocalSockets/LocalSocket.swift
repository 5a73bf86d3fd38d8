import Glibc
import Identity
import NIOCore
import Pairing

/// A socket between the gate and the house.
///
/// The threat is another user of this machine: nobody else can reach into the socket's folder, and each side
/// checks who is at the other end. The folder is opened once, and the socket found below it: no name on the
/// way can be exchanged meanwhile, and its path may be longer than the 107 bytes that a socket's may have.
package enum LocalSocket {
    /// Where the gate listens for the house.
    package static let gate = "gate.socket"
    /// Where the house listens for the gate.
    package static let house = "house.socket"

    private static let backlog: Int32 = 128

    /// Who may be at the other end.
    struct Peers: Equatable, Sendable {
        /// Of the folder.
        var user: uid_t
        var group: gid_t
        /// True if the gate and the house are two users: the folder is the one's, and its group the other's.
        var isShared: Bool

        /// - Parameter me: the user of this process, whose own processes and root's are admitted.
        func admit(user: uid_t, group: gid_t, me: uid_t = geteuid()) -> Bool {
            if user == me || user == 0 { return true }
            return isShared && (user == self.user || group == self.group)
        }
    }

    /// The folder, open; to be closed by the caller.
    static func open(_ directory: String) throws(FileError) -> (folder: Int32, peers: Peers) {
        let folder = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno, operation: "open", path: directory) }
        var status = stat()
        guard fstat(folder, &status) == 0 else {
            let code = errno
            close(folder)
            throw .system(code, operation: "look at", path: directory)
        }
        guard status.st_mode & 0o007 == 0 else {
            close(folder)
            throw .tooOpen(mode: status.st_mode & 0o777, allowed: 0o770, path: directory)
        }
        return (
            folder,
            Peers(user: status.st_uid, group: status.st_gid, isShared: status.st_mode & 0o070 == 0o070)
        )
    }

    /// The path of the socket below the open directory.
    static func path(of name: String, in folder: Int32) -> String { "/proc/self/fd/\(folder)/\(name)" }

    /// Listens; a socket of a process that has ended makes way, and one at which somebody listens does not: a
    /// second 'hubpair serve' must not take the first one's house away.
    ///
    /// - Returns: the descriptor, which is the caller's, and who may connect.
    static func listen(_ name: String, in directory: String) throws(FileError) -> (Int32, Peers) {
        let (folder, peers) = try open(directory)
        defer { close(folder) }
        var status = stat()
        if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFSOCK {
            guard !isServed(name, in: folder) else {
                throw .system(EADDRINUSE, operation: "listen on", path: "\(directory)/\(name)")
            }
            guard unlinkat(folder, name, 0) == 0 else {
                throw .system(errno, operation: "remove", path: "\(directory)/\(name)")
            }
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, kind, 0)
        guard listener >= 0 else { throw .system(errno, operation: "open", path: "\(directory)/\(name)") }
        let bound = withAddress(of: name, in: folder) { bind(listener, $0, $1) }
        // In a shared folder the other user connects; nobody else gets there.
        guard bound == 0, fchmodat(folder, name, peers.isShared ? 0o666 : 0o600, 0) == 0,
            Glibc.listen(listener, backlog) == 0
        else {
            let code = errno
            close(listener)
            throw .system(code, operation: "listen on", path: "\(directory)/\(name)")
        }
        return (listener, peers)
    }

    /// The process that listens at the socket; nil if none does, or that is not to be known.
    package static func server(of name: String, in directory: String) -> Int32? {
        guard let (folder, _) = try? open(directory) else { return nil }
        defer { close(folder) }
        let caller = LocalSocket.caller()
        guard caller >= 0 else { return nil }
        defer { close(caller) }
        var peer = Credentials()
        var size = socklen_t(MemoryLayout<Credentials>.size)
        guard withAddress(of: name, in: folder, { connect(caller, $0, $1) }) == 0,
            getsockopt(caller, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.process > 0
        else { return nil }
        return peer.process
    }

    /// True if a process listens at the socket.
    private static func isServed(_ name: String, in folder: Int32) -> Bool {
        let caller = LocalSocket.caller()
        guard caller >= 0 else { return false }
        defer { close(caller) }
        // EAGAIN: its queue is full (unix(7)).
        return withAddress(of: name, in: folder) { connect(caller, $0, $1) } == 0 || errno == EAGAIN
    }

    /// A socket that waits for nobody.
    private static func caller() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }

    private static func withAddress(
        of name: String, in folder: Int32, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path(of: name, in: folder).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Fails unless one of `peers` is at the other end (`SO_PEERCRED` in unix(7)).
    static func checkPeer(of channel: any Channel, _ peers: Peers) -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let option: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED))
        return option.flatMapThrowing { peer in
            guard peers.admit(user: peer.user, group: peer.group) else {
                throw ChannelError.operationUnsupported
            }
        }
    }

    /// struct ucred.
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }
}
