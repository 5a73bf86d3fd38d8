import Addresses
import GatewayRules
package import NIOCore

/// The limits for one client and for all clients together.
package struct ServeLimits: Sendable {
    /// The maximum number of concurrent connections.
    package var connections = 512
    /// The maximum number of concurrent connections without an approved device's certificate from one source
    /// (an IPv4 address or an IPv6 /64), and of one approved device.
    package var connectionsPerSource = 16
    /// The maximum size of a request's body in bytes.
    package var bodyByteCount = 32 << 20
    /// The time from accepting a connection to the end of its TLS handshake.
    package var handshake = TimeAmount.seconds(10)
    /// The time from the first byte of a request to the end of its head.
    package var head = TimeAmount.seconds(10)
    /// The time between two requests.
    package var idle = TimeAmount.seconds(60)
    /// The same for a client with neither an approved device's certificate nor a trusted proxy's address.
    package var strangerIdle = TimeAmount.seconds(15)
    /// The time in which `bodyPaceByteCount` bytes of a forwarded body must arrive while the upstream accepts
    /// them.
    package var body = TimeAmount.seconds(30)
    /// Without this, a client that sends single bytes could hold a connection here and one to the upstream
    /// forever.
    package var bodyPaceByteCount = 1024
    /// The time for a whole body that is not forwarded.
    package var smallBody = TimeAmount.seconds(10)
    /// The maximum time in which a client reads none of its answer.
    package var stall = TimeAmount.seconds(30)
    /// The time for which a client that is refused in the middle of its request may go on sending: what it
    /// sends to a closed socket resets the connection, and the answer is lost to it.
    package var linger = TimeAmount.seconds(2)
    /// The time from the end of a request, or from its turn at the upstream, to the head of the response;
    /// where requests must not overlap, to its end.
    package var upstream = TimeAmount(AnswerTimes.upstream)
    /// How long after its last use a connection to the upstream is assumed to be open: less than any server's
    /// idle timeout.
    package var upstreamFreshness = TimeAmount.seconds(1)
    /// The time to establish a TCP connection to the upstream.
    package var connect = TimeAmount.seconds(5)
    /// The time for requests in progress when the hub is stopped.
    package var drain = TimeAmount.seconds(10)

    package init() {}
}

extension NetworkAddress {
    /// The address of a peer; nil for a Unix socket.
    package init?(_ address: SocketAddress) {
        let system = address.withSockAddr { pointer, _ in SystemAddress(pointer) }
        guard let system else { return nil }
        self = system.address
    }
}
