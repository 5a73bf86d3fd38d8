/// Looks for services of one type on the local network through the running avahi-daemon (RFC 6762, 6763).
///
///     var listing = HubListing(networks: LocalNetwork.current())
///     let start = ContinuousClock.now
///     for try await sighting in HubBrowser().sightings {
///         for change in listing.apply(sighting, at: start.duration(to: .now)) { ... }
///         if sighting == .settled { break }
///     }
public struct HubBrowser: Hashable, Sendable {
    /// The most instances (service, interface and address family) that are followed at a time. The threat is
    /// one host that announces thousands.
    public static let maximumInstances = 16_384
    /// The most sightings that wait for a slow reader.
    public static let maximumUnread = 32_768

    /// The DNS-SD service type (RFC 6763 § 4.1.2), such as `_hestia._tcp`.
    public var serviceType: String
    /// How long ``Sighting/settled`` waits for the address of a service. An answer comes within 20–120 ms
    /// (RFC 6762 § 6) or, if a packet was lost, to the second question one second later.
    public var resolveDeadline: Duration
    /// True: hears of changes of port, address and TXT record for as long as it is read, of the first 400 services
    /// at least. False: a service is resolved once, which spares the daemon.
    public var follows: Bool
    /// True: a one-shot query (RFC 6762 § 5.1) runs ahead of the daemon, and gives ``Sighting/hinted(_:)``.
    public var asksOnce: Bool

    /// A browser; it sends nothing until its sightings are read.
    public init(
        serviceType: String = "_hestia._tcp", resolveDeadline: Duration = .seconds(2), follows: Bool = true,
        asksOnce: Bool = true
    ) {
        self.serviceType = serviceType
        self.resolveDeadline = resolveDeadline
        self.follows = follows
        self.asksOnce = asksOnce
    }

    /// What is seen from now on. It does not end by itself: break out of the loop or cancel the task, and
    /// everything (thread, descriptors, avahi's objects) is freed. Each iteration is a browse of its own.
    public var sightings: Findings<Sighting> {
        Findings(maximumUnread: HubBrowser.maximumUnread) { output, ended throws(DiscoveryError) in
            try BrowseSession(self, by: DaemonBrowsing.self, output: output, ended: ended)
        }
    }
}
