import CGlibc
import Glibc

/// A UDP socket on one interface and one address family. The loop calls back when a packet waits.
///
/// - From an ephemeral port: what one-shot queries (RFC 6762 § 5.1) are sent from. Bound to an address of the
///   interface, so that what arrives came in there.
/// - At the group's address and port: what hears multicast answers, and asks for them as a responder does.
///   What comes to this host by unicast still goes to its mDNS stack.
final class MulticastSocket {
    /// Bytes that wait to be read: 200 hosts answer within a few milliseconds.
    private static let receiveBuffer: Int32 = 1 << 20
    private static let port: UInt16 = 5353
    private static let groups = (ipv4: NetworkAddress("224.0.0.251"), ipv6: NetworkAddress("ff02::fb"))

    let interface: NetworkInterface
    let family: NetworkAddress.Family
    /// This machine's, on the interface.
    let address: NetworkAddress
    private let watch: DescriptorWatch

    /// A socket for the network of an interface; nil if the system gives none there (the interface is going
    /// down, or the address is not good yet). `isInGroup`: at the group's address.
    init?(
        _ network: LocalNetwork, isInGroup: Bool = false, on loop: EventLoopThread,
        isReadable: @escaping () -> Void
    ) {
        let family = network.address.family
        let address = isInGroup ? MulticastSocket.group(of: family) : network.address
        let interface =
            NetworkInterface(named: network.interface)
            ?? NetworkInterface(index: 0, name: network.interface)
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        guard interface.index > 0, let address else { return nil }
        let descriptor = socket(domain, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_RCVBUF, MulticastSocket.receiveBuffer)
        if isInGroup {
            set(SOL_SOCKET, SO_REUSEADDR, 1)
            if family == .ipv6 { set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, 1) }
        } else {
            set(SOL_SOCKET, SO_TIMESTAMPNS, 1)
        }
        let port = isInGroup ? MulticastSocket.port : 0
        let isBound = SystemAddress(address, port: port, interface: interface.index).withPointer {
            bind(descriptor, $0, $1) == 0
        }
        MulticastSocket.prepare(descriptor, family, interface)
        guard isBound, !isInGroup || MulticastSocket.join(descriptor, family, interface) else {
            Glibc.close(descriptor)
            return nil
        }
        guard let watch = try? DescriptorWatch(descriptor, on: loop, isReadable: isReadable) else {
            return nil
        }
        (self.interface, self.family, self.watch) = (interface, family, watch)
        self.address = network.address
    }

    /// What is sent from now on arrives on this machine, too.
    func includeOwn() {
        var one: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if family == .ipv4 {
            setsockopt(watch.descriptor, Int32(IPPROTO_IP), IP_MULTICAST_LOOP, &one, size)
        } else {
            setsockopt(watch.descriptor, Int32(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, &one, size)
        }
    }

    /// Closes the socket; a second call does nothing.
    func close() { watch.close() }

    /// Sends `bytes` to the group, port 5353. What cannot be sent is lost, as it may be on the way.
    func send(_ bytes: [UInt8]) {
        guard let address = MulticastSocket.group(of: family) else { return }
        let target = SystemAddress(address, port: MulticastSocket.port, interface: interface.index)
        target.withPointer {
            _ = sendto(watch.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
    }

    private static func group(of family: NetworkAddress.Family) -> NetworkAddress? {
        family == .ipv4 ? groups.ipv4 : groups.ipv6
    }

    /// Joins the group on an interface, and hears there only: without that a socket hears what any program
    /// has joined, on every interface (ip(7), IP_MULTICAST_ALL).
    private static func join(
        _ descriptor: Int32, _ family: NetworkAddress.Family, _ interface: NetworkInterface
    ) -> Bool {
        func set(_ level: Int32, _ option: Int32, _ value: UnsafeRawPointer, _ size: Int) -> Bool {
            setsockopt(descriptor, level, option, value, socklen_t(size)) == 0
        }
        var none: Int32 = 0
        let size = MemoryLayout<Int32>.size
        if family == .ipv4 {
            var request = ip_mreqn()
            request.imr_multiaddr.s_addr = UInt32(0xE000_00FB).bigEndian
            request.imr_ifindex = Int32(bitPattern: interface.index)
            return set(Int32(IPPROTO_IP), IP_MULTICAST_ALL, &none, size)
                && set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &request, MemoryLayout<ip_mreqn>.size)
        }
        var request = ipv6_mreq()
        inet_pton(AF_INET6, "ff02::fb", &request.ipv6mr_multiaddr)
        request.ipv6mr_interface = interface.index
        // The option is of Linux 4.20. An older kernel delivers by the interface of the bound address, too.
        _ = set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_ALL, &none, size)
        return set(Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, &request, MemoryLayout<ipv6_mreq>.size)
    }

    /// How multicast packets leave by an interface.
    private static func prepare(
        _ descriptor: Int32, _ family: NetworkAddress.Family, _ interface: NetworkInterface
    ) {
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        // The time to live is 255 in all of mDNS (RFC 6762 § 11). No loop: this host's own avahi-daemon would
        // take our question for the one that it is about to send, and not send it (§ 7.3); it does not care
        // that ours asks for unicast. What is announced on this host it knows without asking.
        if family == .ipv4 {
            var request = ip_mreqn()
            request.imr_ifindex = Int32(bitPattern: interface.index)
            setsockopt(
                descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request,
                socklen_t(MemoryLayout<ip_mreqn>.size))
            set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, 255)
            set(Int32(IPPROTO_IP), IP_MULTICAST_LOOP, 0)
        } else {
            set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, Int32(bitPattern: interface.index))
            set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, 255)
            set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, 0)
        }
    }

    /// The next packet that waits, its sender, and when the kernel took it in (at the group: when it
    /// is read); nil if there is none. Packets that do not come from port 5353 of a host on this interface's
    /// network are dropped: a multicast DNS answer never does (RFC 6762 § 11).
    func receive(
        onLink networks: [LocalNetwork]
    ) -> (bytes: [UInt8], from: NetworkAddress, at: ContinuousClock.Instant)? {
        var buffer = [UInt8](repeating: 0, count: DNSMessage.Limits.multicast.byteCount + 1)
        var path = hubpair_path()
        while true {
            let length = hubpair_receive(watch.descriptor, &buffer, buffer.count, &path)
            guard length >= 0 else {
                // A refused packet is reported once on the socket, and is not the end of it.
                if errno == EINTR || errno == ECONNREFUSED { continue }
                return nil
            }
            let peer = withUnsafeBytes(of: path.peer) { Array($0.prefix(family == .ipv4 ? 4 : 16)) }
            guard path.port == MulticastSocket.port,
                let sender = NetworkAddress(bytes: peer, scope: interface.name),
                networks.contains(where: { $0.interface == interface.name && $0.contains(sender) })
            else { continue }
            let time = ContinuousClock.now - .nanoseconds(path.waited)
            return (Array(buffer.prefix(length)), sender, time)
        }
    }
}
