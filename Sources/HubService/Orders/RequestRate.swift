/// How often something may be done in a span of time.
struct RequestRate: Sendable {
    let most: Int
    let span: Duration
    /// When it was done in the last span, at most `most` times.
    private var times: [ContinuousClock.Instant] = []

    init(most: Int, in span: Duration) { (self.most, self.span) = (most, span) }

    /// True if it may be done now; then it counts.
    mutating func admits(at now: ContinuousClock.Instant = .now) -> Bool {
        times.removeAll { now - $0 >= span }
        guard times.count < most else { return false }
        times.append(now)
        return true
    }
}
