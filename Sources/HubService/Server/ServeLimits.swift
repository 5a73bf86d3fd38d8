import Addresses
package import NIOCore

/// What one client, or all of them, may take of the hub.
package struct ServeLimits: Sendable {
    /// The most connections at a time.
    package var connections = 512
    /// The most connections at a time from one source, an IPv4 address or an IPv6 /64, without an approved
    /// device's certificate; and of one approved device.
    package var connectionsPerSource = 16
    /// The most bytes of a request's body.
    package var bodyByteCount = 32 << 20
    /// From the accept to the end of the TLS handshake.
    package var handshake = TimeAmount.seconds(10)
    /// From a request's first byte to the end of its head.
    package var head = TimeAmount.seconds(10)
    /// Between two requests.
    package var idle = TimeAmount.seconds(60)
    /// The same without an approved device's certificate, and without a trusted proxy's address.
    package var strangerIdle = TimeAmount.seconds(15)
    /// The time in which `bodyPaceByteCount` bytes of a body that is passed on must come, while the upstream
    /// takes them.
    package var body = TimeAmount.seconds(30)
    /// One byte now and then would hold a connection here and one at the upstream for ever.
    package var bodyPaceByteCount = 1024
    /// For a whole body that is not passed on.
    package var smallBody = TimeAmount.seconds(10)
    /// Between two moments at which the client has read something.
    package var stall = TimeAmount.seconds(30)
    /// From the end of a request to the head of the upstream's response.
    package var upstream = TimeAmount.seconds(60)
    /// How long after its last use a connection to the upstream is known to be open: shorter than any server
    /// waits.
    package var upstreamFreshness = TimeAmount.seconds(1)
    /// To the upstream's TCP connection.
    package var connect = TimeAmount.seconds(5)
    /// For requests in flight when the hub is stopped.
    package var drain = TimeAmount.seconds(10)

    package init() {}
}

extension NetworkAddress {
    /// The address of a peer; nil for a Unix socket.
    init?(_ address: SocketAddress) {
        let system = address.withSockAddr { pointer, _ in SystemAddress(pointer) }
        guard let system else { return nil }
        self = system.address
    }
}
