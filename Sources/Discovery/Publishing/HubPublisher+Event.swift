extension HubPublisher {
    /// The mDNS stack that announces the hub.
    public enum Stack: String, Hashable, Sendable {
        /// avahi-daemon, over D-Bus.
        case daemon
        /// libavahi-core in this process.
        case embedded
    }

    /// An event for a log.
    public enum Event: Hashable, Sendable {
        /// The service is on the network under this name.
        case published(name: String, by: Stack)
        /// A web service is on the network under this name.
        case webPublished(WebAnnouncement, name: String)
        /// A web service is not published for now; the next attempt follows.
        case webUnavailable(WebAnnouncement, DiscoveryError)
        /// The names that this machine has in multicast DNS now, the one for people first:
        /// `raspi-2.local` if two machines are called `raspi`.
        case hosts([String], by: Stack)
        /// The name was taken, by a service on the network or by another program on this machine.
        case renamed(from: String, to: String)
        /// The daemon was lost; the service is published again soon.
        case daemonLost(DiscoveryError)
        /// The daemon refuses to publish for this program, for this reason; the embedded stack publishes
        /// instead.
        case refused(DiscoveryError)
        /// The stack has neither published nor refused the service in time. It is published again until it
        /// succeeds. Reported once.
        case overdue(name: String, by: Stack)
        /// The service is not published for now; the next attempt follows after ``retryInterval``.
        case unavailable(DiscoveryError)
    }
}
