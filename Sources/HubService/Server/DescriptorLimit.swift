import Glibc

/// How many descriptors the hub needs, and the system's limit on them (setrlimit(2)).
enum DescriptorLimit {
    /// What each event loop has: its own three, and the upstream connections that wait in its pool.
    private static let perLoop = 3 + GatewayPool.maximumIdleCount
    /// Standard streams, listeners, mDNS, UDP, the state's files, and room for the system's libraries.
    private static let others = 64

    /// For every client one, and one for the upstream.
    static func needed(connections: Int, loops: Int) -> Int {
        2 * connections + ConnectionTable<Int>.maximumLeaving + perLoop * loops + others
    }

    /// Raises the soft limit as far as the hub needs it: many systems begin with 1,024.
    ///
    /// - Throws: if the hard limit, which only root may raise, is lower than that. A hub that runs out of
    ///   descriptors shuts out its own devices, and strangers would choose when.
    static func raise(for limits: ServeLimits, loops: Int) throws(ServeError) {
        let needed = needed(connections: limits.connections, loops: loops)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return }
        let most = limit.rlim_max
        if most >= rlim_t(needed) {
            limit.rlim_cur = rlim_t(needed)
            if setrlimit(resource, &limit) == 0 { return }
        }
        let available = Int(clamping: min(most, rlim_t(needed)))
        let fitting = (available - (needed - 2 * limits.connections)) / 2
        throw .tooFewDescriptors(available, needed: needed, fitting: max(0, fitting))
    }

    /// Opens what libdispatch opens at the first use of each of its clocks: a timerfd. It ends the process
    /// where it cannot, so this happens before anybody can use the descriptors up.
    static func openTimers() async {
        try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
        try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
    }
}
