/// A rate limit with a burst: the generic cell rate algorithm (ITU-T I.371), whose only state is one time.
struct RateLimit: Hashable, Sendable {
    /// The interval between events at the full rate: one second divided by the rate.
    let interval: Duration
    let burst: Int
    /// The theoretical arrival time: when the events admitted so far no longer count.
    private(set) var paidUntil = Duration.zero

    init(perSecond: Int, burst: Int) {
        interval = .seconds(1) / max(perSecond, 1)
        self.burst = burst
    }

    /// Returns true, and counts the event, if one more is within the limit at `now`. `now` must never
    /// decrease.
    mutating func admit(at now: Duration) -> Bool {
        let start = max(paidUntil, now)
        guard start - now <= interval * (burst - 1) else { return false }
        paidUntil = start + interval
        return true
    }

    func isIdle(at now: Duration) -> Bool { paidUntil <= now }
}
