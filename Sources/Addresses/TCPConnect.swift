#if os(Linux) && !HUBPAIR_PORTABLE
import CGlibc
import Glibc

/// Tries to open a TCP connection, and closes it.
package enum TCPConnect {
    /// 0 if somebody accepts; else an errno. It blocks, for `milliseconds` at most.
    package static func errno(to address: NetworkAddress, port: UInt16, milliseconds: Int32 = 500) -> Int32 {
        var code: Int32 = 0
        connect(to: address, port: port, milliseconds: milliseconds, failed: { code = $0 }) { _ in }
        return code
    }

    /// Calls `body` with the descriptor of a connection, which does not block; nil if there is none; then
    /// `failed` gets the errno.
    @discardableResult
    package static func connect<Value>(
        to address: NetworkAddress, port: UInt16, milliseconds: Int32, failed: (Int32) -> Void = { _ in },
        _ body: (Int32) -> Value?
    ) -> Value? {
        let descriptor = socket(
            address.family == .ipv4 ? AF_INET : AF_INET6,
            Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else {
            failed(Glibc.errno)
            return nil
        }
        defer { close(descriptor) }
        let code = finish(descriptor, to: address, port: port, milliseconds: milliseconds)
        guard code == 0 else {
            failed(code)
            return nil
        }
        return body(descriptor)
    }

    private static func finish(
        _ descriptor: Int32, to address: NetworkAddress, port: UInt16, milliseconds: Int32
    ) -> Int32 {
        guard let target = SystemAddress(address, port: port) else { return ENODEV }
        let result = target.withPointer { Glibc.connect(descriptor, $0, $1) }
        if result == 0 { return 0 }
        guard Glibc.errno == EINPROGRESS else { return Glibc.errno }
        var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return ETIMEDOUT }
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        return code
    }
}
#endif
