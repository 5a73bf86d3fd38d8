import Glibc
import Identity
import NIOCore
import Pairing

/// A socket in the hub directory, between the gate and the house.
///
/// The threat is another user of this machine: the directory is its owner's alone (`HubState.open` refuses
/// another), and each side checks who is at the other end. The directory is opened once, and the socket found
/// below it: no name on the way can be exchanged meanwhile, and its path may be longer than the 107 bytes
/// that a socket's may have.
package enum LocalSocket {
    /// Where the gate listens for the house.
    package static let gate = "gate.socket"
    /// Where the house listens for the gate.
    package static let house = "house.socket"

    private static let backlog: Int32 = 128

    /// The directory, open; to be closed by the caller.
    static func open(_ directory: String) throws(FileError) -> Int32 {
        let folder = Glibc.open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno, operation: "open", path: directory) }
        return folder
    }

    /// The path of the socket below the open directory.
    static func path(of name: String, in folder: Int32) -> String { "/proc/self/fd/\(folder)/\(name)" }

    /// Listens; a socket of a process that has ended makes way.
    ///
    /// - Returns: the descriptor, which is the caller's.
    static func listen(_ name: String, in directory: String) throws(FileError) -> Int32 {
        let folder = try open(directory)
        defer { close(folder) }
        var status = stat()
        if fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFSOCK {
            unlinkat(folder, name, 0)
        }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_UNIX, kind, 0)
        guard listener >= 0 else { throw .system(errno, operation: "open", path: "\(directory)/\(name)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path(of: name, in: folder).utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, fchmodat(folder, name, 0o600, 0) == 0, Glibc.listen(listener, backlog) == 0 else {
            let code = errno
            close(listener)
            throw .system(code, operation: "listen on", path: "\(directory)/\(name)")
        }
        return listener
    }

    /// Fails unless this process's own user is at the other end (`SO_PEERCRED` in unix(7)).
    static func checkPeer(of channel: any Channel) -> EventLoopFuture<Void> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
        }
        let option: EventLoopFuture<Credentials> = provider.unsafeGetSocketOption(
            level: .init(rawValue: SOL_SOCKET), name: .init(rawValue: SO_PEERCRED))
        return option.flatMapThrowing { peer in
            guard peer.user == geteuid() else { throw ChannelError.operationUnsupported }
        }
    }

    /// struct ucred.
    private struct Credentials: Sendable {
        var process: Int32 = 0
        var user: UInt32 = 0
        var group: UInt32 = 0
    }
}
