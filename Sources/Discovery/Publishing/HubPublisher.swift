/// Announces a hub over mDNS until its task is cancelled: through avahi-daemon if it runs and lets this program, else by
/// avahi's own stack in this process.
///
///     let publisher = try HubPublisher(HubAnnouncement(name: name, port: 8000, id: pin.fingerprint))
///     await publisher.run { event in log(event) }
///
/// A taken name is replaced by the next free one (`Hub #2`). A daemon that dies or appears is noticed, and the service
/// moves to it or away from it: beside a daemon that publishes for it this process never does so by itself, since two
/// stacks of one machine would dispute its names.
public actor HubPublisher {
    /// How long it waits before it tries again what has failed.
    public static let retryInterval = Duration.seconds(10)
    /// How long a daemon that went away may take to come back, before this process speaks for itself: a restart takes
    /// about a second.
    public static let restartGrace = Duration.seconds(3)
    /// Several changes of the network that belong together come within this time.
    private static let settling = Duration.milliseconds(500)

    private enum State { case new, open, closed }

    private let loop: EventLoopThread
    private let announcement: HubAnnouncement
    private let usesDaemon: Bool

    private var state = State.new
    private var name: String
    private var report: @Sendable (Event) -> Void = { _ in }
    private var finished: CheckedContinuation<Void, Never>?
    private var daemon: DaemonPublishing?
    // The daemon that is there will not publish: nothing is asked of it until another one takes its place.
    private var isRefused = false
    private var embedded: EmbeddedPublishing?
    // An event of a stack that was closed meanwhile means nothing: each has a number.
    private var numbers: [Stack: Int] = [:]
    private var pending: [(event: PublishingEvent, stack: Stack, number: Int)] = []
    private var renames = RenamePolicy()
    // From when a service is handed to a stack until that says what becomes of it.
    private var registrations: [Stack: Task<Void, Never>] = [:]
    private var timeout: RegistrationTimeout
    private var lastTrouble: Event?
    // The next attempt to reach a stack, and the next to publish.
    private var later: Task<Void, Never>?
    private var again: Task<Void, Never>?
    private var changes: DescriptorWatch?
    private var settled: Task<Void, Never>?

    /// The thread of its own that it runs on, which is avahi's.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// A publisher. Throws ``DiscoveryError/system(call:errno:)`` if there is no thread or descriptor for it.
    public init(_ announcement: HubAnnouncement) throws(DiscoveryError) {
        try self.init(announcement, usesDaemon: true)
    }

    /// - Parameters:
    ///   - usesDaemon: false to leave a daemon aside, for tests on a machine that has one.
    ///   - timeout: when a stack that does not answer is asked again; shorter in tests.
    init(
        _ announcement: HubAnnouncement, usesDaemon: Bool,
        timeout: RegistrationTimeout = RegistrationTimeout()
    ) throws(DiscoveryError) {
        loop = try EventLoopThread()
        self.timeout = timeout
        self.announcement = announcement
        self.usesDaemon = usesDaemon
        name = announcement.name.description
    }

    /// Publishes until its task is cancelled; goodbyes are sent and all is freed then. A publisher runs once.
    public func run(_ report: @escaping @Sendable (Event) -> Void = { _ in }) async {
        guard case .new = state, !Task.isCancelled else { return }
        state = .open
        self.report = report
        changes = DescriptorWatch.networkChanges(on: loop) { [unowned self] in
            assumeIsolated { $0.networkChanged() }
        }
        connect(afterLoss: false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if case .open = state { finished = continuation } else { continuation.resume() }
            }
        } onCancel: {
            Task { await close() }
        }
    }

    private func close() {
        state = .closed
        for task in [later, again, settled] { task?.cancel() }
        for task in registrations.values { task.cancel() }
        changes?.close()
        daemon?.close()
        embedded?.close()
        (changes, daemon, embedded) = (nil, nil, nil)
        finished?.resume()
        finished = nil
    }

    /// Takes the daemon's way if there is one, else this process's own.
    private func connect(afterLoss: Bool) {
        guard usesDaemon else { return embed() }
        isRefused = false
        do throws(DiscoveryError) {
            let daemon = try DaemonPublishing(on: loop, changed: events(of: .daemon))
            self.daemon = daemon
            if daemon.isReady { return moveToDaemon() }
            guard daemon.isWaiting else { return moveAway() }
            if afterLoss { attempt(after: HubPublisher.restartGrace) { $0.embed() } } else { embed() }
        } catch {
            switch error {
            case .refused, .noClient:
                isRefused = true
                tell(.refused(error))
            default: break
            }
            embed()
            // The bus may still come, or let this program in.
            attempt(after: HubPublisher.retryInterval) { $0.connect(afterLoss: false) }
        }
    }

    private func moveToDaemon() {
        moveAway()
        daemon?.publish(announcement, as: name)
    }

    /// Leaves the names to a daemon that is there.
    private func moveAway() {
        later?.cancel()
        registrations.removeValue(forKey: .embedded)?.cancel()
        numbers[.embedded, default: 0] += 1
        embedded?.close()
        embedded = nil
    }

    private func embed() {
        guard case .open = state, embedded == nil, isRefused || daemon?.isWaiting ?? true else { return }
        do throws(DiscoveryError) {
            let embedded = try EmbeddedPublishing(
                on: loop, for: announcement, changed: events(of: .embedded))
            self.embedded = embedded
            embedded.publish(announcement, as: name)
        } catch {
            tell(.unavailable(error))
            attempt(after: HubPublisher.retryInterval) { $0.embed() }
        }
    }

    /// A callback for a new stack. What it tells is dealt with after the callback, from which nothing may be freed.
    private func events(of stack: Stack) -> (PublishingEvent) -> Void {
        let number = numbers[stack, default: 0] + 1
        numbers[stack] = number
        return { [unowned self] event in
            // Without assumeIsolated the compiler takes this closure for the actor's own, and releases the actor once
            // too often (Swift 6.3).
            assumeIsolated { $0.note(event, of: stack, number: number) }
        }
    }

    private func note(_ event: PublishingEvent, of stack: Stack, number: Int) {
        pending.append((event, stack, number))
        if pending.count == 1 { Task { handlePending() } }
    }

    private func handlePending() {
        while !pending.isEmpty {
            let (event, stack, number) = pending.removeFirst()
            guard case .open = state, numbers[stack] == number else { continue }
            handle(event, of: stack)
        }
    }

    private func handle(_ event: PublishingEvent, of stack: Stack) {
        registrations.removeValue(forKey: stack)?.cancel()
        switch event {
        case .ready: if stack == .embedded { publish(by: stack) } else if !isRefused { moveToDaemon() }
        case .busy: if !isRefused { moveAway() }
        case .registering: awaitRegistration(by: stack)
        case .established:
            timeout.reset()
            if !isRefused { lastTrouble = nil }
            report(.published(name: name, by: stack))
        case .collision:
            let taken = name
            name = alternativeName(to: taken)
            report(.renamed(from: taken, to: name))
            let delay = renames.delay()
            if delay == .zero { publish(by: stack) } else { publishAgain(after: delay, by: stack) }
        case .refused(let error) where stack == .daemon && error.isWithoutDaemon:
            tell(.refused(error))
            isRefused = true
            embed()
        case .refused(let error):
            tell(.unavailable(error))
            publishAgain(after: HubPublisher.retryInterval, by: stack)
        case .failed(let error):
            again?.cancel()
            if stack == .daemon {
                report(.daemonLost(error))
                daemon?.close()
                daemon = nil
                connect(afterLoss: true)
            } else {
                tell(.unavailable(error))
                embedded?.close()
                embedded = nil
                attempt(after: HubPublisher.retryInterval) { $0.embed() }
            }
        }
    }

    private func publish(by stack: Stack) {
        let publication: (any PublishingStack)? = stack == .daemon ? daemon : embedded
        publication?.publish(announcement, as: name)
    }

    private func awaitRegistration(by stack: Stack) {
        let patience = timeout.current
        registrations[stack] = Task {
            do { try await Task.sleep(for: patience) } catch { return }
            guard !Task.isCancelled else { return }
            if timeout.isFirst { report(.overdue(name: name, by: stack)) }
            timeout.extend()
            publish(by: stack)
        }
    }

    private func publishAgain(after delay: Duration, by stack: Stack) {
        again?.cancel()
        again = Task {
            do { try await Task.sleep(for: delay) } catch { return }
            publish(by: stack)
        }
    }

    private func attempt(after delay: Duration, _ body: @escaping @Sendable (isolated HubPublisher) -> Void) {
        later?.cancel()
        later = Task {
            do { try await Task.sleep(for: delay) } catch { return }
            if case .open = state { body(self) }
        }
    }

    /// Reports what hinders it, once and not with every attempt.
    private func tell(_ trouble: Event) {
        guard trouble != lastTrouble else { return }
        lastTrouble = trouble
        report(trouble)
    }

    private func networkChanged() {
        guard settled == nil else { return }
        settled = Task {
            do { try await Task.sleep(for: HubPublisher.settling) } catch { return }
            settled = nil
            embedded?.networkChanged()
        }
    }
}
