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

    /// From now on the time of this process counts too, which works for the search.
    func count(_ process: pid_t) { helper.process.store(process, ordering: .relaxed) }

    /// That process has been waited for, and took so many seconds. They count from now on.
    func counted(_ seconds: Double) {
        guard end != nil else { return }
        helper.process.store(0, ordering: .relaxed)
        let before = Double(bitPattern: helper.ended.load(ordering: .relaxed))
        helper.ended.store((before + seconds).bitPattern, ordering: .relaxed)
    }

    /// Programs that draw pages, one after the other. `RUSAGE_CHILDREN` would count those of other searches
    /// in this process too.
    private final class Helper: Sendable {
        /// The one that runs; 0 if none does.
        let process = Atomic<pid_t>(0)
        /// The seconds of those that have ended, as the bits of a `Double`. Only the thread that searches
        /// writes it.
        let ended = Atomic<UInt64>(0)
    }

    /// The processor time of this thread and of its programs.
    private static func used(with helper: Helper) -> Double {
        var own = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own)
        let process = helper.process.load(ordering: .relaxed)
        return seconds(own) + Double(bitPattern: helper.ended.load(ordering: .relaxed))
            + (process > 0 ? used(by: process) : 0)
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
