/// So many a second, and so many at once: the generic cell rate algorithm (ITU-T I.371), which keeps one
/// number.
struct RateLimit: Hashable, Sendable {
    /// What one costs: a second divided by how many a second.
    let interval: Duration
    let burst: Int
    /// When all that was admitted will be paid for.
    private(set) var paidUntil = Duration.zero

    init(perSecond: Int, burst: Int) {
        interval = .seconds(1) / max(perSecond, 1)
        self.burst = burst
    }

    /// True if one more is within the limit at `now`, which never runs backwards; it then counts.
    mutating func admit(at now: Duration) -> Bool {
        let start = max(paidUntil, now)
        guard start - now <= interval * (burst - 1) else { return false }
        paidUntil = start + interval
        return true
    }

    /// True if nothing that was admitted before counts any more.
    func isIdle(at now: Duration) -> Bool { paidUntil <= now }
}
