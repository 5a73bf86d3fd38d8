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
    private var daemon: DaemonPublishing?
    // True if the running daemon refuses to publish: it is not asked again until another one replaces it.
    private var isRefused = false
    private var embedded: EmbeddedPublishing?
    // The number of the current instance of each stack; late events of a closed instance are ignored.
    private var numbers: [Stack: Int] = [:]
    private var pending: [(event: PublishingEvent, stack: Stack, number: Int)] = []
    private var renames = RenamePolicy()
    private var timeout: RegistrationTimeout
    private var lastTrouble: Event?
    private var lastHosts: [String] = []
    private var changes: DescriptorWatch?
    private var services = WebServiceBook()
    private var servicesTimeout = RegistrationTimeout()
    private var timers: [Timer: Task<Void, Never>] = [:]

    private enum Timer: Hashable {
        /// The next attempts to reach a stack, and to publish.
        case connecting, publishing, services
        /// From handing the hub's service to a stack until the stack reports the result.
        case registration(Stack)
        case settling
    }

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
        await Task.untilCancelled()
        close()
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
        stop(.services)
        guard !services.open.isEmpty else { return servicesTimeout.reset() }
        start(.services, after: servicesTimeout.current) { $0.publishServices() }
        servicesTimeout.extend()
    }

    private func close() {
        state = .closed
        for task in timers.values { task.cancel() }
        changes?.close()
        daemon?.close()
        embedded?.close()
        (changes, daemon, embedded) = (nil, nil, nil)
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
            guard afterLoss else { return embed() }
            start(.connecting, after: HubPublisher.restartGrace) { $0.embed() }
        } catch {
            switch error {
            case .refused, .noClient:
                isRefused = true
                tell(.refused(error))
            default: break
            }
            embed()
            // The bus may appear later, or permit access later.
            start(.connecting, after: HubPublisher.retryInterval) { $0.connect(afterLoss: false) }
        }
    }

    private func moveToDaemon() {
        moveAway()
        tellHosts([daemon?.hostName].compactMap(\.self), by: .daemon)
        publishAll(by: .daemon)
    }

    private func tellHosts(_ hosts: [String], by stack: Stack) {
        guard !hosts.isEmpty, hosts != lastHosts else { return }
        lastHosts = hosts
        report(.hosts(hosts, by: stack))
    }

    /// Closes the embedded stack, so that the daemon can use the names.
    private func moveAway() {
        stop(.connecting)
        stop(.registration(.embedded))
        numbers[.embedded, default: 0] += 1
        embedded?.close()
        embedded = nil
    }

    private func embed() {
        guard case .open = state, embedded == nil, isRefused || daemon?.isWaiting ?? true else { return }
        do throws(DiscoveryError) {
            // A daemon that only refuses has the machine's name already.
            embedded = try EmbeddedPublishing(
                on: loop, for: announcement, machine: isRefused ? nil : HostName.own(),
                changed: events(of: .embedded))
            publishAll(by: .embedded)
        } catch {
            tell(.unavailable(error))
            start(.connecting, after: HubPublisher.retryInterval) { $0.embed() }
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
        if case .service(let service?, let result) = event { return handle(result, of: service) }
        stop(.registration(stack))
        switch event {
        // Its host may have another name.
        case .ready where stack == .embedded: publishAll(by: stack)
        case .ready: if !isRefused { moveToDaemon() }
        case .busy: if !isRefused { moveAway() }
        case .named: break
        case .service(_, .established):
            timeout.reset()
            if !isRefused { lastTrouble = nil }
            report(.published(name: name, by: stack))
        case .service(_, .collision):
            let taken = name
            name = alternativeName(to: taken)
            report(.renamed(from: taken, to: name))
            let delay = renames.delay()
            if delay == .zero { return publish(by: stack) }
            start(.publishing, after: delay) { $0.publish(by: stack) }
        case .service(_, .refused(let error)) where stack == .daemon && error.isWithoutDaemon:
            tell(.refused(error))
            isRefused = true
            embed()
        case .service(_, .refused(let error)):
            tell(.unavailable(error))
            start(.publishing, after: HubPublisher.retryInterval) { $0.publish(by: stack) }
        case .failed(let error):
            stop(.publishing)
            if stack == .daemon {
                report(.daemonLost(error))
                daemon?.close()
                daemon = nil
                connect(afterLoss: true)
            } else {
                tell(.unavailable(error))
                embedded?.close()
                embedded = nil
                start(.connecting, after: HubPublisher.retryInterval) { $0.embed() }
            }
        }
    }

    private func handle(_ result: PublishingResult, of service: WebAnnouncement) {
        switch result {
        case .established:
            if let name = services.established(service) { report(.webPublished(service, name: name)) }
        case .collision:
            if let name = services.taken(service) { publication?.publish(service, as: name) }
        case .refused(let error): tell(.webUnavailable(service, error))
        }
    }

    private func publishAll(by stack: Stack) {
        publish(by: stack)
        services.beginAnew()
        publishServices()
    }

    private func publish(by stack: Stack) {
        let publication: (any PublishingStack)? = stack == .daemon ? daemon : embedded
        guard let publication else { return }
        publication.publish(announcement, as: name)
        start(.registration(stack), after: timeout.current) { this in
            if this.timeout.isFirst { this.report(.overdue(name: this.name, by: stack)) }
            this.timeout.extend()
            this.publish(by: stack)
        }
    }

    private func start(
        _ timer: Timer, after delay: Duration, _ act: @escaping @Sendable (isolated HubPublisher) -> Void
    ) {
        stop(timer)
        timers[timer] = Task {
            do { try await Task.sleep(for: delay) } catch { return }
            guard case .open = state, !Task.isCancelled else { return }
            timers[timer] = nil
            act(self)
        }
    }

    private func stop(_ timer: Timer) { timers.removeValue(forKey: timer)?.cancel() }

    /// Reports a problem once instead of with every attempt.
    private func tell(_ trouble: Event) {
        guard trouble != lastTrouble else { return }
        lastTrouble = trouble
        report(trouble)
    }

    private func networkChanged() {
        guard timers[.settling] == nil else { return }
        start(.settling, after: HubPublisher.settling) {
            if $0.embedded?.isOutdated == true { $0.publish(by: .embedded) }
        }
    }
}
