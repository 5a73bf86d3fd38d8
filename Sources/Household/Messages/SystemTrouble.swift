package import FoundationEssentials
package import Pairing

/// Strangers that are refused in numbers: a few are people with an old code, many are somebody at work.
///
/// It tells once an hour at most: otherwise a stranger could fill the list of messages.
package struct RefusalCount: Equatable, Sendable {
    /// So many refusals within ``period`` are told of.
    package static let limit = 100
    package static let period = 600.0
    package static let quiet = 3600.0

    private var start: Moment?
    private var count = 0
    private var lastTold: Moment?

    package init() {}

    /// Counts a refusal.
    ///
    /// - Returns: true if it is to be told of now.
    package mutating func note(at now: Moment) -> Bool {
        if start.map({ now.seconds(since: $0) >= RefusalCount.period }) ?? true { (start, count) = (now, 0) }
        count += 1
        guard count >= RefusalCount.limit,
            lastTold.map({ now.seconds(since: $0) >= RefusalCount.quiet }) ?? true
        else { return false }
        lastTold = now
        return true
    }
}

/// Whether the disk is nearly full.
package struct DiskWatch: Equatable, Sendable {
    /// Nearly full is a disk with less than this free, or than a twentieth of its size if that is less.
    package static let minimumFreeByteCount: UInt64 = 100 << 20

    private var isLow = false

    package init() {}

    /// What is to be told: true if it is nearly full now, false if it no longer is; nil: nothing new.
    ///
    /// It is over only with twice as much free, so that a disk at the limit is told of once.
    package mutating func look(free: UInt64, size: UInt64) -> Bool? {
        let limit = min(DiskWatch.minimumFreeByteCount, size / 20)
        let isLow = free < (self.isLow ? 2 * limit : limit)
        guard isLow != self.isLow else { return nil }
        self.isLow = isLow
        return isLow
    }
}

/// Whether the wall clock is behind a time that it has shown before.
package struct ClockWatch: Equatable, Sendable {
    /// Less than this is a correction by the network's time, in seconds.
    package static let tolerance = 60.0

    private var known: Moment?
    private var isBehind = false

    /// - Parameter known: the latest time that the hub knows of from before; nil: none.
    package init(known: Date?) { self.known = known.map { Moment(wall: $0) } }

    /// How many seconds the clock is behind, if that is to be told now: once each time.
    package mutating func look(at now: Moment) -> Double? {
        guard let known else {
            self.known = now
            return nil
        }
        // Within one boot the time is known by the boot clock.
        let passed = known.boot == nil ? 0 : max(0, now.seconds(since: known))
        let expected = known.wall.addingTimeInterval(passed)
        let behind = expected.timeIntervalSince(now.wall)
        if behind <= ClockWatch.tolerance {
            self.known = now
            isBehind = false
            return nil
        }
        defer { isBehind = true }
        return isBehind ? nil : behind
    }
}
