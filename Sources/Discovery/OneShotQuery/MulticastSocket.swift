import CGlibc
import Glibc

/// A UDP socket on one interface and one address family, from an ephemeral port: what one-shot queries
/// (RFC 6762 § 5.1) are sent from. The loop calls back when a packet waits. Bound to an address of the
/// interface, so that what arrives came in there.
final class MulticastSocket {
    /// Bytes that wait to be read: 200 hosts answer within a few milliseconds.
    private static let receiveBuffer: Int32 = 1 << 20
    private static let port: UInt16 = 5353

    let interface: NetworkInterface
    let family: NetworkAddress.Family
    private let watch: DescriptorWatch

    /// A socket for the network of an interface; nil if the system gives none there (the interface is going
    /// down, or the address is not good yet).
    init?(_ network: LocalNetwork, on loop: EventLoopThread, isReadable: @escaping () -> Void) {
        let own = network.address
        let family = own.family
        let interface =
            NetworkInterface(named: network.interface)
            ?? NetworkInterface(index: 0, name: network.interface)
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        guard interface.index > 0 else { return nil }
        let descriptor = socket(domain, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return nil }
        func set(_ level: Int32, _ option: Int32, _ value: Int32) {
            var value = value
            setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
        set(SOL_SOCKET, SO_RCVBUF, MulticastSocket.receiveBuffer)
        let isBound = SystemAddress(own, port: 0, interface: interface.index).withPointer {
            bind(descriptor, $0, $1) == 0
        }
        MulticastSocket.prepare(descriptor, family, interface)
        guard isBound else {
            Glibc.close(descriptor)
            return nil
        }
        guard let watch = try? DescriptorWatch(descriptor, on: loop, isReadable: isReadable) else {
            return nil
        }
        (self.interface, self.family, self.watch) = (interface, family, watch)
    }

    /// Closes the socket; a second call does nothing.
    func close() { watch.close() }

    /// Sends `bytes` to 224.0.0.251 or ff02::fb, port 5353. What cannot be sent is lost, as it may be on the
    /// way.
    func send(_ bytes: [UInt8]) {
        let group = family == .ipv4 ? "224.0.0.251" : "ff02::fb"
        guard let address = NetworkAddress(group) else { return }
        let target = SystemAddress(address, port: MulticastSocket.port, interface: interface.index)
        target.withPointer {
            _ = sendto(watch.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1)
        }
    }

    /// Sends `bytes` from port 5353, as a responder does, so that answers are multicast and not for us.
    ///
    /// The socket is bound to the group's address: what comes to this host by unicast still goes to its mDNS
    /// stack. It is closed at once, and what cannot be sent is not sent.
    func multicast(_ bytes: [UInt8]) {
        guard let group = NetworkAddress(family == .ipv4 ? "224.0.0.251" : "ff02::fb") else { return }
        let domain = family == .ipv4 ? AF_INET : AF_INET6
        let descriptor = socket(domain, Int32(SOCK_DGRAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { return }
        defer { Glibc.close(descriptor) }
        var one: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        if family == .ipv6 {
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
        }
        MulticastSocket.prepare(descriptor, family, interface)
        SystemAddress(group, port: MulticastSocket.port, interface: interface.index).withPointer {
            pointer, size in
            guard bind(descriptor, pointer, size) == 0 else { return }
            _ = sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), pointer, size)
        }
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

    /// The next packet that waits, and its sender; nil if there is none. Packets that do not come from port
    /// 5353 of a host on this interface's network are dropped: a multicast DNS answer never does (RFC 6762 §
    /// 11).
    func receive(onLink networks: [LocalNetwork]) -> (bytes: [UInt8], from: NetworkAddress)? {
        var buffer = [UInt8](repeating: 0, count: DNSMessage.Limits.multicast.byteCount + 1)
        while true {
            let (count, sender) = SystemAddress.written(on: interface.name) {
                recvfrom(watch.descriptor, &buffer, buffer.count, 0, $0, $1)
            }
            guard count >= 0 else {
                // A refused packet is reported once on the socket, and is not the end of it.
                if errno == EINTR || errno == ECONNREFUSED { continue }
                return nil
            }
            guard let sender, sender.port == MulticastSocket.port,
                networks.contains(where: { $0.interface == interface.name && $0.contains(sender.address) })
            else { continue }
            return (Array(buffer.prefix(count)), sender.address)
        }
    }
}
