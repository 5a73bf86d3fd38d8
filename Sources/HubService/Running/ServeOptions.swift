package import Addresses
package import JSON

/// The options of `serve`.
package struct ServeOptions: Sendable {
    /// The addresses to listen on; empty: all IPv4 and IPv6 addresses.
    package var listen: [NetworkAddress] = []
    /// A port that replaces the one in the settings; 0: any free port.
    package var port: UInt16?
    /// Trusted proxies in front of the hub: their certificate header counts, and they may have more
    /// connections.
    package var trustedProxies: [NetworkAddress] = []
    /// Balancers in front of the hub: their connections begin with the caller's address.
    package var balancers: [NetworkAddress] = []
    package var limits = ServeLimits()
    /// Whether the hub is announced over mDNS and UDP. A hub that listens only on loopback never is.
    package var isAnnounced = true
    /// Whether the upstream is asked for states after each order. A test that plays the upstream counts its
    /// connections.
    package var looksAfterOrders = true
    /// How many requests the upstream takes at a time, whatever the settings say; nil: as they say.
    var concurrency: Int?
    /// The number of event loops; nil: one per core, at most 16.
    package var threads: Int?
    /// Is told when the hub is ready, when it ends, and that it lives.
    package var serviceManager = ServiceManager(environment: [:])

    /// Where programs of this computer get the hub's figures; nil: nowhere.
    package var metrics: MetricsPlace?
    /// What the figures call this program's version.
    package var version = ""

    /// The program `hubpair-house` and its arguments, to run beside the gate; nil: another keeps it running.
    package var house: [String]?
    /// What starts it for a gate that is locked in (``GateLock``).
    package var houseKeeper: HouseKeeper?

    /// Lets the doctor look at the hub, for its owners: lines of `doctor --json`. Nil: nobody can.
    package var findings: (@Sendable () async -> [JSONValue])?
    /// What the doctor says in English, in the language of this code (ISO 639-1). Nil: English is all it has.
    package var translated: (@Sendable (_ text: String, _ language: String) -> String)?

    package init() {}
}
