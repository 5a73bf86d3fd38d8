import CAvahi
import Glibc
import Synchronization

/// One thread that runs avahi's poll loop, and with it the jobs of the actors whose executor it is.
///
/// avahi's client objects are not safe to use from several threads: all calls and all callbacks belong on
/// the thread that polls for them. An actor on this executor has just that.
///
/// The thread ends by itself when nobody holds the loop any more; a queued job holds it.
final class EventLoopThread: SerialExecutor {
    /// For `avahi_client_new` and its kin.
    // Safe although not Sendable: the pointer never changes, it is valid as long as this object is (the
    // thread frees it only after deinit), and only code on the loop's own thread follows it.
    nonisolated(unsafe) let poll: UnsafePointer<AvahiPoll>
    private let queue: JobQueue
    private let thread: pthread_t

    init() throws(DiscoveryError) {
        let queue = try JobQueue()
        guard let simplePoll = avahi_simple_poll_new() else {
            throw .system(call: "avahi_simple_poll_new", errno: errno)
        }
        // Another thread wakes the loop through an eventfd. avahi_simple_poll_wakeup would do it with a
        // plain int that both threads write.
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
        // Signals are the main program's: a thread inherits the mask, so block all while it starts.
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

/// What the thread owns: the poll object, which it frees at its end.
private final class LoopThread {
    private let simplePoll: OpaquePointer
    private let queue: JobQueue

    init(simplePoll: OpaquePointer, queue: JobQueue) {
        self.simplePoll = simplePoll
        self.queue = queue
    }

    func run() {
        while queue.runAll() {
            // Each round makes at most one callback. -1: it sleeps until something happens, be it only the
            // eventfd. It fails only for want of memory or descriptors: try again, but do not spin.
            if avahi_simple_poll_iterate(simplePoll, -1) != 0 { usleep(10_000) }
        }
        avahi_simple_poll_free(simplePoll)
    }
}

/// Jobs on their way from any thread to the loop's.
private final class JobQueue: Sendable {
    struct Job: Sendable {
        let job: UnownedJob
        // Keeps the loop alive until the job has run, even if the job drops the last actor on it.
        let executor: EventLoopThread
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isClosed = false
    }

    /// An eventfd: readable when there is something to do.
    let wakeUp: Int32
    private let state = Mutex(State())

    init() throws(DiscoveryError) {
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeUp >= 0 else { throw .system(call: "eventfd", errno: errno) }
    }

    // The loop and its thread share this object, so neither can write to a descriptor that is closed.
    deinit { Glibc.close(wakeUp) }

    func append(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        signal()
    }

    func close() {
        state.withLock { $0.isClosed = true }
        signal()
    }

    /// Runs what is there, on the calling thread. False if nothing was there and nothing can come.
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
        // It fails only if the counter is full, and then the loop is awake anyway.
        _ = write(wakeUp, &one, MemoryLayout.size(ofValue: one))
    }
}
