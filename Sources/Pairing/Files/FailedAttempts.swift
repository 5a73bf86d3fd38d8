package import FoundationEssentials

/// The hub's file `attempts`: how often pairing has failed, by code and by source. A value: the time is a
/// parameter.
///
///     [keyfile]
///     format=1
///
///     [clock]
///     time=2026-11-21T10:22:03Z
///     boot=6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456
///     latest=2026-11-21T11:04:51Z
///
///     [ticket 7M2KQ0V3XG5TA]
///     failures=2
///
///     [source ipv4 192.0.2.7]
///     failures=118201 123456
///
/// `[clock]` says when the file was written; `boot` is as `BootTime` has it; `latest` is only there if the
/// file was written at a later time before, by a wall clock that was set back since. A ticket has the number
/// of its failed proofs; a source, as `SourcePrefix` writes it, the times of its failures in the last 10
/// minutes, in milliseconds of that boot's clock (at most 20, each of at most 18 digits, perhaps with a minus
/// sign).
///
/// Accepted: the above. Rejected: no `[clock]` with a source below it, a count or a time that is no number,
/// another kind of group, `format=2`.
///
/// 5 failed proofs kill a once code. 20 failures in 10 minutes stop a source. Nothing is counted over all
/// sources, so junk from some cannot shut out another. At most 1,024 sources are remembered; for one more,
/// the source with the fewest failures goes, of those the one whose last failure is the oldest. So no source
/// that is stopped is let go while one is remembered that is not. An attacker with more than 1,024 addresses
/// who spends 20 failures on each gains guesses, against 80 bits and 5 for each code.
public struct FailedAttempts: Equatable, Sendable {
    package static let fileName = "attempts"
    /// How many failed proofs kill a once code.
    public static let ticketLimit = 5
    /// How many failures within the window stop a source.
    public static let sourceLimit = 20
    /// How long a failure of a source counts: 10 minutes, in seconds.
    public static let window: Double = 600
    /// How many sources are remembered.
    public static let maximumSources = 1_024

    private var tickets: [TicketID: Int] = [:]
    /// The times of the failures, the oldest first, in milliseconds by `clock`.
    private var sources: [SourcePrefix: [Int64]] = [:]
    private var clock: Moment?
    /// The latest time at which the file was written, by the wall clock; nil if it never was.
    package private(set) var latest: Date?
    private var file: KeyFile

    /// No failure.
    public init() {
        file = .empty(comment: "Attempts to pair that failed; written by hubpair.")
    }

    /// Reads the file; the first fault refuses all of it.
    public init(parsing bytes: [UInt8]) throws(KeyFileError) {
        file = try KeyFile(parsing: bytes)
        try file.checkFormat()
        clock = try file.moment("time", boot: "boot", in: FailedAttempts.clockGroup)
        latest = [clock?.wall, try file.time("latest", in: FailedAttempts.clockGroup)].compactMap(\.self)
            .max()
        for group in file.groupNames where group != KeyFile.formatGroup && group != FailedAttempts.clockGroup
        {
            let words = group.split(separator: " ", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw .unknownGroup(group) }
            if words[0] == "ticket", let id = TicketID(words[1]) {
                guard let count = try file.number("failures", in: group) else {
                    throw .missingKey("failures", group: group)
                }
                tickets[id] = count
            } else if words[0] == "source", let source = SourcePrefix(words[1]), clock != nil {
                sources[source] = try FailedAttempts.times(file.required("failures", in: group), in: group)
            } else {
                throw .unknownGroup(group)
            }
        }
        guard sources.count <= FailedAttempts.maximumSources else {
            throw .invalidValue("more sources than 1,024", key: "failures", group: "source")
        }
    }

    /// The bytes of the file.
    public var serialized: [UInt8] { file.serialized }
    /// How many sources are remembered.
    public var sourceCount: Int { sources.count }

    /// How many proofs for this ticket have failed.
    public func failures(of ticket: TicketID) -> Int { tickets[ticket] ?? 0 }

    /// How many failures of this source count at the time `now`.
    public func failures(of source: SourcePrefix, at now: Moment) -> Int {
        (sources[source] ?? []).count { isCounted($0, at: now) }
    }

    /// Counts a failure: of the source, and of a once ticket if the proof for one was wrong.
    public mutating func record(_ source: SourcePrefix, ticket: TicketID?, at now: Moment) {
        rebase(to: now)
        stampClock(now)
        forgetSources(at: now)
        if sources[source] == nil, sources.count >= FailedAttempts.maximumSources {
            let least = sources.min {
                ($0.value.count, $0.value.last ?? 0) < ($1.value.count, $1.value.last ?? 0)
            }
            if let least { remove([least.key]) }
        }
        let times =
            (sources[source] ?? []).suffix(FailedAttempts.sourceLimit - 1) + [
                FailedAttempts.milliseconds(now)
            ]
        set(Array(times), of: source)
        if let ticket {
            // Nothing is counted beyond the limit: such a request is not judged.
            tickets[ticket] = min(failures(of: ticket) + 1, FailedAttempts.ticketLimit)
            file.set("failures", to: String(failures(of: ticket)), in: "ticket \(ticket)")
        }
    }

    /// Forgets the counts of tickets that are not among `ids`.
    public mutating func keepTickets(_ isKnown: (TicketID) -> Bool) {
        let gone = tickets.keys.filter { !isKnown($0) }
        file.removeGroups(Set(gone.map { "ticket \($0)" }))
        for id in gone { tickets[id] = nil }
    }

    /// Brings the times to the clock of `now`, if that is another one: the failures are as old as the wall
    /// clock says, and at least as old as they were when the file was written. Call it when the file has been
    /// read: a wall clock that was set back over a restart would hold a source for as long.
    public mutating func rebase(to now: Moment) {
        guard let clock, now.monotonicSeconds(since: clock.boot) == nil else { return }
        let rest = max(0, min(1e9, now.seconds(since: clock)))
        let shift = FailedAttempts.milliseconds(now) - FailedAttempts.milliseconds(clock) - Int64(rest * 1000)
        for (source, times) in sources {
            set(
                times.map { max(-FailedAttempts.farthest, min(FailedAttempts.farthest, $0 + shift)) },
                of: source)
        }
        stampClock(now)
    }

    private mutating func stampClock(_ now: Moment) {
        clock = now
        let latest = max(latest ?? now.wall, now.wall)
        self.latest = latest
        file.set("time", to: now.wall.timestamp, in: FailedAttempts.clockGroup)
        file.set(
            "latest", to: latest > now.wall ? latest.timestamp : nil, in: FailedAttempts.clockGroup)
        file.set("boot", to: now.boot?.description, in: FailedAttempts.clockGroup)
    }

    private func isCounted(_ time: Int64, at now: Moment) -> Bool {
        guard let clock else { return false }
        let age = now.seconds(since: clock) + Double(FailedAttempts.milliseconds(clock) - time) / 1000
        return age < FailedAttempts.window
    }

    private mutating func forgetSources(at now: Moment) {
        remove(sources.filter { !$0.value.contains { isCounted($0, at: now) } }.map(\.key))
    }

    private mutating func remove(_ gone: [SourcePrefix]) {
        file.removeGroups(Set(gone.map { "source \($0)" }))
        for source in gone { sources[source] = nil }
    }

    private mutating func set(_ times: [Int64], of source: SourcePrefix) {
        sources[source] = times
        file.set("failures", to: times.map(String.init).joined(separator: " "), in: "source \(source)")
    }

    private static let clockGroup = "clock"
    /// Far beyond every clock, and still short enough to be read again.
    private static let farthest: Int64 = 10_000_000_000_000_000

    /// The boot clock's time, or the wall clock's where there is none.
    private static func milliseconds(_ moment: Moment) -> Int64 {
        moment.boot?.milliseconds ?? Int64(max(-1e14, min(1e14, moment.wall.timeIntervalSince1970 * 1000)))
    }

    private static func times(_ text: String, in group: String) throws(KeyFileError) -> [Int64] {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        let times = words.compactMap { word in
            word.utf8.count > 18
                ? nil
                : word.hasPrefix("-") ? Int64(digits: word.dropFirst()).map { -$0 } : Int64(digits: word)
        }
        guard times.count == words.count, times.count <= sourceLimit else {
            throw .invalidValue("not at most 20 times in milliseconds", key: "failures", group: group)
        }
        return times
    }
}
