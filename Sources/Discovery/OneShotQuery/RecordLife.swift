/// How long a record that was heard counts, and when it is asked for again meanwhile (RFC 6762 § 5.2, § 10).
struct RecordLife: Hashable, Sendable {
    /// The least that a record lives. An answer to a one-shot question says 10 seconds, whatever the record's
    /// own time is (§ 6.7); and a host whose records live for a second would have everybody ask without end.
    private static let minimum = Duration.seconds(60)
    /// What was said farewell to, or was left out by a host that says all of a kind, ends after that: another
    /// host with the record can object (§ 10.1, § 10.2).
    static let farewell = Duration.seconds(1)
    /// The most: the longest that RFC 6762 § 10 names. What is gone without a word is known by then.
    private static let maximum = Duration.seconds(4_500)
    /// It is asked for again at 80, 85, 90 and 95 % of its life.
    private static let questions = 4

    let heard: ContinuousClock.Instant
    private let duration: Duration
    private var end: ContinuousClock.Instant
    private var asked = 0
    private(set) var isEnding = false

    /// - Parameter timeToLive: in seconds.
    init(timeToLive: UInt32, at now: ContinuousClock.Instant) {
        duration = min(max(.seconds(Int64(timeToLive)), RecordLife.minimum), RecordLife.maximum)
        (heard, end) = (now, now + duration)
    }

    /// True in the first half of its life: its host need not say it again (§ 7.1).
    func isFresh(at now: ContinuousClock.Instant) -> Bool { !isEnding && now < heard + duration / 2 }

    func isOver(at now: ContinuousClock.Instant) -> Bool { now >= end }

    /// It is over in a second, unless it is heard again.
    mutating func endSoon(at now: ContinuousClock.Instant) {
        guard !isEnding else { return }
        isEnding = true
        end = min(end, now + RecordLife.farewell)
    }

    /// True, once for each of those times, if it is to be asked for.
    mutating func isDue(at now: ContinuousClock.Instant) -> Bool {
        guard !isEnding else { return false }
        let twentieths = Int((now.duration(to: end) / (duration / 20)).rounded(.up))
        let passed = min(RecordLife.questions, RecordLife.questions + 1 - twentieths)
        guard passed > asked else { return false }
        asked = passed
        return true
    }
}
