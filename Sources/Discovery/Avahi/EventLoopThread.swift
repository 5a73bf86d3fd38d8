import CAvahi
import Glibc
import Synchronization

/// A thread that runs avahi's poll loop and the jobs of the actors that use it as their executor.
///
/// avahi's client objects are not thread-safe: all calls and callbacks must happen on the thread that polls
/// for them. An actor on this executor meets that requirement.
///
/// The thread ends once nothing refers to the loop any more; a queued job counts as a reference.
final class EventLoopThread: SerialExecutor {
    /// The poll object that `avahi_client_new` and similar functions take.
    // Safe although not Sendable: the pointer never changes, stays valid as long as this object exists, and
    // is dereferenced only on the loop's own thread.
    nonisolated(unsafe) let poll: UnsafePointer<AvahiPoll>
    private let loop: PollLoop
    private let thread: pthread_t

    init() throws(DiscoveryError) {
        loop = try PollLoop()
        poll = loop.poll
        thread = try EventLoopThread.start(loop)
    }

    deinit { loop.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        loop.append(PollLoop.Job(job: UnownedJob(job), executor: self))
    }

    func checkIsolated() {
        precondition(
            pthread_equal(pthread_self(), thread) != 0, "avahi's objects belong to its loop's thread")
    }

    private static func start(_ loop: PollLoop) throws(DiscoveryError) -> pthread_t {
        // A new thread inherits the signal mask. Block all signals while it starts, so that the program's own
        // threads handle them.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let argument = Unmanaged.passRetained(loop)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<PollLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw .system(call: "pthread_create", errno: status)
        }
        pthread_setname_np(thread, "avahi-loop")
        pthread_detach(thread)
        return thread
    }
}

/// What the thread runs: avahi's poll loop, and the jobs that come from any thread. Both the executor and its
/// thread hold this object, so neither can use what it has freed.
private final class PollLoop: Sendable {
    struct Job: Sendable {
        let job: UnownedJob
        // Keeps the loop alive until the job has run, even if the job releases the last actor on it.
        let executor: EventLoopThread
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isClosed = false
    }

    // Safe although not Sendable, as the poll object of ``EventLoopThread``.
    private nonisolated(unsafe) let simplePoll: OpaquePointer
    nonisolated(unsafe) let poll: UnsafePointer<AvahiPoll>
    /// An eventfd that becomes readable when a job is queued or the queue is closed.
    private let wakeUp: Int32
    private let state = Mutex(State())

    init() throws(DiscoveryError) {
        guard let simplePoll = avahi_simple_poll_new(), let poll = avahi_simple_poll_get(simplePoll) else {
            throw .system(call: "avahi_simple_poll_new", errno: errno)
        }
        (self.simplePoll, self.poll) = (simplePoll, poll)
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw .system(call: "eventfd", errno: errno) }
        // Other threads wake the loop through it. avahi_simple_poll_wakeup is not thread-safe: it writes a
        // plain int from both threads.
        let watch = poll.pointee.watch_new?(
            poll, wakeUp, AVAHI_WATCH_IN,
            { _, descriptor, _, _ in
                var count: UInt64 = 0
                _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
            }, nil)
        guard watch != nil else { throw .avahi(AvahiCode.noMemory) }
    }

    deinit {
        avahi_simple_poll_free(simplePoll)
        Glibc.close(wakeUp)
    }

    func run() {
        while runJobs() {
            // Each iteration makes at most one callback. The timeout -1 sleeps until an event, such as a
            // write to the eventfd. An error means that memory or descriptors ran out: retry, with a pause
            // instead of a busy loop.
            if avahi_simple_poll_iterate(simplePoll, -1) != 0 { usleep(10_000) }
        }
    }

    func append(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        signal()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        signal()
    }

    /// Runs the queued jobs. Returns false if there were none and the queue is closed.
    private func runJobs() -> Bool {
        let (jobs, isClosed) = state.withLock { state in
            defer { state.jobs = [] }
            return (state.jobs, state.isClosed)
        }
        for entry in jobs { entry.job.runSynchronously(on: entry.executor.asUnownedSerialExecutor()) }
        return !isClosed || !jobs.isEmpty
    }

    private func signal() {
        var one: UInt64 = 1
        // write fails only if the counter is at its maximum, and then the loop is already awake.
        _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one))
    }
}

extension Task where Success == Never, Failure == Never {
    static func untilCancelled() async {
        let (end, continuation) = AsyncStream.makeStream(of: Never.self)
        for await _ in end {}
        continuation.finish()
    }
}

// What the loop calls, on its own thread, for an actor that has it as its executor.
//
// Such a closure is formed here, where nothing is isolated. Formed by the actor it is taken for isolated to
// an unowned one: Swift 6.3 releases the actor once too often if it calls it directly, and Swift 6.2 with
// assertions, as Debian has it, fails.
extension Actor {
    nonisolated func callback(_ act: @escaping @Sendable (isolated Self) -> Void) -> () -> Void {
        { [unowned self] in assumeIsolated { act($0) } }
    }

    nonisolated func callback<Event: Sendable>(
        _ act: @escaping @Sendable (isolated Self, Event) -> Void
    ) -> (Event) -> Void {
        { [unowned self] event in assumeIsolated { act($0, event) } }
    }
}
