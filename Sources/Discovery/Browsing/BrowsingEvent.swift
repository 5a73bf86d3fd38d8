/// An event that the daemon reports to a browse.
enum BrowsingEvent: Sendable {
    case began
    case unavailable(DiscoveryError)
    case announced(ServiceInstance, domain: [UInt8])
    case gone(ServiceInstance)
    /// All instances that it knew before it asked are announced.
    case cacheRead
    /// No more instances are expected for now.
    case allForNow
    /// The answer to ``DaemonBrowsing/ask(_:domain:)``; it is reported again whenever the service changes.
    case resolved(ResolvedService)
    case unresolved(ServiceInstance, ResolveError)
    /// An A or AAAA record of a host whose services were resolved was added.
    case address(NetworkAddress, HostAddresses.Host)
    case addressGone(NetworkAddress, HostAddresses.Host)
    /// The addresses of this host are not followed any more.
    case unwatched(HostAddresses.Host)
    /// The connection is unusable, but a new one may work.
    case lost(DiscoveryError)
    /// The browse has failed and cannot continue.
    case failed(DiscoveryError)
}
