import CGlibc
import Glibc

/// The way of a datagram: from or to whom, and by which interface and address of this machine.
struct UDPPath: Hashable, Sendable {
    /// 4 or 16 bytes.
    var peer: [UInt8]
    /// The peer's port.
    var port: UInt16
    /// The kernel's index; 0 leaves it to the routes.
    var interface: UInt32
    /// This machine's own address, as many bytes; none leaves it to the system.
    var local: [UInt8] = []
}

/// A datagram as it came in: its first bytes, and how many there were.
struct UDPDatagram: Sendable {
    /// At most ``UDPSocket/maximumByteCount`` bytes.
    let bytes: [UInt8]
    /// The whole length, which may be more.
    let length: Int
    let path: UDPPath
}

/// A UDP socket of one family on a loop, whose callback comes when a datagram waits.
final class UDPSocket {
    /// The bytes of a datagram that are kept: more than the longest of ours, so that a longer one is seen as such.
    static let maximumByteCount = 512
    /// The most datagrams that one call to ``receive()`` takes in, so that a flood does not keep the loop from its
    /// timers and its other sockets.
    private static let maximumBatch = 64
    /// Asked for; the kernel grants net.core.rmem_max. With 8 KB only 38 of 200 replies arrived.
    private static let receiveBuffer: Int32 = 1 << 20

    let family: NetworkAddress.Family
    private let watch: DescriptorWatch

    /// A socket for broadcasts too, bound to `address` (any, if nil) and `port` (0: a free one).
    ///
    /// - Parameter sharesPort: others that share it may have the same port. Throws `.portInUse` if one has it
    ///   already.
    init(
        _ family: NetworkAddress.Family, on loop: EventLoopThread, address: [UInt8]? = nil,
        interface: UInt32 = 0,
        port: UInt16 = 0, sharesPort: Bool = false, isReadable: @escaping () -> Void
    ) throws(DiscoveryError) {
        let descriptor = try UDPSocket.open(family)
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout.size(ofValue: value)))
        }
        set(SOL_SOCKET, SO_RCVBUF, UDPSocket.receiveBuffer)
        if sharesPort { set(SOL_SOCKET, SO_REUSEADDR, 1) }
        switch family {
        case .ipv4:
            set(SOL_SOCKET, SO_BROADCAST, 1)
            set(Int32(IPPROTO_IP), IP_PKTINFO, 1)
        case .ipv6: set(Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, 1)
        }
        let any = [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16)
        guard UDPSocket.bind(descriptor, to: address ?? any, interface: interface, port: port) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw code == EADDRINUSE ? .portInUse(port) : .system(call: "bind", errno: code)
        }
        self.family = family
        watch = try DescriptorWatch(descriptor, on: loop, isReadable: isReadable)
    }

    /// Closes the socket; a second call does nothing.
    func close() { watch.close() }

    /// What waits, at most a batch: the callback comes again for the rest.
    func receive() -> [UDPDatagram] {
        var datagrams: [UDPDatagram] = []
        var buffer = [UInt8](repeating: 0, count: UDPSocket.maximumByteCount)
        var path = hubpair_path()
        for _ in 0..<UDPSocket.maximumBatch {
            let length = hubpair_receive(watch.descriptor, &buffer, buffer.count, &path)
            // An error that an earlier packet caused (ICMP) is reported here once; what waits is behind it.
            if length < 0, errno != EAGAIN, errno != EWOULDBLOCK { continue }
            guard length >= 0 else { break }
            let width = family == .ipv4 ? 4 : 16
            datagrams.append(
                UDPDatagram(
                    bytes: Array(buffer.prefix(length)), length: length,
                    path: UDPPath(
                        peer: withUnsafeBytes(of: path.peer) { Array($0.prefix(width)) }, port: path.port,
                        interface: path.interface,
                        local: withUnsafeBytes(of: path.local) { Array($0.prefix(width)) })))
        }
        return datagrams
    }

    /// Sends one datagram; 0, or the errno. It never waits.
    func send(_ bytes: [UInt8], along path: UDPPath) -> Int32 {
        var raw = hubpair_path()
        raw.family = family == .ipv4 ? AF_INET : AF_INET6
        raw.interface = path.interface
        raw.port = path.port
        withUnsafeMutableBytes(of: &raw.peer) { $0.copyBytes(from: path.peer.prefix(16)) }
        withUnsafeMutableBytes(of: &raw.local) { $0.copyBytes(from: path.local.prefix(16)) }
        return hubpair_send(watch.descriptor, bytes, bytes.count, &raw)
    }

    /// True if a socket that shares its port with nobody has `port` of the loopback address, or of all addresses.
    ///
    /// A hub shares its port, so that a device's ear for notices on the same machine can have it too; two hubs must
    /// not. The ear has the broadcast address only, so a socket for loopback without sharing tells them apart.
    static func isTaken(_ port: UInt16, _ family: NetworkAddress.Family) -> Bool {
        guard let descriptor = try? open(family) else { return false }
        defer { Glibc.close(descriptor) }
        let loopback: [UInt8] =
            family == .ipv4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
        return bind(descriptor, to: loopback, interface: 0, port: port) != 0 && errno == EADDRINUSE
    }

    private static func open(_ family: NetworkAddress.Family) throws(DiscoveryError) -> Int32 {
        let descriptor = socket(
            family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        if family == .ipv6 {
            var one: Int32 = 1
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        return descriptor
    }

    private static func bind(
        _ descriptor: Int32, to bytes: [UInt8], interface: UInt32, port: UInt16
    ) -> Int32 {
        guard let address = NetworkAddress(bytes: bytes) else {
            errno = EINVAL
            return -1
        }
        return SystemAddress(address, port: port, interface: interface).withPointer {
            Glibc.bind(descriptor, $0, $1)
        }
    }
}
