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
    // Safe although not Sendable: the pointer never changes, stays valid as long as this object exists (the
    // thread frees it only after deinit), and is dereferenced only on the loop's own thread.
    nonisolated(unsafe) let poll: UnsafePointer<AvahiPoll>
    private let queue: JobQueue
    private let thread: pthread_t

    init() throws(DiscoveryError) {
        let queue = try JobQueue()
        guard let simplePoll = avahi_simple_poll_new() else {
            throw .system(call: "avahi_simple_poll_new", errno: errno)
        }
        // Other threads wake the loop through an eventfd. avahi_simple_poll_wakeup is not thread-safe: it
        // writes a plain int from both threads.
        guard let poll = avahi_simple_poll_get(simplePoll),
            poll.pointee.watch_new?(
                poll, queue.wakeUp, AVAHI_WATCH_IN,
                { _, descriptor, _, _ in
                    var count: UInt64 = 0
                    _ = read(descriptor, &count, MemoryLayout.size(ofValue: count))
                }, nil) != nil
        else {
            avahi_simple_poll_free(simplePoll)
            throw .avahi(AvahiCode.noMemory)
        }
        do throws(DiscoveryError) {
            thread = try EventLoopThread.start(LoopThread(simplePoll: simplePoll, queue: queue))
        } catch {
            avahi_simple_poll_free(simplePoll)
            throw error
        }
        self.poll = poll
        self.queue = queue
    }

    deinit { queue.close() }

    func enqueue(_ job: consuming ExecutorJob) {
        queue.append(JobQueue.Job(job: UnownedJob(job), executor: self))
    }

    func checkIsolated() {
        precondition(
            pthread_equal(pthread_self(), thread) != 0, "avahi's objects belong to its loop's thread")
    }

    private static func start(_ body: LoopThread) throws(DiscoveryError) -> pthread_t {
        // A new thread inherits the signal mask. Block all signals while it starts, so that the program's own
        // threads handle them.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let argument = Unmanaged.passRetained(body)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<LoopThread>.fromOpaque(argument).takeRetainedValue().run()
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

/// The state that the thread owns; it frees the poll object when it ends.
private final class LoopThread {
    private let simplePoll: OpaquePointer
    private let queue: JobQueue

    init(simplePoll: OpaquePointer, queue: JobQueue) {
        self.simplePoll = simplePoll
        self.queue = queue
    }

    func run() {
        while queue.runAll() {
            // Each iteration makes at most one callback. The timeout -1 sleeps until an event, such as a
            // write to the eventfd. An error means that memory or descriptors ran out: retry, with a pause
            // instead of a busy loop.
            if avahi_simple_poll_iterate(simplePoll, -1) != 0 { usleep(10_000) }
        }
        avahi_simple_poll_free(simplePoll)
    }
}

/// The queue that carries jobs from any thread to the loop's thread.
private final class JobQueue: Sendable {
    struct Job: Sendable {
        let job: UnownedJob
        // Keeps the loop alive until the job has run, even if the job releases the last actor on it.
        let executor: EventLoopThread
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isClosed = false
    }

    /// An eventfd that becomes readable when a job is queued or the queue is closed.
    let wakeUp: Int32
    private let state = Mutex(State())

    init() throws(DiscoveryError) {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw .system(call: "eventfd", errno: errno) }
    }

    // Both the loop and its thread hold this object, so neither can write to a closed descriptor.
    deinit { Glibc.close(wakeUp) }

    func append(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        signal()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        signal()
    }

    /// Runs the queued jobs on the calling thread. Returns false if there were none and the queue is closed.
    func runAll() -> Bool {
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
