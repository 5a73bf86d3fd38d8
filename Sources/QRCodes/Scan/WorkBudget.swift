import CGlibc
import Glibc
import Synchronization

/// How much processor time the search of a file may take. When it is spent, the search ends with what was
/// found until then.
///
/// The limits of the steps count work, and bound a picture. This bounds a file, whatever it is: an animation
/// of large frames, a document of many pages.
package struct WorkBudget: Sendable {
    /// In seconds of processor time, as `used` counts it; nil without a limit.
    private let end: Double?
    private let helper: Helper

    package static let unlimited = WorkBudget(end: nil, helper: Helper())

    private init(end: Double?, helper: Helper) { (self.end, self.helper) = (end, helper) }

    /// From now on.
    init(seconds: Double) {
        let helper = Helper()
        self.init(end: seconds + WorkBudget.used(with: helper), helper: helper)
    }

    /// The budget of the same file that ends so much later.
    func extended(by seconds: Double) -> WorkBudget {
        WorkBudget(end: end.map { $0 + seconds }, helper: helper)
    }

    /// What is left, in seconds.
    var left: Double { end.map { $0 - WorkBudget.used(with: helper) } ?? .infinity }

    var isSpent: Bool { left <= 0 }

    /// From now on the time of this process counts too, which works for the search; 0: it has been waited
    /// for.
    func count(_ process: pid_t) { helper.process.store(process, ordering: .relaxed) }

    /// A program that draws pages. Its time is known to the system as this process's only once it has ended.
    private final class Helper: Sendable {
        let process = Atomic<pid_t>(0)
    }

    /// The processor time of this thread, of the helper, and of the ended processes that this one waited for.
    private static func used(with helper: Helper) -> Double {
        var own = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own)
        var others = rusage()
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &others)
        let process = helper.process.load(ordering: .relaxed)
        return seconds(own) + Double(others.ru_utime.tv_sec + others.ru_stime.tv_sec)
            + Double(others.ru_utime.tv_usec + others.ru_stime.tv_usec) / 1e6
            + (process > 0 ? used(by: process) : 0)
    }

    private static func seconds(_ time: timespec) -> Double {
        Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// The processor time that another process has used until now.
    private static func used(by process: pid_t) -> Double {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return seconds(time)
    }
}
