public import FoundationEssentials

#if os(Linux) && !HUBPAIR_PORTABLE
import Glibc
#endif

/// A time as the hub's policy needs it: by the wall clock, and by the clock that nobody sets.
///
/// A Raspberry Pi has no clock of its own: it starts with a time of the past, and jumps once the network
/// tells it better. Between two moments of one boot only the boot clock counts; over a restart there is but
/// the wall clock.
public struct Moment: Equatable, Sendable {
    /// The wall clock's time, which may jump either way.
    public let wall: Date
    /// The boot clock's time; nil if the system does not say.
    public let boot: BootTime?

    /// A moment of these parts.
    public init(wall: Date, boot: BootTime? = nil) {
        self.wall = wall
        self.boot = boot
    }

    /// The moment now.
    public static var now: Moment { Moment(wall: Date(), boot: .now) }

    /// Seconds from `earlier` to this moment; negative only if the wall clock was set back and the host
    /// restarted.
    public func seconds(since earlier: Moment) -> Double {
        monotonicSeconds(since: earlier.boot) ?? wall.timeIntervalSince(earlier.wall)
    }

    /// Seconds by the boot clock from `earlier` to this moment; nil if that was in another boot.
    func monotonicSeconds(since earlier: BootTime?) -> Double? {
        guard let boot, let earlier, boot.id == earlier.id else { return nil }
        return Double(boot.milliseconds - earlier.milliseconds) / 1000
    }

    /// The wall clock's time, if it is known to have been `known` once; nil if it is behind that, nobody
    /// knows by how much.
    ///
    /// Within one boot the time goes on from there by the boot clock, however far the wall clock is set back.
    func wall(notBefore known: Moment?) -> Date? {
        guard let known else { return wall }
        if let elapsed = monotonicSeconds(since: known.boot) {
            return max(wall, known.wall.addingTimeInterval(max(0, elapsed)))
        }
        return wall >= known.wall ? wall : nil
    }

    /// The same if several are known; nil if it is behind one of them.
    package func wall(notBefore known: [Moment?]) -> Date? {
        let times = known.map { wall(notBefore: $0) }
        return times.contains(nil) ? nil : times.compactMap(\.self).max() ?? wall
    }

    /// Seconds until `expires`; 0 if that is over, or may be, since the wall clock is behind a time that is
    /// known.
    package func secondsLeft(until expires: Date, notBefore known: [Moment?]) -> Double {
        wall(notBefore: known).map { max(0, expires.timeIntervalSince($0)) } ?? 0
    }

    /// The later of two: the one after which the other is behind.
    package func latest(and other: Moment?) -> Moment {
        guard let other, wall(notBefore: other) != wall else { return self }
        return other
    }

    /// True if `event` was less than `window` seconds ago. A wall clock that was set back over a restart
    /// makes it lie in the future: a little is taken as it is, more as long ago, so that nothing lasts until
    /// the clock catches up.
    func isWithin(_ window: Double, of event: Moment) -> Bool { abs(seconds(since: event)) < window }
}

/// A reading of CLOCK_BOOTTIME, which runs on in suspend and is never set, and the boot that it belongs to.
///
///     text = boot-id SP 1*18DIGIT              ; milliseconds
///     boot-id = 36( DIGIT / %x61-66 / "-" )    ; as in /proc/sys/kernel/random/boot_id
///
/// Accepted: `6f0e4a0c-3c5b-4f0e-9d0e-2b1f3c4d5e6f 123456`. Rejected: the same in upper case, without a
/// number, with a sign.
public struct BootTime: Equatable, Sendable, CustomStringConvertible {
    /// The kernel's name for this boot: 36 characters, a UUID in lower case.
    public let id: String
    /// Milliseconds since the boot, from 0 on.
    public let milliseconds: Int64

    /// A reading of these parts, or nil if one is out of its range.
    public init?(id: String, milliseconds: Int64) {
        let isUUID = id.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-")
        }
        guard isUUID, id.utf8.count == 36, (0..<1_000_000_000_000_000_000).contains(milliseconds) else {
            return nil
        }
        self.id = id
        self.milliseconds = milliseconds
    }

    /// A reading from its text.
    public init?(_ text: String) {
        // Bytes, not Characters: files have one of these for each code, and all are read at each start.
        guard let space = text.utf8.firstIndex(of: 0x20),
            let milliseconds = Int64(digits: text[text.utf8.index(after: space)...])
        else { return nil }
        self.init(id: String(text[..<space]), milliseconds: milliseconds)
    }

    /// As files have it.
    public var description: String { "\(id) \(milliseconds)" }

    /// The reading now; nil if the system does not say.
    public static var now: BootTime? {
        #if os(Linux) && !HUBPAIR_PORTABLE
        var time = timespec()
        guard clock_gettime(CLOCK_BOOTTIME, &time) == 0 else { return nil }
        return BootTime(id: bootID, milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
        #else
        return nil
        #endif
    }

    #if os(Linux) && !HUBPAIR_PORTABLE
    private static let bootID = String(
        ProcFile.text("/proc/sys/kernel/random/boot_id").prefix { $0 != "\n" })
    #endif
}

extension KeyFile {
    /// The moment at `key` (its wall clock) and `boot` (its boot clock, which may be missing).
    package func moment(_ key: String, boot: String, in group: String) throws(KeyFileError) -> Moment? {
        guard let wall = try time(key, in: group) else { return nil }
        return Moment(wall: wall, boot: try bootTime(boot, in: group))
    }

    func bootTime(_ key: String, in group: String) throws(KeyFileError) -> BootTime? {
        guard let text = value(key, in: group) else { return nil }
        guard let time = BootTime(text) else {
            throw .invalidValue("not a boot ID and milliseconds", key: key, group: group)
        }
        return time
    }
}
