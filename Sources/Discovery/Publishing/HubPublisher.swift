/// Announces a hub over mDNS until its task is cancelled: through avahi-daemon if it runs and permits that,
/// otherwise through the embedded stack (avahi's code in this process).
///
///     let publisher = try HubPublisher(HubAnnouncement(name: name, port: 8000, id: pin.fingerprint))
///     await publisher.run { event in log(event) }
///
/// If the name is taken, the next free one is used (`Hub #2`). The publisher notices when a daemon stops or
/// appears, and moves the service from or to it. While a daemon publishes the service, this process does not:
/// two stacks on one machine would conflict over its names.
public actor HubPublisher {
    /// How long to wait before a failed step is retried.
    public static let retryInterval = Duration.seconds(10)
    /// How long to wait for a lost daemon to come back before the embedded stack takes over; a restart takes
    /// about a second.
    public static let restartGrace = Duration.seconds(3)
    /// How long to wait after a network change, so that related changes are handled once.
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
    // True if the running daemon refuses to publish: it is not asked again until another one replaces it.
    private var isRefused = false
    private var embedded: EmbeddedPublishing?
    // The number of the current instance of each stack; late events of a closed instance are ignored.
    private var numbers: [Stack: Int] = [:]
    private var pending: [(event: PublishingEvent, stack: Stack, number: Int)] = []
    private var renames = RenamePolicy()
    // The running timeouts: from handing a service to a stack until the stack reports the result.
    private var registrations: [Stack: Task<Void, Never>] = [:]
    private var timeout: RegistrationTimeout
    private var lastTrouble: Event?
    private var lastHosts: [String] = []
    // The scheduled attempts to reach a stack, and to publish.
    private var later: Task<Void, Never>?
    private var again: Task<Void, Never>?
    private var changes: DescriptorWatch?
    private var settled: Task<Void, Never>?
    private var services = WebServiceBook()
    private var servicesAgain: Task<Void, Never>?
    private var servicesTimeout = RegistrationTimeout()

    /// The executor: a thread of its own, which runs avahi's loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// Creates a publisher. Throws ``DiscoveryError/system(call:errno:)`` if no thread or descriptor is
    /// available.
    public init(_ announcement: HubAnnouncement) throws(DiscoveryError) {
        try self.init(announcement, usesDaemon: true)
    }

    /// - Parameters:
    ///   - usesDaemon: false to ignore a running daemon, for tests.
    ///   - timeout: when to publish again if a stack does not answer; shorter in tests.
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

    /// Publishes until its task is cancelled; then it sends goodbyes and frees everything. A publisher runs
    /// once; a second call returns at once.
    public func run(_ report: @escaping @Sendable (Event) -> Void = { _ in }) async {
        guard case .new = state, !Task.isCancelled else { return }
        state = .open
        self.report = report
        changes = DescriptorWatch.networkChanges(on: loop, changed: callback { $0.networkChanged() })
        connect(afterLoss: false)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if case .open = state { finished = continuation } else { continuation.resume() }
            }
        } onCancel: {
            Task { await close() }
        }
    }

    /// Publishes web services beside the hub, in place of those before.
    public func announce(_ services: [WebAnnouncement]) {
        for service in self.services.keep(services) { publication?.withdraw(service) }
        publishServices()
    }

    private var publication: (any PublishingStack)? { embedded ?? daemon }

    /// Publishes what is not established; once more later, for what is not even then: its stack has refused
    /// it, or forgotten it (``RegistrationTimeout``).
    private func publishServices() {
        guard case .open = state else { return }
        for (service, name) in services.open { publication?.publish(service, as: name) }
        servicesAgain?.cancel()
        guard !services.open.isEmpty else { return servicesTimeout.reset() }
        let patience = servicesTimeout.current
        servicesTimeout.extend()
        servicesAgain = Task {
            do { try await Task.sleep(for: patience) } catch { return }
            publishServices()
        }
    }

    private func close() {
        state = .closed
        for task in [later, again, settled, servicesAgain] { task?.cancel() }
        for task in registrations.values { task.cancel() }
        changes?.close()
        daemon?.close()
        embedded?.close()
        (changes, daemon, embedded) = (nil, nil, nil)
        finished?.resume()
        finished = nil
    }

    /// Publishes through the daemon if there is one, otherwise through the embedded stack.
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
            // The bus may appear later, or permit access later.
            attempt(after: HubPublisher.retryInterval) { $0.connect(afterLoss: false) }
        }
    }

    private func moveToDaemon() {
        moveAway()
        tellHosts([daemon?.hostName].compactMap(\.self), by: .daemon)
        daemon?.publish(announcement, as: name)
        services.beginAnew()
        publishServices()
    }

    private func tellHosts(_ hosts: [String], by stack: Stack) {
        guard !hosts.isEmpty, hosts != lastHosts else { return }
        lastHosts = hosts
        report(.hosts(hosts, by: stack))
    }

    /// Closes the embedded stack, so that the daemon can use the names.
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
            // A daemon that only refuses has the machine's name already.
            let embedded = try EmbeddedPublishing(
                on: loop, for: announcement, machine: isRefused ? nil : HostName.own(),
                changed: events(of: .embedded))
            self.embedded = embedded
            embedded.publish(announcement, as: name)
            services.beginAnew()
            publishServices()
        } catch {
            tell(.unavailable(error))
            attempt(after: HubPublisher.retryInterval) { $0.embed() }
        }
    }

    /// A callback for a new stack. Events are queued and handled after avahi's callback has returned, because
    /// nothing may be freed from within it.
    private func events(of stack: Stack) -> (PublishingEvent) -> Void {
        let number = numbers[stack, default: 0] + 1
        numbers[stack] = number
        return callback { $0.note($1, of: stack, number: number) }
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
        if case .named(let hosts) = event {
            // Nobody says what a daemon that refuses calls this machine: most often by its own name.
            let machine = isRefused ? [daemon?.hostName ?? HostName.own() + ".local"] : []
            return tellHosts(machine + hosts, by: stack)
        }
        if case .web(let service, let result) = event { return handle(result, of: service) }
        registrations.removeValue(forKey: stack)?.cancel()
        switch event {
        case .ready where stack == .embedded:
            publish(by: stack)
            // Its host may have another name.
            services.beginAnew()
            publishServices()
        case .ready: if !isRefused { moveToDaemon() }
        case .busy: if !isRefused { moveAway() }
        case .named, .web: break
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

    private func handle(_ result: WebResult, of service: WebAnnouncement) {
        switch result {
        case .established:
            if let name = services.established(service) { report(.webPublished(service, name: name)) }
        case .collision:
            if let name = services.taken(service) { publication?.publish(service, as: name) }
        case .refused(let error): tell(.webUnavailable(service, error))
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

    /// Reports a problem once instead of with every attempt.
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
