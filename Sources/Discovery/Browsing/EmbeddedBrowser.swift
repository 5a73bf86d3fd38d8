/// Looks for services of one type on the local network without avahi-daemon: avahi's own mDNS stack, in this process
/// (RFC 6762, 6763).
///
/// The same sightings as ``HubBrowser``, for machines where that throws an error that
/// ``DiscoveryError/isWithoutDaemon``. A daemon keeps a cache and this does not: what the one-shot query does not bring
/// takes 20–120 ms (RFC 6762 § 6), or a second if somebody else has just asked. Fine beside a daemon, too: it only asks.
public struct EmbeddedBrowser: Hashable, Sendable {
    /// The DNS-SD service type (RFC 6763 § 4.1.2), such as `_hestia._tcp`.
    public var serviceType: String
    /// How long ``Sighting/settled`` waits for the address of a service.
    public var resolveDeadline: Duration
    /// True: hears of changes of port, address and TXT record for as long as it is read, of the first 400 services
    /// at least. False: a service is resolved once, which spares the network the questions.
    public var follows: Bool

    /// A browser; it sends nothing until its sightings are read.
    public init(
        serviceType: String = "_hestia._tcp", resolveDeadline: Duration = .seconds(1), follows: Bool = true
    ) {
        self.serviceType = serviceType
        self.resolveDeadline = resolveDeadline
        self.follows = follows
    }

    /// What is seen from now on. It does not end by itself: break out of the loop or cancel the task, and everything
    /// (thread, sockets, avahi's objects) is freed. Each iteration is a browse of its own.
    public var sightings: Findings<Sighting> {
        let browser = HubBrowser(
            serviceType: serviceType, resolveDeadline: resolveDeadline, follows: follows)
        return Findings(maximumUnread: HubBrowser.maximumUnread) { output, ended throws(DiscoveryError) in
            try BrowseSession(browser, by: EmbeddedBrowsing.self, output: output, ended: ended)
        }
    }
}
