package import Addresses

/// The options of `serve`.
package struct ServeOptions: Sendable {
    /// The addresses to listen on; empty: all IPv4 and IPv6 addresses.
    package var listen: [NetworkAddress] = []
    /// A port that replaces the one in the settings; 0: any free port.
    package var port: UInt16?
    /// Trusted proxies in front of the hub: their certificate header counts, and they may have more
    /// connections.
    package var trustedProxies: [NetworkAddress] = []
    package var limits = ServeLimits()
    /// Whether the hub is announced over mDNS and UDP. A hub that listens only on loopback never is.
    package var isAnnounced = true
    /// The number of event loops; nil: one per core, at most 16.
    package var threads: Int?
    /// Who is told how the hub does.
    package var serviceManager = ServiceManager(environment: [:])

    package init() {}
}
