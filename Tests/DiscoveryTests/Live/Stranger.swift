import Glibc
import Synchronization

/// A UDP socket that belongs to no hub.
final class Stranger: Sendable {
    private let descriptor: Int32
    private let last = Mutex(sockaddr_in())

    init(port: UInt16 = 0) throws {
        _ = try Lab.directory()
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard bind([0, 0, 0, 0], port, to: descriptor) else {
            throw Lab.Failure(description: "cannot bind \(port)")
        }
    }

    deinit { close(descriptor) }

    private func bind(_ address: [UInt8], _ port: UInt16, to descriptor: Int32) -> Bool {
        with(address, port) { Glibc.bind(descriptor, $0, $1) == 0 }
    }

    private func with<Result>(
        _ address: [UInt8], _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin_addr) { $0.copyBytes(from: address) }
        return withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// To 127.0.0.1.
    func send(_ bytes: [UInt8], to port: UInt16) throws {
        let count = with([127, 0, 0, 1], port) { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard count == bytes.count else { throw Lab.Failure(description: "cannot send: \(errno)") }
    }

    /// The next datagram; nil after 10 seconds. ``answer(_:from:)`` goes to its sender.
    func receive() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 2_048)
        var sender = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &sender) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(descriptor, &bytes, bytes.count, 0, $0, &length)
            }
        }
        guard count >= 0 else { return nil }
        last.withLock { $0 = sender }
        return Array(bytes.prefix(count))
    }

    /// Sends to the sender of the last datagram, from another loopback address if told.
    func answer(_ bytes: [UInt8], from source: [UInt8]? = nil) throws {
        var socket = descriptor
        if let source {
            socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC, 0)
            guard bind(source, 0, to: socket) else { throw Lab.Failure(description: "cannot bind \(source)") }
        }
        defer { if socket != descriptor { close(socket) } }
        let port = last.withLock { UInt16(bigEndian: $0.sin_port) }
        let count = with([127, 0, 0, 1], port) { sendto(socket, bytes, bytes.count, 0, $0, $1) }
        guard count == bytes.count else { throw Lab.Failure(description: "cannot answer: \(errno)") }
    }
}
