import Glibc

/// The number of descriptors that a hub or a relay needs, and the system's limit (setrlimit(2)).
package enum DescriptorLimit {
    /// Per event loop: three of its own, and the idle upstream connections of its pool.
    private static let perLoop = 3 + GatewayPool.maximumIdleCount
    /// Standard streams, listeners, mDNS, UDP, the state's files, and room for the system's libraries.
    private static let others = 64

    /// Two per client: one for its connection, one for the upstream.
    static func needed(connections: Int, loops: Int) -> Int {
        2 * connections + ConnectionTable<Int>.maximumLeaving + perLoop * loops + others
    }

    /// Raises the soft limit to the number that the hub needs: many systems start with 1,024.
    ///
    /// - Throws: if the hard limit, which only root can raise, is too low. A hub without descriptors would
    ///   lock out its own devices, at a moment that strangers choose.
    static func raise(for limits: ServeLimits, loops: Int) throws(ServeError) {
        let needed = needed(connections: limits.connections, loops: loops)
        let available = raise(to: needed)
        guard available < needed else { return }
        let fitting = (available - (needed - 2 * limits.connections)) / 2
        throw .tooFewDescriptors(available, needed: needed, fitting: max(0, fitting))
    }

    /// Raises the soft limit to a number of descriptors, or as far as it goes.
    ///
    /// - Returns: how many of them there may be.
    private static func raise(to needed: Int) -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(needed) else { return needed }
        let before = limit.rlim_cur
        limit.rlim_cur = min(limit.rlim_max, rlim_t(needed))
        return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
    }

    /// The same for a relay, whose connections are one descriptor each.
    ///
    /// - Returns: how many connections there may be, at most as many as are wanted.
    package static func raise(forRelay connections: Int) -> Int { raise(to: connections + others) - others }

    /// Makes libdispatch open its descriptors, a timerfd at the first use of each clock. It aborts the
    /// process if it cannot, so this is done before descriptors can run out.
    static func openTimers() async {
        try? await Task.sleep(for: .nanoseconds(1), clock: .continuous)
        try? await Task.sleep(for: .nanoseconds(1), clock: .suspending)
    }
}
