/// Looks for services of one type on the local network by multicast DNS (RFC 6762, 6763).
///
///     var listing = HubListing(networks: LocalNetwork.current())
///     let start = ContinuousClock.now
///     for try await sighting in HubBrowser().sightings {
///         for change in listing.apply(sighting, at: start.duration(to: .now)) { ... }
///         if case .quiet(let source) = sighting, source.hasSettled { break }
///     }
public struct HubBrowser: Hashable, Sendable {
    /// The most instances (service, interface and address family) that are followed at a time: a new one
    /// takes the place of the oldest. The threat is one host that announces thousands.
    public static let maximumInstances = BrowseBook.maximumInstances
    /// The most sightings that wait for a slow reader.
    public static let maximumUnread = 32_768

    /// What speaks multicast DNS.
    public enum Stack: Hashable, Sendable {
        /// The running avahi-daemon. Without one the search fails with an error that
        /// ``DiscoveryError/isWithoutDaemon``.
        case daemon
        /// This process itself: it asks, hears the answers, and follows them (RFC 6762 § 5.2). For machines
        /// without the daemon; it also works beside one.
        case embedded
        /// The daemon, or this process where there is none; ``SourceProgress/withoutDaemon`` tells.
        case automatic
    }

    /// What speaks multicast DNS.
    public var stack: Stack
    /// The DNS-SD service type (RFC 6763 § 4.1.2), such as `_hestia._tcp`.
    public var serviceType: String
    /// How long ``SourceProgress/hasSettled`` waits for the address of a service. An answer comes within
    /// 20–120 ms (RFC 6762 § 6) or, if a packet was lost, to the second question one second later.
    public var resolveDeadline: Duration
    /// True: changes of port, address and TXT record are told for as long as the sightings are read, of the
    /// first 400 services at least. False: a service is resolved once, which costs the daemon or the network
    /// less.
    public var follows: Bool
    /// True: a one-shot query (RFC 6762 § 5.1) runs ahead of the stack, and gives
    /// what is ``Sighting/Evidence/heard``.
    /// For the first 1.4 seconds, and without a daemon as long as the search lasts, it also hears what is
    /// multicast to port 5353, which it shares with others.
    public var asksOnce: Bool

    /// A browser; it sends nothing until its sightings are read.
    public init(
        serviceType: String = "_hestia._tcp", through stack: Stack = .automatic,
        resolveDeadline: Duration = .seconds(2), follows: Bool = true,
        asksOnce: Bool = true
    ) {
        self.serviceType = serviceType
        self.stack = stack
        self.resolveDeadline = resolveDeadline
        self.follows = follows
        self.asksOnce = asksOnce
    }
}
