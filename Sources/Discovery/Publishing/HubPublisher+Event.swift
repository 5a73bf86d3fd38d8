extension HubPublisher {
    /// Which mDNS stack speaks for the hub.
    public enum Stack: String, Hashable, Sendable {
        /// avahi-daemon, over D-Bus.
        case daemon
        /// libavahi-core in this process.
        case embedded
    }

    /// What happens, for a log.
    public enum Event: Hashable, Sendable {
        /// The service is on the network under this name.
        case published(name: String, by: Stack)
        /// Another one on the network has the name, or avahi has it for another program.
        case renamed(from: String, to: String)
        /// The daemon went away; the service is published again soon.
        case daemonLost(DiscoveryError)
        /// The daemon does not publish for this program, which does so by itself: why.
        case refused(DiscoveryError)
        /// The stack has not put the service on the network in time, and says nothing: it is published anew
        /// until it is there. Comes once.
        case overdue(name: String, by: Stack)
        /// The service is not published for now. It tries again every ``retryInterval``.
        case unavailable(DiscoveryError)
    }
}
