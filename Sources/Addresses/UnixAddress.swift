#if os(Linux) && !HUBPAIR_PORTABLE
import CGlibc
import Glibc

/// The address of a socket on this machine, as system calls take it (`sockaddr_un`, unix(7)): a path, or a
/// name in the abstract namespace.
///
/// Depending on how the standard library is linked, the structures belong to Glibc or CGlibc. So this file
/// imports both, and no declaration for other modules names a structure.
package struct UnixAddress: Sendable {
    /// The size of `sun_path`, in which a path ends with NUL.
    private static let room = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    /// What stands in `sun_path`: a path without its NUL; or NUL and a name.
    private let bytes: [UInt8]

    /// Nil if the path is too long.
    package init?(path: String) { self.init(bytes: Array(path.utf8)) }

    /// A name in the abstract namespace; nil if it is too long.
    package init?(abstract name: some Sequence<UInt8>) { self.init(bytes: [0] + name) }

    private init?(bytes: [UInt8]) {
        guard bytes.count < UnixAddress.room else { return nil }
        self.bytes = bytes
    }

    /// Connects a socket (connect(2)): 0 if somebody accepts; else an errno.
    package func connectError(of descriptor: Int32) -> Int32 {
        withPointer { connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    /// Sends a datagram (sendto(2)).
    ///
    /// - Returns: false if it could not be sent.
    package func send(_ message: [UInt8], from descriptor: Int32) -> Bool {
        let sent = withPointer {
            sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
        return sent == message.count
    }

    /// Calls `body` with the address in the form that connect(2) and sendto(2) take.
    private func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        var native = sockaddr_un()
        native.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &native.sun_path) { $0.copyBytes(from: bytes) }
        // A path ends with NUL; an abstract name has an explicit length.
        let end = bytes.count + (bytes.first == 0 ? 0 : 1)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size - UnixAddress.room + end)
        return withUnsafePointer(to: native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
#endif
