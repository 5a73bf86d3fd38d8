import CGlibc
import Glibc

/// A UDP socket for multicast DNS on one interface and one address family. The loop calls back when a packet
/// waits.
///
/// - From an ephemeral port: what one-shot queries (RFC 6762 § 5.1) are sent from. Bound to an address of the
///   interface, so that what arrives came in there.
/// - At the group's address and port: what hears multicast answers, and asks for them as a responder does.
///   What comes to this host by unicast still goes to its mDNS stack.
final class MulticastSocket {
    private static let port: UInt16 = 5353
    private static let groups: [NetworkAddress.Family: [UInt8]] = [
        .ipv4: [224, 0, 0, 251], .ipv6: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB],
    ]

    let interface: NetworkInterface
    /// This machine's, on the interface.
    let address: NetworkAddress
    private let socket: UDPSocket
    private let path: UDPPath

    var family: NetworkAddress.Family { address.family }

    /// A socket for the network of an interface; nil if the system gives none there (the interface is going
    /// down, or the address is not good yet). `isInGroup`: at the group's address.
    init?(
        _ network: LocalNetwork, isInGroup: Bool = false, on loop: EventLoopThread,
        isReadable: @escaping () -> Void
    ) {
        address = network.address
        guard let interface = NetworkInterface(named: network.interface),
            let group = MulticastSocket.groups[address.family],
            let socket = try? UDPSocket(
                address.family, on: loop, address: isInGroup ? group : address.bytes,
                interface: interface.index, port: isInGroup ? MulticastSocket.port : 0, sharesPort: isInGroup,
                maximumByteCount: DNSMessage.Limits.multicast.byteCount + 1, isReadable: isReadable)
        else { return nil }
        (self.interface, self.socket) = (interface, socket)
        path = UDPPath(
            peer: group, port: MulticastSocket.port, interface: interface.index,
            local: isInGroup ? [] : address.bytes)
        // The time to live is 255 in all of mDNS (RFC 6762 § 11).
        if family == .ipv4 {
            socket.set(Int32(IPPROTO_IP), IP_MULTICAST_TTL, Int32(255))
        } else {
            socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, Int32(255))
        }
        // This host's own avahi-daemon would take our question for the one that it is about to send, and not
        // send it (§ 7.3); it does not care that ours asks for unicast. What is announced on this host it
        // knows without asking.
        setLoop(0)
        if !isInGroup {
            socket.set(SOL_SOCKET, SO_TIMESTAMPNS, Int32(1))
        } else if !join(group) {
            close()
            return nil
        }
    }

    /// What is sent from now on arrives on this machine, too.
    func includeOwn() { setLoop(1) }

    private func setLoop(_ value: Int32) {
        if family == .ipv4 {
            socket.set(Int32(IPPROTO_IP), IP_MULTICAST_LOOP, value)
        } else {
            socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, value)
        }
    }

    /// Closes the socket; a second call does nothing.
    func close() { socket.close() }

    /// Sends `bytes` to the group, port 5353. What cannot be sent is lost, as it may be on the way.
    func send(_ bytes: [UInt8]) { _ = socket.send(bytes, along: path) }

    /// Joins the group on the interface, and hears there only: without that a socket hears what any program
    /// has joined, on every interface (ip(7), IP_MULTICAST_ALL).
    private func join(_ group: [UInt8]) -> Bool {
        if family == .ipv4 {
            var request = ip_mreqn()
            withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: group) }
            request.imr_ifindex = Int32(bitPattern: interface.index)
            return socket.set(Int32(IPPROTO_IP), IP_MULTICAST_ALL, Int32(0))
                && socket.set(Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, request)
        }
        var request = ipv6_mreq()
        withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) { $0.copyBytes(from: group) }
        request.ipv6mr_interface = interface.index
        // The option is of Linux 4.20. An older kernel delivers by the interface of the bound address, too.
        socket.set(Int32(IPPROTO_IPV6), IPV6_MULTICAST_ALL, Int32(0))
        return socket.set(Int32(IPPROTO_IPV6), IPV6_JOIN_GROUP, request)
    }

    /// Reads the messages that wait, at most one batch, until the socket is closed. Packets that do not come
    /// from port 5353 of a host on this interface's network are dropped: a multicast DNS answer never does
    /// (RFC 6762 § 11).
    ///
    /// - Parameter take: gets a message, its sender, and when the kernel took it in (at the group: when it
    ///   was read).
    /// - Returns: true if more may wait.
    func receive(
        onLink networks: [LocalNetwork],
        _ take: (DNSMessage, NetworkAddress, ContinuousClock.Instant) -> Void
    ) -> Bool {
        let datagrams = socket.receive()
        for datagram in datagrams where socket.isOpen {
            guard datagram.path.port == MulticastSocket.port,
                let sender = NetworkAddress(bytes: datagram.path.peer, scope: interface.name),
                networks.contains(where: { $0.interface == interface.name && $0.contains(sender) }),
                let message = try? DNSMessage(parsing: datagram.bytes)
            else { continue }
            take(message, sender, datagram.arrival)
        }
        return socket.isOpen && datagrams.count == UDPSocket.maximumBatch
    }
}
