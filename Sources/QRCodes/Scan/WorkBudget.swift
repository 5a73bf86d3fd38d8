import CGlibc
import Glibc

/// How much processor time the search of a file may take. When it is spent, the search ends with what was
/// found until then.
///
/// The limits of the steps count work, and bound a picture. This bounds a file, whatever it is: an animation
/// of large frames, a document of many pages.
package struct WorkBudget: Sendable {
    /// In seconds of processor time, as `used` counts it; nil without a limit.
    private let end: Double?

    package static let unlimited = WorkBudget(end: nil)

    private init(end: Double?) { self.end = end }

    /// From now on.
    init(seconds: Double) { end = WorkBudget.used + seconds }

    /// What is left, in seconds.
    var left: Double { end.map { $0 - WorkBudget.used } ?? .infinity }

    var isSpent: Bool { left <= 0 }

    /// The processor time of this thread, and of the ended processes that this one waited for.
    private static var used: Double {
        var own = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own)
        var others = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &others)
        return seconds(own) + Double(others.ru_utime.tv_sec + others.ru_stime.tv_sec)
            + Double(others.ru_utime.tv_usec + others.ru_stime.tv_usec) / 1e6
    }

    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time that another process has used until now.
    static func used(by process: pid_t) -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return seconds(time)
    }
}
