package import Addresses

/// What `serve` was told.
package struct ServeOptions: Sendable {
    /// The addresses to listen on; empty: all, of IPv4 and IPv6.
    package var listen: [NetworkAddress] = []
    /// Another port than the settings have; 0: any that is free.
    package var port: UInt16?
    /// Proxies in front of the hub: their certificate header counts, and they may have more connections than
    /// others.
    package var trustedProxies: [NetworkAddress] = []
    package var limits = ServeLimits()
    /// Whether the hub is announced, over mDNS and UDP. A hub that listens on loopback alone never is.
    package var isAnnounced = true
    /// Event loops; nil: as many as the machine has cores, 16 at most.
    package var threads: Int?

    package init() {}
}
