/// A hub's signed reply, and where it came from.
public struct VerifiedReply: Hashable, Sendable {
    /// What the hub says; its pin is proven.
    public let reply: ProbeReply
    /// The source of the packet, link-local IPv6 with its scope; on a network of ``interface``, but not
    /// proven.
    public let address: NetworkAddress
    /// The interface that it came in on.
    public let interface: NetworkInterface
    /// When it came, since the start of the search.
    public let elapsed: Duration
}
