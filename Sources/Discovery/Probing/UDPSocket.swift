import CGlibc
import Glibc

/// The path of a datagram: its peer, and the interface and address of this machine.
struct UDPPath: Hashable, Sendable {
    /// 4 or 16 bytes.
    var peer: [UInt8]
    var port: UInt16
    /// The interface index; 0 lets the routing table choose.
    var interface: UInt32
    /// This machine's address, 4 or 16 bytes; empty lets the system choose.
    var local: [UInt8] = []

    var family: NetworkAddress.Family { peer.count == 4 ? .ipv4 : .ipv6 }
}

/// A received datagram: its first bytes, and its length.
struct UDPDatagram: Sendable {
    /// At most as many as its socket keeps.
    let bytes: [UInt8]
    /// The length of the whole datagram in bytes, which may be more.
    let length: Int
    let path: UDPPath
    /// When the kernel took it in, if the socket has SO_TIMESTAMPNS; else when it was read.
    let arrival: ContinuousClock.Instant
}

/// A UDP socket of one address family on an event loop, which calls back when a datagram can be received.
final class UDPSocket {
    /// The maximum number of datagrams per call of ``receive()``, so that a flood does not block the loop's
    /// timers and other sockets.
    static let maximumBatch = 64
    /// The requested receive buffer in bytes; the kernel grants at most net.core.rmem_max. With 8 KB only 38
    /// of 200 replies arrived.
    private static let receiveBuffer: Int32 = 1 << 20

    let family: NetworkAddress.Family
    private let maximumByteCount: Int
    private let watch: DescriptorWatch

    /// Opens a socket with broadcast enabled, bound to `address` (nil: the wildcard address) and `port` (0:
    /// any free port).
    ///
    /// - Parameters:
    ///   - sharesPort: true to let other sockets that also share it bind the same port. Throws `.portInUse`
    ///     if the port is taken.
    ///   - maximumByteCount: how many bytes of a datagram are kept: more than the longest valid one, so that
    ///     a longer one is recognised.
    init(
        _ family: NetworkAddress.Family, on loop: EventLoopThread, address: [UInt8]? = nil,
        interface: UInt32 = 0, port: UInt16 = 0, sharesPort: Bool = false, maximumByteCount: Int = 512,
        isReadable: @escaping () -> Void
    ) throws(DiscoveryError) {
        (self.family, self.maximumByteCount) = (family, maximumByteCount)
        let descriptor = socket(
            family == .ipv4 ? AF_INET : AF_INET6, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        watch = try DescriptorWatch(descriptor, on: loop, isReadable: isReadable)
        set(SOL_SOCKET, SO_RCVBUF, UDPSocket.receiveBuffer)
        if sharesPort { set(SOL_SOCKET, SO_REUSEADDR, Int32(1)) }
        switch family {
        case .ipv4:
            set(SOL_SOCKET, SO_BROADCAST, Int32(1))
            set(Int32(IPPROTO_IP), IP_PKTINFO, Int32(1))
        case .ipv6:
            set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, Int32(1))
            set(Int32(IPPROTO_IPV6), IPV6_RECVPKTINFO, Int32(1))
        }
        let any = [UInt8](repeating: 0, count: family == .ipv4 ? 4 : 16)
        let local = NetworkAddress(bytes: address ?? any).map {
            SystemAddress($0, port: port, interface: interface)
        }
        guard local?.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
            let code = errno
            close()
            throw code == EADDRINUSE ? .portInUse(port) : .system(call: "bind", errno: code)
        }
    }

    /// A socket of each family that this system has: one without IPv6 still has IPv4.
    ///
    /// - Parameter isReadable: makes the callback of the socket with this index.
    static func each(
        on loop: EventLoopThread, port: UInt16 = 0, sharesPort: Bool = false,
        isReadable: (Int) -> () -> Void
    ) throws(DiscoveryError) -> [UDPSocket] {
        var sockets: [UDPSocket] = []
        var failure: DiscoveryError?
        for family in [NetworkAddress.Family.ipv4, .ipv6] {
            do throws(DiscoveryError) {
                sockets.append(
                    try UDPSocket(
                        family, on: loop, port: port, sharesPort: sharesPort,
                        isReadable: isReadable(sockets.count)))
            } catch {
                failure = error
            }
        }
        guard let failure else { return sockets }
        if case .portInUse = failure {
            sockets.forEach { $0.close() }
        } else if !sockets.isEmpty {
            return sockets
        }
        throw failure
    }

    /// Sets a socket option; false if the system does not.
    @discardableResult func set<Value>(
        _ level: Int32, _ option: Int32, _ value: Value
    ) -> Bool {
        withUnsafeBytes(of: value) {
            setsockopt(watch.descriptor, level, option, $0.baseAddress, socklen_t($0.count)) == 0
        }
    }

    var isOpen: Bool { watch.isOpen }

    /// Closes the socket; a second call does nothing.
    func close() { watch.close() }

    /// Receives the waiting datagrams, at most one batch; the callback comes again for the rest.
    func receive() -> [UDPDatagram] {
        var datagrams: [UDPDatagram] = []
        var buffer = [UInt8](repeating: 0, count: maximumByteCount)
        var path = hubpair_path()
        for _ in 0..<UDPSocket.maximumBatch {
            let length = hubpair_receive(watch.descriptor, &buffer, buffer.count, &path)
            // A pending ICMP error for an earlier packet is reported here once; the datagrams come after it.
            if length < 0, errno != EAGAIN, errno != EWOULDBLOCK { continue }
            guard length >= 0 else { break }
            let width = family == .ipv4 ? 4 : 16
            datagrams.append(
                UDPDatagram(
                    bytes: Array(buffer.prefix(length)), length: length,
                    path: UDPPath(
                        peer: withUnsafeBytes(of: path.peer) { Array($0.prefix(width)) }, port: path.port,
                        interface: path.interface,
                        local: withUnsafeBytes(of: path.local) { Array($0.prefix(width)) }),
                    arrival: .now - .nanoseconds(path.waited)))
        }
        return datagrams
    }

    /// Sends one datagram without blocking; returns 0 or the errno.
    func send(_ bytes: [UInt8], along path: UDPPath) -> Int32 {
        var raw = hubpair_path()
        raw.family = family == .ipv4 ? AF_INET : AF_INET6
        raw.interface = path.interface
        raw.port = path.port
        withUnsafeMutableBytes(of: &raw.peer) { $0.copyBytes(from: path.peer.prefix(16)) }
        withUnsafeMutableBytes(of: &raw.local) { $0.copyBytes(from: path.local.prefix(16)) }
        return hubpair_send(watch.descriptor, bytes, bytes.count, &raw)
    }

    /// True if any socket, with or without port sharing, is bound to `port` of the loopback or wildcard
    /// address.
    ///
    /// A hub shares its port, so that a device on the same machine can listen for notices on it; but two hubs
    /// must not share one. Such a device binds only broadcast and multicast addresses. So a trial bind of the
    /// loopback address without sharing fails only if another hub, or another program, has the port.
    static func isTaken(_ port: UInt16, _ family: NetworkAddress.Family, on loop: EventLoopThread) -> Bool {
        let loopback: [UInt8] = family == .ipv4 ? [127, 0, 0, 1] : [UInt8](repeating: 0, count: 15) + [1]
        do throws(DiscoveryError) {
            try UDPSocket(family, on: loop, address: loopback, port: port) {}.close()
            return false
        } catch {
            return error == .portInUse(port)
        }
    }
}
